// Deliveries of webhooks, to a receiver that does all that receivers do. At least once, in the order of the changes, and nothing of an applicant.

import { describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { createLog } from '../../../src/base/log.ts'
import { readChangesPage } from '../../../src/core/export/changes/change-feed.ts'
import { parseChangeCursor } from '../../../src/core/export/requests/change-cursor.ts'
import { deliver } from '../../../src/core/webhooks/deliveries.ts'
import {
  askForMessage,
  changeWebhookUrl,
  rotateWebhookSecret,
  setWebhookDisabled,
} from '../../../src/core/webhooks/endpoints.ts'
import { formatMicros } from '../../../src/domain/values/offset-time.ts'
import { startAsking } from '../../../workers/deliver-webhook.ts'
import { tamper } from '../../support/audit-log.ts'
import { endWithTest, useDatabase } from '../../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../../support/held-transaction.ts'
import { insertRawApplications } from '../../support/raw-applications.ts'
import { type Receiver, useReceiver } from '../../support/receiver.ts'
import { succeeds } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'
import { keys, micros, TestWebhooks } from '../../support/webhooks.ts'

const { sql } = await useDatabase()
const answering = (status: number) => () => new Response(null, { status })
/** As a receiver verifies: throws when the signature is of no such secret. Its clock is that of the message. */
function verify(secret: string, { body, headers }: Receiver['received'][number]): unknown {
  const real = Date.now
  Date.now = () => Number(headers['webhook-timestamp']) * 1000
  try {
    return new Webhook(secret).verify(body, headers)
  } finally {
    Date.now = real
  }
}
async function anEndpoint(changes?: ConstructorParameters<typeof TestWebhooks>[1]) {
  const hooks = new TestWebhooks(sql, changes)
  const receiver = useReceiver()
  return { hooks, receiver, ...(await hooks.endpoint(receiver.url)) }
}
/** The first attempt of an endpoint, whose receiver answers what `held` is resolved with. */
async function anAttemptUnderWay() {
  const endpoint = await anEndpoint()
  const { hooks, receiver, program, id } = endpoint
  const held = Promise.withResolvers<Response>()
  receiver.answer = () => held.promise
  await hooks.apply(program)
  const job = (await hooks.ask()).find(item => item.webhook_endpoint_id === id)!
  const underWay = deliver(hooks.delivering, job)
  await until('the receiver to be asked', () => receiver.received.length === 1)
  return { ...endpoint, held, job, underWay }
}
/** Leaves out what other tests have in the database: what is due for one endpoint alone. */
async function runOf(hooks: TestWebhooks, id: number) {
  const jobs = (await hooks.ask()).filter(job => job.webhook_endpoint_id === id)
  return Promise.all(jobs.map(job => deliver(hooks.delivering, job)))
}
const givenUp = async (slug: string) => [
  ...(await sql`select actor, detail from audit_event where subject = ${slug} and action = 'webhook_given_up'`),
]

describe('a message', () => {
  test('reports that the program has changed and the position of its feed, is signed, and contains nothing of an applicant', async () => {
    const { hooks, receiver, program, secret, id } = await anEndpoint()
    expect(await runOf(hooks, id)).toEqual([])
    await insertRawApplications(sql, program, 1, () => 'Lovelace')
    expect(await runOf(hooks, id)).toEqual(['delivered'])
    const [message] = receiver.received
    expect(verify(secret, message!)).toEqual({
      type: 'program.changed',
      program: program.slug,
      change_cursor: expect.any(String),
      timestamp: expect.stringMatching(/^2023-\d\d-\d\dT[\d:]+\+00:00$/),
    })
    expect(message!.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Tributary' })
    expect(() => verify(`whsec_${Buffer.alloc(32).toString('base64')}`, message!)).toThrow()
    expect(JSON.stringify(message)).not.toContain('Lovelace')
    const { change_cursor } = JSON.parse(message!.body)
    const place = parseChangeCursor(change_cursor)!
    const { page } = await readChangesPage(sql, program.program_id, place, { pageSize: 10, timeZone: 'UTC' })
    expect([page.payload, page.changeCursor]).toEqual([[], change_cursor])
    // One that is added later is sent nothing of what was before.
    const later = await hooks.endpoint(receiver.url, program)
    expect(await runOf(hooks, later.id)).toEqual([])
  })

  test('is sent once for a burst of changes, and again two seconds later only if there were more', async () => {
    const { hooks, receiver, program, id } = await anEndpoint()
    await hooks.apply(program, 50)
    expect(await runOf(hooks, id)).toEqual(['delivered'])
    await hooks.apply(program, 20)
    expect(await runOf(hooks, id)).toEqual([])
    hooks.now += 2 * micros.second
    expect(await runOf(hooks, id)).toEqual(['delivered'])
    hooks.now += micros.day
    expect(await runOf(hooks, id)).toEqual([])
    expect(receiver.received).toHaveLength(2)
    expect((await hooks.attempts(id)).map(({ change }) => change)).toEqual([70, 50])
  })

  test('is signed with both secrets for a day after a rotation', async () => {
    const { hooks, receiver, program, secret, id } = await anEndpoint()
    const rules = { keys, allowedNetworks: [] }
    const rotate = async () => rotateWebhookSecret(sql, rules, await hooks.state(id), hooks.by())
    const secrets = [secret, await rotate()]
    /** Which of them the next message is signed with. */
    const signing = async () => {
      await hooks.apply(program)
      await runOf(hooks, id)
      const message = receiver.received.at(-1)!
      return Promise.all(secrets.map(secret => succeeds((async () => verify(secret, message))())))
    }
    expect(await signing()).toEqual([true, true])
    hooks.now += micros.hour
    // Another rotation within the day: the one before signs on, and the first no more.
    secrets.push(await rotate())
    expect(await signing()).toEqual([false, true, true])
    hooks.now += micros.day
    expect(await signing()).toEqual([false, false, true])
  })

  test('is still signed after the configured key was replaced, as long as the earlier key is listed', async () => {
    const { hooks, receiver, program, secret, id } = await anEndpoint()
    await hooks.apply(program)
    Object.assign(hooks.delivering, { keys: [Buffer.alloc(32, 1)] })
    expect(await runOf(hooks, id)).toEqual(['unsigned'])
    expect(receiver.received).toEqual([])
    Object.assign(hooks.delivering, { keys: [Buffer.alloc(32, 1), ...keys] })
    hooks.now += micros.minute
    expect(await runOf(hooks, id)).toEqual(['delivered'])
    expect(verify(secret, receiver.received[0]!)).toBeObject()
  })
})

describe('a receiver', () => {
  test('that fails gets the same message at increasing intervals, and after a day one message for all it has missed', async () => {
    const { hooks, receiver, program, id } = await anEndpoint({ random: () => 1 })
    receiver.answer = answering(503)
    // As after many that went well.
    await sql`update webhook_endpoint set attempts = 40 where webhook_endpoint_id = ${id}`
    await hooks.apply(program)
    const waited: number[] = []
    const from = hooks.now
    while (hooks.now < from + micros.day) {
      expect(await runOf(hooks, id)).toEqual(['refused'])
      const { retry_at } = await hooks.state(id)
      waited.push((retry_at - hooks.now) / micros.second)
      hooks.now = retry_at - 1
      expect(await runOf(hooks, id)).toEqual([])
      hooks.now = retry_at
    }
    expect(waited.slice(0, 8)).toEqual([5.25, 21, 84, 336, 1344, 3780, 3780, 3780])
    const sent = receiver.received
    expect(new Set(sent.map(({ body, headers }) => `${headers['webhook-id']} ${body}`)).size).toBe(1)
    expect(new Set(sent.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(sent.length)
    expect(await hooks.state(id)).toMatchObject({ state: 'failing', failures: sent.length, first_failed_at: from })
    await hooks.apply(program, 7)
    receiver.answer = answering(200)
    expect(await runOf(hooks, id)).toEqual(['delivered'])
    expect((await hooks.attempts(id))[0]).toMatchObject({ change: 8, status: 200 })
    expect(await hooks.state(id)).toMatchObject({ state: 'working', failures: 0, first_failed_at: null })
  })

  test('that fails for three days is disabled with an audit entry, and when enabled gets what it has missed', async () => {
    const { hooks, receiver, program, id } = await anEndpoint()
    receiver.answer = answering(500)
    await hooks.apply(program)
    await runOf(hooks, id)
    hooks.now += 3 * micros.day - 1
    await runOf(hooks, id)
    expect(await hooks.state(id)).toMatchObject({ state: 'failing', disabled_at: null })
    hooks.now += micros.hour
    await runOf(hooks, id)
    expect(await hooks.state(id)).toMatchObject({ state: 'given_up', disabled_at: hooks.now })
    const host = new URL(receiver.url).host
    expect(await givenUp(program.slug)).toEqual([
      { actor: 'webhooks', detail: { webhook: id, because: 'failing', host } },
    ])
    hooks.now += micros.day
    await hooks.apply(program)
    expect(await runOf(hooks, id)).toEqual([])
    receiver.answer = answering(204)
    await setWebhookDisabled(sql, await hooks.state(id), false, hooks.by())
    expect(await hooks.state(id)).toMatchObject({ state: 'working', failures: 0, first_failed_at: null })
    expect(await runOf(hooks, id)).toEqual(['delivered'])
    expect((await hooks.attempts(id))[0]).toMatchObject({ change: 2 })
  })

  test('that sends Retry-After gets no message for that time, in seconds or as a date, up to an hour, and no earlier retry', async () => {
    const { hooks, receiver, program, id } = await anEndpoint()
    await hooks.apply(program)
    const waits: number[] = []
    for (const [status, asked] of [
      [429, () => '90'],
      [503, () => new Date((hooks.now + 600 * micros.second) / 1000).toUTCString()],
      [503, () => '0'],
      [429, () => '86400'],
      [503, () => new Date((hooks.now + micros.day) / 1000).toUTCString()],
      [429, () => 'Thu, 01 Jan 1970 00:00:00 GMT'],
      [503, () => `${'9'.repeat(400)}`],
      [503, () => 'soon'],
    ] as const) {
      const retryAfter = asked()
      receiver.answer = () => new Response(null, { status, headers: { 'Retry-After': retryAfter } })
      expect(await runOf(hooks, id)).toEqual(['refused'])
      const { retry_at } = await hooks.state(id)
      waits.push((retry_at - hooks.now) / micros.second)
      hooks.now = retry_at
    }
    expect(waits).toEqual([90, 600, 80, 3600, 3600, 3600, 3600, 3600])
  })

  test('that redirects is not followed', async () => {
    const { hooks, receiver, program, id } = await anEndpoint()
    const elsewhere = useReceiver()
    receiver.answer = () => Response.redirect(elsewhere.url, 307)
    await hooks.apply(program)
    expect(await runOf(hooks, id)).toEqual(['refused'])
    expect([receiver.received.length, elsewhere.received.length]).toEqual([1, 0])
    expect((await hooks.attempts(id))[0]).toMatchObject({ status: 307 })
  })

  test('that responds without end is read only to its status', async () => {
    const { hooks, receiver, program, id } = await anEndpoint()
    let sent = 0
    let cancelled = false
    receiver.answer = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            sent += 1
            controller.enqueue(new Uint8Array(1024 * 1024))
            await Bun.sleep(1)
          },
          cancel() {
            cancelled = true
          },
        }),
      )
    await hooks.apply(program)
    expect(await runOf(hooks, id)).toEqual(['delivered'])
    await until('the connection to be ended', () => cancelled)
    // Of what is sent without end, what buffers on the way hold.
    expect(sent).toBeLessThan(1000)
  })

  test('that does not respond times out', async () => {
    const { hooks, receiver, program, id } = await anEndpoint()
    const held = Promise.withResolvers<Response>()
    receiver.answer = () => held.promise
    await hooks.apply(program)
    Object.assign(hooks.delivering.outside, { timeoutMs: 300 })
    expect(await runOf(hooks, id)).toEqual(['timed_out'])
    expect(await hooks.state(id)).toMatchObject({ state: 'failing', failures: 1 })
    held.resolve(new Response())
  })
})

