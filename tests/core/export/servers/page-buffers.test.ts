import { expect, test } from 'bun:test'
import { PageBuffers } from '../../../../src/core/export/servers/exports.ts'

test('only a bounded number of page buffers is kept for reuse', () => {
  const buffers = new PageBuffers(64, 2)
  const taken = Array.from({ length: 5 }, () => buffers.take())
  for (const buffer of taken) buffers.give(buffer)
  const again = Array.from({ length: 5 }, () => buffers.take())
  expect(again.filter(buffer => taken.includes(buffer)).length).toBe(2)
})
