import { afterEach, expect, spyOn, test } from 'bun:test'
import { PageOutlet, type Sink } from '../../../../src/core/export/pages/page-outlet.ts'
import { PageBuffers } from '../../../../src/core/export/servers/exports.ts'

const clock = spyOn(performance, 'now')
afterEach(() => {
  clock.mockRestore()
})

/** A client whose writes are taken when the test says so. */
function aClient(writesMax: number) {
  const takes: ((taken: boolean) => void)[] = []
  const sink: Sink = { writesMax, write: () => new Promise(resolve => takes.push(resolve)) }
  const buffers = new PageBuffers(16, 8)
  const outlet = new PageOutlet(sink, buffers, undefined)
  const push = () =>
    outlet.push({ buffer: buffers.take(), used: 16, applications: 1, position: undefined, isLast: false })
  return { takes, buffers, outlet, push }
}

test('G10: the stall timeout of each pending write begins when the previous one was accepted', async () => {
  let nowMs = 0
  clock.mockImplementation(() => nowMs)
  const { takes, outlet, push } = aClient(2)
  push()
  push()
  const settled = outlet.settle(1000)
  // The first is taken late, and the second well within its limit after that.
  nowMs = 1500
  takes[0]!(true)
  await Bun.sleep(20)
  expect(outlet.stalled).toBe(false)
  takes[1]!(true)
  expect(await settled).toBe(true)
})

test('a client that disconnects leaves no buffer behind, neither of the current write nor of waiting ones', async () => {
  const { takes, buffers, outlet, push } = aClient(2)
  for (let i = 0; i < 6; i++) push()
  expect(buffers.inUse).toBe(6)
  takes[0]!(false)
  takes[1]!(false)
  expect(await outlet.settle(1000)).toBe(false)
  await Bun.sleep(0)
  expect(buffers.inUse).toBe(0)
  expect(takes.length).toBe(2)
})