describe('attempts', () => {
  test('are made one at a time per endpoint, and a job that comes twice, late or for a disabled endpoint does nothing', async () => {
    const { hooks, program, id, held, job, underWay } = await anAttemptUnderWay()
    await hooks.apply(program)
    await askForMessage(sql, await hooks.state(id), 'resend', hooks.by())
    hooks.now += 59 * micros.second
    expect(await runOf(hooks, id)).toEqual([])
    expect(await deliver(hooks.delivering, job)).toBeUndefined()
    held.resolve(new Response())
    expect(await underWay).toBe('delivered')
    // What an administrator asked for in the meantime is sent now, and with it the later change.
    expect(await runOf(hooks, id)).toEqual(['delivered'])
    expect((await hooks.attempts(id)).map(({ change }) => change)).toEqual([2, 1])
    await hooks.apply(program)
    hooks.now += micros.minute
    // Of two workers that find it due only one asks.
    const release = await holdTransaction(
      sql,
      tx => tx`
        update webhook_endpoint set busy_until = ${formatMicros(hooks.now + 30 * micros.second)} where webhook_endpoint_id = ${id}`,
    )
    const asking = runOf(hooks, id)
    await until('the second one to wait', async () => (await waitingForLocks(sql)) > 0)
    await release()
    expect(await asking).toEqual([])
    await sql`update webhook_endpoint set busy_until = '-infinity' where webhook_endpoint_id = ${id}`
    const [last] = (await hooks.ask()).filter(item => item.webhook_endpoint_id === id)
    await setWebhookDisabled(sql, await hooks.state(id), true, hooks.by())
    expect(await deliver(hooks.delivering, last!)).toBeUndefined()
  })

  test('that were lost with the queue or their process are requested again after a minute', async () => {
    const { hooks, receiver, program, id } = await anEndpoint()
    await hooks.apply(program)
    const lost = (await hooks.ask()).filter(item => item.webhook_endpoint_id === id)
    expect(lost).toHaveLength(1)
    expect(await runOf(hooks, id)).toEqual([])
    hooks.now += micros.minute
    // The same one: should the first not be lost after all, only one of both does something.
    expect((await hooks.ask()).filter(item => item.webhook_endpoint_id === id)).toEqual(lost)
    hooks.now += micros.minute
    const died = Promise.withResolvers<never>()
    const dying = deliver({ ...hooks.delivering, loadState: () => died.promise }, lost[0]!).catch(
      error => error.message,
    )
    await until(
      'it to have begun',
      async () =>
        (await sql`select from webhook_endpoint where webhook_endpoint_id = ${id} and attempts = 1`).length === 1,
    )
    hooks.now += micros.minute
    expect(await runOf(hooks, id)).toEqual(['delivered'])
    died.reject(new Error('the process died'))
    expect(await dying).toBe('the process died')
    expect(receiver.received).toHaveLength(1)
  })

  test('are kept, up to the newest hundred', async () => {
    const other = await anEndpoint()
    await other.hooks.apply(other.program)
    await runOf(other.hooks, other.id)
    const { hooks, id } = await anEndpoint()
    for (let i = 0; i < 105; i += 1) {
      await askForMessage(sql, await hooks.state(id), i % 2 === 0 ? 'test' : 'resend', hooks.by())
      expect(await runOf(hooks, id)).toEqual(['delivered'])
    }
    const kept = await hooks.attempts(id)
    expect([kept.length, kept[0]!.attempt, kept.at(-1)!.attempt]).toEqual([100, 105, 6])
    expect(await hooks.attempts(other.id)).toHaveLength(1)
  })
})

