// Webhooks in the console and its API: added, tried, given another secret, disabled, removed, by those who may, of the programs that they may see.

import { describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { countWebhooks } from '../../../src/db/webhooks/webhook-rows.ts'
import { testConfig } from '../../support/config.ts'
import { aPerson, ConsoleVisitor, errorsOf, factsOf, fieldsOf, noticesOf } from '../../support/console.ts'
import { ApiProgram, aToken } from '../../support/console-api.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { insertRawProgram } from '../../support/raw-applications.ts'
import { useReceiver } from '../../support/receiver.ts'
import { TestWebhooks } from '../../support/webhooks.ts'

const { sql, ...database } = await useDatabase()
const hooks = new TestWebhooks(sql, { keys: testConfig().webhookKeys })
hooks.now = Date.now() * 1000
const service = await useService({ sql, ...database }, {}, { now: () => hooks.now })
for (const slug of ['food', 'rent']) await insertRawProgram(sql, slug, { versions: 'one' })
const ada = await aPerson(sql)
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const api = ApiProgram.withToken(service, (await aToken(sql, ada)).token)
const base = '/admin/webhooks'
const actionsOn = async (webhook: number) =>
  (
    await sql`
    select action, actor, detail from audit_event where detail->>'webhook' = ${String(webhook)} order by audit_event_id`
  ).map(({ action, actor }) => [action, actor])
const secretOn = (page: string) => /<code id="secret">([^<]+)</.exec(page)?.[1]

describe('a webhook', () => {
  test('is added with a secret shown once, tested, given another secret and removed, each with an audit entry', async () => {
    const receiver = useReceiver()
    const added = await browser.post(`${base}/new`, { program: 'food', url: receiver.url })
    const shown = added.headers.get('location')!
    const at = shown.replace('/secret', '')
    const id = Number(at.split('/').at(-1))
    const first = secretOn(await browser.page(shown))!
    expect(first).toMatch(/^whsec_[0-9A-Za-z+/=]{44}$/)
    expect(secretOn(await browser.page(shown))).toBeUndefined()

    expect((await browser.post(`${at}/test`)).headers.get('location')).toBe(`${at}?done=test`)
    await hooks.run()
    const newest = () => receiver.received.at(-1)!
    expect(new Webhook(first).verify(newest().body, newest().headers)).toMatchObject({ type: 'webhook.test' })
    const tried = await browser.page(at)
    expect(tried).toContain('204')
    expect(factsOf(tried).Added).toMatch(/ by Ada Tester$/)

    const moved = `${receiver.url}/moved`
    expect(await browser.page(`${at}/edit`)).toContain(`value="${receiver.url}"`)
    const changed = await browser.post(`${at}/edit`, { url: moved })
    expect(changed.headers.get('location')).toBe(`${at}?done=changed`)
    expect(await browser.page(at)).toContain(moved)

    const facts = async (): Promise<number> => Object.keys(factsOf(await browser.page(at))).length
    const before = await facts()
    const rotated = (await browser.post(`${at}/rotate`)).headers.get('location')!
    const second = secretOn(await browser.page(rotated))!
    expect(second).not.toBe(first)
    // One more says how long messages are signed with the first, too.
    expect(await facts()).toBe(before + 1)
    for (const [button, done] of Object.entries({ disable: 'disabled', enable: 'enabled', resend: 'resend' }))
      expect((await browser.post(`${at}/${button}`)).headers.get('location')).toBe(`${at}?done=${done}`)
    await hooks.run()
    for (const secret of [first, second])
      expect(new Webhook(secret).verify(newest().body, newest().headers)).toMatchObject({ program: 'food' })

    const past = { earlier_secret_until: 1, disabled_at: hooks.now, disabled_because: 'gone' }
    await sql`update webhook_endpoint set ${sql(past)} where webhook_endpoint_id = ${id}`
    const givenUp = await browser.page(at)
    expect([givenUp.includes('Signed with'), givenUp.includes(`action="${at}/enable"`)]).toEqual([false, true])
    const { host } = new URL(receiver.url)
    expect(givenUp).not.toContain(`action="${at}/remove"`)
    expect(await browser.page(`${at}/remove`)).toContain(`Type “${host}” to confirm`)
    const kept = await browser.refused(400, `${at}/remove`, { confirmation: 'food' })
    expect(errorsOf(kept)).toEqual(['confirmation differs'])
    expect((await browser.get(at)).status).toBe(200)
    const removed = await browser.post(`${at}/remove`, { confirmation: host })
    expect(removed.headers.get('location')).toBe(`${base}?done=removed`)
    expect((await browser.get(at)).status).toBe(404)
    expect(await sql`select from webhook_attempt where webhook_endpoint_id = ${id}`).toHaveLength(0)
    const done = ['added', 'tested', 'changed', 'secret_rotated', 'disabled', 'enabled', 'resent', 'removed']
    expect(await actionsOn(id)).toEqual(done.map(action => [`webhook_${action}`, `admin:${ada.email}`]))
    // No secret is anywhere: neither in the database nor in the log.
    const stored = JSON.stringify([await sql`select * from audit_event`, await sql`select * from webhook_endpoint`])
    for (const secret of [first, second])
      expect([stored.includes(secret.slice(6)), service.logText().includes(secret.slice(6))]).toEqual([false, false])
  })

  test('with an invalid or internal address is shown again as filled in, with what is valid', async () => {
    const { body: added } = await api.ask('POST', '/webhooks', { program: 'food', url: 'https://127.0.0.1/hooks' })
    for (const [url, said] of [
      ['', 'Enter an HTTPS URL'],
      ['http://127.0.0.1/', 'Enter an HTTPS URL'],
      ['https://10.0.0.1/hooks', '10.0.0.1 is not on the public internet'],
      ['https://[::1]/hooks', '[::1] is not on the public internet'],
    ] as const) {
      for (const path of [`${base}/new`, `${base}/${added.webhook_endpoint_id}/edit`]) {
        const page = await browser.refused(400, path, { program: 'food', url })
        expect(page).toContain(said)
        expect(fieldsOf(page, path)).toMatchObject({ url })
      }
      for (const { status, body } of [
        await api.ask('POST', '/webhooks', { program: 'food', url }),
        await api.ask('PATCH', `/webhooks/${added.webhook_endpoint_id}`, { url }),
      ])
        expect([status, body.errors[0]]).toEqual([
          400,
          expect.objectContaining({ path: '/url', detail: expect.stringContaining(said) }),
        ])
    }
    expect((await api.ask('DELETE', `/webhooks/${added.webhook_endpoint_id}`)).body).not.toHaveProperty('errors')
    expect((await api.ask('POST', '/webhooks', { program: 'nothing-here', url: 'https://127.0.0.1/' })).status).toBe(
      404,
    )
  })
})

describe('the API', () => {
  test('does the same, with at most ten per program, and none without configured keys', async () => {
    const url = 'https://127.0.0.1/hooks'
    const added = await Promise.all(
      Array.from({ length: 12 }, () => api.ask('POST', '/webhooks', { program: 'rent', url })),
    )
    const ids: number[] = added.flatMap(({ body }) => body.webhook_endpoint_id ?? []).sort((a, b) => a - b)
    expect(added.filter(({ status }) => status === 409).map(({ body }) => body.detail)).toEqual(
      new Array(2).fill(expect.stringMatching(/\b10\b/)),
    )
    const listed = await api.ask('GET', '/webhooks?program=rent')
    expect(listed.body.items.map((item: { webhook_endpoint_id: number }) => item.webhook_endpoint_id)).toEqual(ids)
    const rest = await api.ask('GET', `/webhooks?program=rent&after=${ids[3]}`)
    expect(rest.body.items).toEqual(listed.body.items.slice(4))
    expect((await api.ask('POST', `/webhooks/${ids[0]}/disable`)).body.state).toBe('disabled')
    expect((await api.ask('POST', `/webhooks/${ids[0]}/resend`)).status).toBe(409)
    expect((await api.ask('POST', `/webhooks/${ids[0]}/test`)).status).toBe(200)
    expect((await api.ask('POST', `/webhooks/${ids[0]}/enable`)).body.state).toBe('working')
    for (const id of ids) expect((await api.ask('DELETE', `/webhooks/${id}`)).status).toBe(200)

    const without = await useService({ sql, ...database }, { webhookKeys: [] })
    const refused = await ApiProgram.withToken(without, (await aToken(sql, ada)).token).ask('POST', '/webhooks', {
      program: 'rent',
      url,
    })
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('Set WEBHOOK_KEYS')])
    const there = await new ConsoleVisitor(without).signIn(ada.email)
    expect(noticesOf(await there.page(base))).toEqual(['no-keys'])
  })

  test('shows a program administrator only those of their programs, read-only, and an auditor all', async () => {
    const ours = await hooks.endpoint('https://127.0.0.1/ours')
    const theirs = await hooks.endpoint('https://127.0.0.1/theirs')
    const paula = await aPerson(sql, { role: 'PROGRAM_ADMINISTRATOR', programs: [ours.program.slug] })
    const limited = ApiProgram.withToken(service, (await aToken(sql, paula)).token)
    const seen = async (as: ApiProgram, query = '') =>
      (await as.ask('GET', `/webhooks${query}`)).body.items.map((item: { slug: string; url: string }) => [
        item.slug,
        item.url,
      ])
    expect(await seen(limited)).toEqual([[ours.program.slug, 'https://127.0.0.1/ours']])
    expect(await seen(limited, `?program=${theirs.program.slug}`)).toEqual([])
    expect((await limited.ask('GET', `/webhooks/${ours.id}`)).status).toBe(200)
    expect((await limited.ask('GET', `/webhooks/${theirs.id}`)).status).toBe(404)
    expect((await limited.ask('POST', `/webhooks/${ours.id}/test`)).status).toBe(403)
    expect([
      await countWebhooks(sql, [ours.program.program_id]),
      await countWebhooks(
        sql,
        [ours, theirs].map(item => item.program.program_id),
      ),
    ]).toEqual([{ working: 1 }, { working: 2 }])
    const auditor = await aPerson(sql, { role: 'AUDITOR' })
    const all = ApiProgram.withToken(service, (await aToken(sql, auditor)).token)
    expect(await seen(all)).toEqual(
      expect.arrayContaining([ours, theirs].map(({ program: { slug } }) => [slug, expect.any(String)])),
    )
    for (const { id } of [ours, theirs]) await api.ask('DELETE', `/webhooks/${id}`)
  })
})
