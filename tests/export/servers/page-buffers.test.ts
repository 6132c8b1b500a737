import { expect, test } from 'bun:test'
import { PageBuffers } from '../../../src/export/servers/exports.ts'

test('a buffer that was given back is used again', () => {
  const buffers = new PageBuffers(64, 4)
  const buffer = buffers.take()
  expect([buffer.length, buffers.inUse]).toEqual([64, 1])
  buffers.give(buffer)
  expect(buffers.inUse).toBe(0)
  expect(buffers.take()).toBe(buffer)
})

test('no more are kept than may be: the rest is left to the collector', () => {
  const buffers = new PageBuffers(64, 2)
  const taken = Array.from({ length: 5 }, () => buffers.take())
  for (const buffer of taken) buffers.give(buffer)
  const again = Array.from({ length: 5 }, () => buffers.take())
  expect(again.filter(buffer => taken.includes(buffer)).length).toBe(2)
})
