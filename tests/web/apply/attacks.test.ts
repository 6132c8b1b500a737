// What a stranger tries on applicants' pages.

import { expect, onTestFinished, spyOn, test } from 'bun:test'
import { connect } from 'node:net'
import { frontEndError } from '../../../src/core/keys/api-key-draft.ts'
import { wrongCodesMax } from '../../../src/web/apply/apply-limits.ts'
import { bodyArrivalMs } from '../../../src/web/http/server/in-time.ts'
import { Applicant } from '../../support/applicant.ts'
import { noticesOf } from '../../support/console.ts'
import { endWithTest, useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { until } from '../../support/until.ts'

const database = await useDatabase()
const service = await useService(database, { apply: true })
const { sql } = database
await aProgram(sql, { slug: 'aid', questions: [q.text('reason'), q.text('more', { optional: true })] })
const other = 'https://attacker.example'

/** An applicant who has saved an answer. */
async function whoApplies(reason = 'Rent'): Promise<Applicant> {
  const applicant = new Applicant(service)
  await applicant.open('/apply/aid/screens/1')
  await applicant.fill({ '/reason/text': reason })
  return applicant
}

const saved = async () =>
  (await sql<{ answers: string }[]>`select answers from application_in_progress`).map(({ answers }) => answers).join()

test('wrong, expired and malformed codes get the same response, and are counted by address', async () => {
  const ann = await whoApplies()
  const { code } = ann
  await sql`update apply_code set expires_at = now() - interval '1 second'`
  const service = await useService(database, { apply: true }, {}, endWithTest)
  const guesser = new Applicant(service)
  const bodies = new Set<string>()
  for (const guess of [code, 'KRTP-4M7X-9QHD', '', 'x'.repeat(5000), "' or 1=1 --"]) {
    await guesser.open('/apply/-/return')
    await guesser.fill({ code: guess }, {}, 'name="code"')
    expect(guesser.page.status).toBe(400)
    bodies.add(guesser.page.html.replace(/value="[^"]*"|value(?=[ />])/g, ''))
  }
  expect(bodies.size).toBe(1)
  await sql`update apply_code set expires_at = now() + interval '1 day'`
  for (let i = 5; i < wrongCodesMax; i++) await guesser.fill({ code: 'KRTP-4M7X-9QHD' }, {}, 'name="code"')
  expect(guesser.page.status).toBe(400)
  // The right one too, so that nothing is learned.
  await guesser.fill({ code }, {}, 'name="code"')
  expect([guesser.page.status, guesser.cookies.size]).toEqual([429, 0])
  expect(Number(guesser.page.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('a right code is accepted in any spelling, and not counted', async () => {
  const service = await useService(database, { apply: true }, {}, endWithTest)
  const ann = await whoApplies('Mine')
  const written = ` ${ann.code.toLowerCase().replaceAll('-', ' ')}`
  for (let i = 0; i <= wrongCodesMax; i++) {
    const phone = new Applicant(service)
    await phone.open('/apply/-/return')
    await phone.fill({ code: written }, {}, 'name="code"')
    expect(phone.page.path).toBe('/apply/-/applications')
  }
})

test('a code that could not be looked up is not counted as a wrong one', async () => {
  const service = await useService(database, { apply: true }, {}, endWithTest)
  const { code } = await whoApplies('Looked up later')
  const phone = new Applicant(service)
  await sql`alter table apply_code rename to apply_code_away`
  try {
    for (let i = 0; i <= wrongCodesMax; i++) {
      await phone.open('/apply/-/return')
      await phone.fill({ code }, {}, 'name="code"')
      expect(phone.page.status).toBeGreaterThanOrEqual(500)
    }
  } finally {
    await sql`alter table apply_code_away rename to apply_code`
  }
  await phone.open('/apply/-/return')
  await phone.fill({ code }, {}, 'name="code"')
  expect(phone.page.path).toBe('/apply/-/applications')
})

test.each(['form', 'form with files'])('a %s that trickles in ends at its deadline and saves nothing', async what => {
  // Of one minute, which passes sooner here.
  const wait = globalThis.setTimeout
  const sooner = (done: () => void, ms?: number) => wait(done, ms === bodyArrivalMs ? 500 : ms)
  const clock = spyOn(globalThis, 'setTimeout').mockImplementation(sooner as typeof setTimeout)
  onTestFinished(() => clock.mockRestore())
  const config = { apply: true, filesDir: { folder: await useFolder(endWithTest) }, uploadMsMax: 500 }
  const slow = await useService(database, config, {}, endWithTest)
  const type = what === 'form' ? 'application/x-www-form-urlencoded' : 'multipart/form-data; boundary=x'
  const head = `POST /apply/aid/screens/1 HTTP/1.1\r\nHost: 127.0.0.1:${slow.port}\r\nOrigin: ${slow.baseUrl}\r\nContent-Type: ${type}\r\nContent-Length: 100000\r\n\r\n`
  const before = await saved()
  const socket = connect(slow.port, '127.0.0.1')
  let heard = ''
  socket.on('data', bytes => (heard += bytes))
  socket.on('error', () => {})
  socket.write(head)
  socket.write(
    what === 'form'
      ? 'go=next&%2Freason%2Ftext='
      : '--x\r\nContent-Disposition: form-data; name="/reason/text"\r\n\r\n',
  )
  const drip = setInterval(() => socket.write('x'), 20)
  onTestFinished(() => {
    clearInterval(drip)
    socket.destroy()
  })
  const begun = performance.now()
  await until('a response', () => heard.startsWith('HTTP/1.1 400'))
  expect(performance.now() - begun).toBeGreaterThan(400)
  expect(await saved()).toBe(before)
  // Others are served meanwhile, and after it.
  expect((await slow.get('/apply/aid')).status).toBe(200)
})

test('a form from another site, without its token or with that of another session changes nothing', async () => {
  const [ann, bob] = [await whoApplies('Hers'), await whoApplies('His')]
  const before = await saved()
  await ann.open('/apply/aid/screens/1')
  await bob.open('/apply/aid/screens/1')
  const { action, fields } = ann.fieldsOf()
  fields.set('/reason/text', 'Forged')
  fields.set('go', 'next')
  const without = new URLSearchParams(fields)
  without.delete('csrf')
  for (const sent of [
    await ann.post(action, fields, { Origin: other }),
    await ann.post(action, fields, { 'Sec-Fetch-Site': 'cross-site' }),
    await ann.post(action, without),
    await bob.post(action, fields),
    await ann.send(action, {
      method: 'POST',
      body: 'go=next',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    }),
  ])
    expect(sent.status).toBe(403)
  expect(await saved()).toBe(before)
})

test('a session sees only its own applicant, and nothing after it has ended', async () => {
  const ann = await whoApplies('Secret reason')
  const bob = await whoApplies('Other')
  for (const path of [
    '/apply/aid',
    '/apply/aid/check',
    '/apply/aid/screens/1',
    '/apply/-/applications',
    '/apply/aid/received',
  ])
    expect((await bob.open(path)).html).not.toContain('Secret reason')
  const kept = ann.window()
  await ann.fill({}, {}, '/apply/-/finish')
  expect([noticesOf(ann.page.html), [...ann.cookies.keys()]]).toEqual([['finished'], []])
  // The cookie is worth nothing to who copied it.
  expect((await kept.open('/apply/aid/check')).html).not.toContain('Secret reason')
  expect((await kept.open('/apply/-/code')).path).toBe('/apply/-/return?ended=1')
})

test('an idle session ends, and its code still opens the answers', async () => {
  let now = Date.now() * 1000
  const idle = await useService(database, { apply: true, applyIdleMs: 60_000 }, { now: () => now }, endWithTest)
  const ann = new Applicant(idle)
  await ann.open('/apply/aid/screens/1')
  await ann.fill({ '/reason/text': 'Patience' })
  const { code } = ann
  now += 59_000_000
  expect((await ann.open('/apply/aid/check')).html).toContain('Patience')
  await ann.open('/apply/aid/screens/1')
  now += 60_000_000
  // What is typed after that waits for the code, and makes nobody of a stranger.
  await ann.fill({ '/reason/text': 'Typed late' })
  const late = ann.page
  expect([ann.page.status, noticesOf(ann.page.html)]).toEqual([403, ['ended']])
  await ann.open('/apply/aid/check')
  expect([ann.page.path, ann.page.html.includes('Patience')]).toEqual(['/apply/-/return?ended=1', false])
  ann.page = late
  await ann.fill({ code: 'BCDF-2345-GHJK' }, {}, 'name="code"')
  expect(ann.page.status).toBe(400)
  await ann.fill({ code }, {}, 'name="code"')
  expect(ann.page.html).toContain('value="Typed late"')
  expect((await ann.open('/apply/aid/check')).html).toContain('Patience')
})

test('input is shown as text, on every page and in every language', async () => {
  const script = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
  const ann = await whoApplies(script)
  for (const path of ['/apply/aid/screens/1', '/apply/aid/check']) {
    const { html, headers } = await ann.open(path)
    expect(html).not.toMatch(/<script>|<img/)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  }
})

test('bodies that are too long, have too many fields or another type are refused', async () => {
  const ann = await whoApplies()
  await ann.open('/apply/aid/screens/1')
  const { action, fields } = ann.fieldsOf()
  const long = new URLSearchParams(fields)
  long.set('/reason/text', 'x'.repeat(10_000_000))
  expect((await ann.post(action, long)).status).toBe(413)
  const many = new URLSearchParams(fields)
  for (let i = 0; i < 20_000; i++) many.append('a', '')
  expect((await ann.post(action, many)).status).toBe(413)
  expect((await ann.post(action, fields, { 'Content-Type': 'application/json' })).status).toBe(415)
  const nul = new URLSearchParams(fields)
  nul.set('/reason/text', '\0')
  expect((await ann.post(action, nul)).status).toBe(400)
})

test('fields that a page does not have save nothing', async () => {
  const ann = await whoApplies('Kept')
  await ann.open('/apply/aid/screens/1')
  await ann.fill({
    '/reason/text': 'New',
    '/__proto__/text': 'x',
    '/constructor/prototype': 'x',
    '/more/text': '',
    '/nobody/entities/0/entity_name': 'x',
    shown: '/reason /more /__proto__ /constructor /nobody ../../etc',
  })
  expect(ann.page.path).toBe('/apply/aid/check')
  expect(await saved()).toContain('"text":"New"')
})

test('codes, sessions and answers are in no log, and the database has neither codes nor cookies', async () => {
  const ann = await whoApplies('Unlogged reason')
  const { code } = ann
  const [token] = [...ann.cookies.values()]
  await ann.open('/apply/aid/check')
  await ann.submit()
  for (const secret of [code, code.replaceAll('-', ''), token!, 'Unlogged reason'])
    expect(service.logText()).not.toContain(secret)
  const stored =
    await sql`select encode(code_hash, 'escape') as a, encode(sealed_code, 'escape') as b, encode(token_hash, 'escape') as c from apply_code join apply_session using (applicant_id)`
  expect(JSON.stringify(stored)).not.toContain(code)
  const audited = JSON.stringify(await sql`select actor, action, detail from audit_event`)
  expect(audited).not.toMatch(/Unlogged|reason/)
})

test('no API key reaches these applicants or can name their front end', async () => {
  await whoApplies('Private')
  const [{ applicant_id }] = await sql<
    [{ applicant_id: number }]
  >`select max(applicant_id) as applicant_id from applicant`
  const key = await createTestKey(sql, { programs: ['aid'], maySubmit: true })
  const path = `/intake/v1/programs/aid/applicants/${applicant_id}/answers`
  expect((await service.get(path, { headers: { Authorization: key.authorization } })).status).toBe(404)
  expect(frontEndError(' Tributary/Apply')).toBeString()
})

test('without APPLY, the routes do not exist', async () => {
  const off = await useService(database, {}, {}, endWithTest)
  for (const path of ['/apply', '/apply/aid', '/apply/-/return', '/apply/-/assets/apply.css'])
    expect((await off.get(path)).status).toBe(404)
})