describe('another address', () => {
  test('receives what the old one has not acknowledged, while an attempt under way still goes to the old one and does not count for the new one', async () => {
    const { hooks, receiver, secret, id, held, job, underWay } = await anAttemptUnderWay()
    const moved = useReceiver()
    await changeWebhookUrl(sql, await hooks.state(id), new URL(moved.url), hooks.by())
    const before = await hooks.state(id)
    held.resolve(new Response(null, { status: 410 }))
    await underWay
    expect(await hooks.state(id)).toEqual(before)
    expect(before).toMatchObject({ url: moved.url, state: 'working' })
    expect(await runOf(hooks, id)).toEqual(['delivered'])
    expect(verify(secret, moved.received[0]!)).toMatchObject({ type: 'program.changed' })
    expect(moved.received[0]!.body).toBe(receiver.received[0]!.body)
    // A job that was asked for in the name of the address before does nothing.
    expect(await deliver(hooks.delivering, job)).toBeUndefined()
    expect([receiver, moved].map(({ received }) => received.length)).toEqual([1, 1])
    expect(await hooks.attempts(id)).toHaveLength(1)
  })

  test('begins without failures immediately, and one that responds with 410 is disabled until enabled', async () => {
    const { hooks, receiver, program, id } = await anEndpoint()
    receiver.answer = answering(500)
    await hooks.apply(program)
    await runOf(hooks, id)
    const other = useReceiver()
    other.answer = answering(410)
    await changeWebhookUrl(sql, await hooks.state(id), new URL(other.url), hooks.by())
    expect(await hooks.state(id)).toMatchObject({ state: 'working', failures: 0, first_failed_at: null })
    expect(await runOf(hooks, id)).toEqual(['refused'])
    expect(await givenUp(program.slug)).toMatchObject([{ detail: { because: 'gone' } }])
    const third = useReceiver()
    await changeWebhookUrl(sql, await hooks.state(id), new URL(third.url), hooks.by())
    expect([(await hooks.state(id)).state, await runOf(hooks, id)]).toEqual(['given_up', []])
    await setWebhookDisabled(sql, await hooks.state(id), false, hooks.by())
    expect(await runOf(hooks, id)).toEqual(['delivered'])
    expect(third.received).toHaveLength(1)
    const changed =
      await sql`select detail from audit_event where subject = ${program.slug} and action = 'webhook_changed' order by audit_event_id`
    expect(changed.map(({ detail }) => [detail.host_before, detail.host])).toEqual([
      [new URL(receiver.url).host, new URL(other.url).host],
      [new URL(other.url).host, new URL(third.url).host],
    ])
  })
})

