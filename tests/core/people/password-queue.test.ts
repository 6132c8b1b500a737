// The order in which passwords are hashed, and who is refused when there is no room.

import { expect, test } from 'bun:test'
import { Problem } from '../../../src/base/problem.ts'
import { type PasswordClient, PasswordQueue, queueLimits } from '../../../src/core/people/password-queue.ts'

const { runningMax, waitingMax, waitMsMax, ofOneClientMax, failureMs, failedMax } = queueLimits
const stranger = (name: string): PasswordClient => ({ name, isKnown: false })
const known = (name: string): PasswordClient => ({ name, isKnown: true })

/** Lets everything go on that waits for nothing else. */
const settled = () => new Promise<void>(resolve => setImmediate(resolve))

/** A queue whose passwords are right or wrong when `finish` says so: in the order in which they began. */
function aQueue() {
  const clock = { ms: 0 }
  const queue = new PasswordQueue(() => clock.ms)
  const began: string[] = []
  const refused: string[] = []
  const running: { client: PasswordClient; end: () => void }[] = []

  const enter = (client: PasswordClient, label = client.name): Promise<void> =>
    queue
      .run(client, () => {
        began.push(label)
        return new Promise<void>(end => running.push({ client, end }))
      })
      .catch((error: unknown) => {
        if (!(error instanceof Problem) || error.internal !== 'password_queue') throw error
        refused.push(label)
      })
  const finish = async (isRight = false): Promise<void> => {
    const { client, end } = running.shift()!
    if (!isRight) queue.noteFailure(client)
    end()
    await settled()
  }
  const finishAll = async (): Promise<void> => {
    while (running.length > 0) await finish()
  }
  return { clock, enter, finish, finishAll, began, refused }
}

/** Every address of a flood has as much in the queue as it may, and new requests of each follow. */
async function aFlood() {
  const opened = aQueue()
  const addresses = Array.from({ length: 90 }, (_, i) => stranger(`flood ${i}`))
  const pour = (): void => {
    for (let i = 0; i < ofOneClientMax; i++) for (const address of addresses) void opened.enter(address)
  }
  pour()
  await settled()
  return { ...opened, pour, addresses }
}

test('while 90 addresses flood, a known browser comes next', async () => {
  const { enter, finish, began } = await aFlood()
  void enter(known('browser'))
  await finish()
  expect(began).toHaveLength(runningMax + 1)
  expect(began.at(-1)).toBe('browser')
})

test('while 90 addresses flood, a new one waits for at most one attempt of each, and comes next once they have failed', async () => {
  const { enter, finish, began, refused, addresses, pour } = await aFlood()
  void enter(stranger('early'))
  for (let i = 0; i < addresses.length - runningMax + 1; i++) await finish()
  expect(began).toContain('early')
  expect(new Set(began).size).toBe(addresses.length + 1)
  pour()
  void enter(stranger('late'))
  await finish()
  expect(began.at(-1)).toBe('late')
  expect(refused.filter(name => !name.startsWith('flood'))).toEqual([])
})

test('known browsers take turns, so that one cannot keep another out', async () => {
  const { enter, finish, began } = aQueue()
  for (let i = 0; i < ofOneClientMax; i++) void enter(known('greedy'))
  void enter(known('other'))
  await settled()
  await finish()
  expect(began).toEqual(['greedy', 'greedy', 'other'])
})

test('a client has at most eight passwords in the queue, and its places become free again', async () => {
  const { enter, finishAll, began, refused } = aQueue()
  for (let i = 0; i < 30; i++) void enter(stranger('one'))
  await settled()
  expect(refused).toHaveLength(30 - ofOneClientMax)
  await finishAll()
  expect(began).toHaveLength(ofOneClientMax)
  void enter(stranger('one'), 'later')
  await settled()
  expect(began.at(-1)).toBe('later')
})

test('a full queue refuses the client that would be served last, and never a known browser before strangers', async () => {
  const { enter, began, refused } = aQueue()
  for (let i = 0; i < runningMax + waitingMax; i++) void enter(stranger(`client ${i}`))
  void enter(stranger('one too many'))
  void enter(known('browser'))
  await settled()
  expect(began).toHaveLength(runningMax)
  expect(refused).toEqual(['one too many', `client ${runningMax + waitingMax - 1}`])
})

test('a client that has waited too long is refused', async () => {
  const { clock, enter, finish, began, refused } = aQueue()
  for (const name of ['a', 'b', 'c']) void enter(stranger(name))
  await settled()
  clock.ms = waitMsMax - 1
  void enter(stranger('d'))
  clock.ms = waitMsMax
  await finish()
  expect([began, refused]).toEqual([['a', 'b', 'd'], ['c']])
})

test('a failure is forgotten after 15 minutes, or earlier if there are very many', async () => {
  const { clock, enter, finish, finishAll, began } = aQueue()
  const isServedBefore = async (one: string, other: string): Promise<boolean> => {
    for (const name of ['busy 1', 'busy 2', other, one]) void enter(known(name))
    await settled()
    began.length = 0
    await finish(true)
    await finish(true)
    const isFirst = began[0] === one
    await finish(true)
    await finish(true)
    return isFirst
  }
  void enter(known('failed'))
  await settled()
  await finishAll()
  expect(await isServedBefore('fresh', 'failed')).toBe(true)
  clock.ms += failureMs
  expect(await isServedBefore('fresh', 'failed')).toBe(false)

  void enter(known('failed'))
  await settled()
  await finishAll()
  for (let i = 0; i < failedMax; i++) {
    void enter(known(`client ${i}`))
    await settled()
    await finish()
  }
  expect(await isServedBefore('fresh', 'failed')).toBe(false)
})

test('work that throws passes its place on', async () => {
  const queue = new PasswordQueue()
  const fails = () => queue.run(stranger('one'), () => Promise.reject(new Error('no hash')))
  for (let i = 0; i < 10; i++) await expect(fails()).rejects.toThrow('no hash')
  expect(await queue.run(stranger('one'), async () => 'hashed')).toBe('hashed')
})