describe('a clock', () => {
  test('D46: times from a worker with a wrong clock neither silence an endpoint nor delay an administrator’s request', async () => {
    const { hooks, receiver, program, id } = await anEndpoint()
    await hooks.apply(program)
    hooks.now += micros.hour
    expect(await runOf(hooks, id)).toEqual(['delivered'])
    // An attempt that it had begun, and the wait after a failure.
    for (const column of ['busy_until', 'retry_at'])
      await sql.unsafe(
        `update webhook_endpoint set ${column} = '${formatMicros(hooks.now + 2 * micros.hour)}' where webhook_endpoint_id = ${id}`,
      )
    hooks.now -= micros.hour
    await askForMessage(sql, await hooks.state(id), 'test', hooks.by())
    expect(await runOf(hooks, id)).toEqual(['delivered'])
    await hooks.apply(program)
    hooks.now += micros.minute
    expect(await runOf(hooks, id)).toEqual(['delivered'])
    expect(receiver.received).toHaveLength(3)
  })
})

describe('webhook message IDs', () => {
  test('D44: after a restore that repeats numbers, neither a change nor a test has the ID of an earlier one', async () => {
    const { hooks, receiver, program, id } = await anEndpoint()
    const ids = () => receiver.received.map(({ headers }) => headers['webhook-id'])
    const happen = async (): Promise<void> => {
      await hooks.apply(program)
      hooks.now += micros.minute
      await runOf(hooks, id)
      await askForMessage(sql, await hooks.state(id), 'test', hooks.by())
      await runOf(hooks, id)
    }
    const [before] = await sql`select * from webhook_endpoint where webhook_endpoint_id = ${id}`
    await happen()
    await tamper(
      sql,
      `delete from application where program_id = ${program.program_id};
       update submission_counter set submit_seq = 0 where program_id = ${program.program_id};
       update webhook_endpoint set attempts = ${before!.attempts}, delivered_change = ${before!.delivered_change} where webhook_endpoint_id = ${id};
       delete from webhook_attempt where webhook_endpoint_id = ${id}`,
    )
    await happen()
    expect(await hooks.attempts(id)).toMatchObject([{ change: 1 }, { change: 1 }])
    expect(new Set(ids()).size).toBe(4)
    // What is signed is divided by full stops.
    expect(ids().filter(id => id?.includes('.'))).toEqual([])
  })
})

describe('messages requested by an administrator', () => {
  test('a test is sent even to a disabled endpoint, each time as another message, and does not affect the others', async () => {
    const { hooks, receiver, program, secret, id } = await anEndpoint()
    // Of what was asked for before nothing is sent.
    await askForMessage(sql, await hooks.state(id), 'test', hooks.by())
    await setWebhookDisabled(sql, await hooks.state(id), true, hooks.by())
    expect(await runOf(hooks, id)).toEqual([])
    await hooks.apply(program)
    for (const status of [204, 500]) {
      receiver.answer = answering(status)
      await askForMessage(sql, await hooks.state(id), 'test', hooks.by())
      await runOf(hooks, id)
    }
    expect(receiver.received.map(received => verify(secret, received))).toMatchObject([
      { type: 'webhook.test', program: program.slug },
      { type: 'webhook.test', program: program.slug },
    ])
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
    expect(await hooks.state(id)).toMatchObject({ state: 'disabled', failures: 0 })
    for (const state of ['disabled', 'given_up'] as const) {
      const refused = askForMessage(sql, { ...(await hooks.state(id)), state }, 'resend', hooks.by())
      expect(await refused.catch(({ kind }) => kind)).toBe('conflict')
    }
    await setWebhookDisabled(sql, await hooks.state(id), false, hooks.by())
    await runOf(hooks, id)
    expect(verify(secret, receiver.received.at(-1)!)).toMatchObject({ type: 'program.changed' })
  })

  test('the last message is sent again as the same one without waiting for its retry, and is retried like others if it fails', async () => {
    const { hooks, receiver, program, id } = await anEndpoint()
    const resend = async () => {
      await askForMessage(sql, await hooks.state(id), 'resend', hooks.by())
      return runOf(hooks, id)
    }
    await hooks.apply(program)
    await runOf(hooks, id)
    expect(await resend()).toEqual(['delivered'])
    receiver.answer = answering(500)
    expect([await resend(), await resend(), await runOf(hooks, id)]).toEqual([['refused'], ['refused'], []])
    const { state, retry_at } = await hooks.state(id)
    expect(state).toBe('failing')
    receiver.answer = answering(204)
    hooks.now = retry_at
    expect(await runOf(hooks, id)).toEqual(['delivered'])
    expect((await hooks.state(id)).state).toBe('working')
    const { received } = receiver
    expect(received).toHaveLength(5)
    expect(new Set(received.map(({ body, headers }) => `${headers['webhook-id']} ${body}`)).size).toBe(1)
    hooks.now += micros.day
    expect(await runOf(hooks, id)).toEqual([])
  })
})

test('a failure to request deliveries is logged once each time, without claiming success', async () => {
  const { sql } = await useDatabase({}, endWithTest)
  const lines: string[] = []
  const log = createLog('info', { write: line => void lines.push(JSON.parse(line).msg) })
  let [tries, rounds] = [0, 0]
  const apply = (target: typeof sql, self: unknown, sent: unknown[]) => {
    tries++
    return Reflect.apply(target, self, sent)
  }
  const stop = startAsking(
    new Proxy(sql, { apply }),
    log,
    () => Date.now() * 1000,
    () => void rounds++,
    5,
  )
  for (const n of [1, 2]) {
    await sql`alter table webhook_endpoint rename to hidden_table`
    await until('it to be logged', () => lines.length === n)
    const [before, tried] = [rounds, tries]
    await until('some more tries', () => tries > tried + 2)
    expect(rounds).toBe(before)
    await sql`alter table hidden_table rename to webhook_endpoint`
    await until('a round', () => rounds > before)
  }
  await stop()
  expect(lines).toHaveLength(2)
})
