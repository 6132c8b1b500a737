// The service is killed and PostgreSQL crashes while people apply: what a page said is saved is there afterwards, and each application once.

import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../scripts/processes/embedded-postgres.ts'
import { freePort } from '../../../scripts/processes/free-port.ts'
import { isAlive } from '../../../scripts/processes/is-alive.ts'
import { openDatabase } from '../../../src/db/client.ts'
import { prepareDatabase } from '../../../src/db/instance.ts'
import { Applicant } from '../../support/applicant.ts'
import { endWithFile, useFolder } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { endProcesses, startMain, type TestMain } from '../../support/processes.ts'
import { aProgram, q } from '../../support/programs.ts'
import { until } from '../../support/until.ts'

const people = 6
const slug = 'aid'
const dataDirectory = join(await useFolder(), 'pg')
/** Durable, as in production. */
const startPostgres = (port?: number): Promise<EmbeddedPostgres> => startEmbeddedPostgres({ dataDirectory, port })
let server = await startPostgres()
endWithFile(() => server.stop().catch(() => {}))
afterEach(endProcesses)

async function withSql<T>(use: (sql: ReturnType<typeof openDatabase>) => Promise<T>): Promise<T> {
  const sql = openDatabase({ url: server.url, connectionsMax: 4, applicationName: 'test' })
  try {
    return await use(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** One who changes an answer again and again: numbers of what was sent last, and of what a page said was saved. */
interface Person {
  browser: Applicant
  code: string
  sent: number
  saved: number
  received: string | undefined
}

test('with processes killed midway, no acknowledged answer is lost, and each application is there once', async () => {
  const key = await withSql(async sql => {
    await prepareDatabase(sql, 'UTC')
    await aProgram(sql, { slug, screens: [{ questions: [q.text('reason')] }, { questions: [q.text('more')] }] })
    return createTestKey(sql, { programs: [slug] })
  })
  const port = await freePort()
  const environment = { APPLY: 'on', PORT: String(port), TRUSTED_PROXIES: '127.0.0.0/8' }
  let main: TestMain = await startMain(server, environment)
  const baseUrl = `http://127.0.0.1:${port}`
  const service = {
    baseUrl,
    get: (path: string, init?: RequestInit) =>
      fetch(`${baseUrl}${path}`, { redirect: 'manual', signal: AbortSignal.timeout(10_000), ...init }),
  }
  const newBrowser = (i: number) => new Applicant(service, `10.0.0.${i + 1}`)
  const crowd = Array.from({ length: people }, (_, i): Person => {
    return { browser: newBrowser(i), code: '', sent: 0, saved: 0, received: undefined }
  })
  let failures = 0
  /** Tries until it works, as people do when a page does not come. */
  const patiently = async (act: () => Promise<boolean>): Promise<void> => {
    await until('a request to succeed', async () => {
      const worked = await act().catch(() => false)
      if (!worked) {
        failures++
        await Bun.sleep(100)
      }
      return worked
    })
  }
  let applying = true
  const answer = async (person: Person): Promise<void> =>
    patiently(async () => {
      const { browser } = person
      const { status, path } = await browser.open(`/apply/${slug}/screens/1`)
      if (status !== 200 || path !== `/apply/${slug}/screens/1`) return false
      const sent = ++person.sent
      const page = await browser.fill({ '/reason/text': String(sent) })
      if (page.status !== 200) return false
      if (browser.code !== '') person.code = browser.code
      person.saved = sent
      // Below the limit of forms in a minute.
      await Bun.sleep(100)
      return true
    })
  const all = Promise.all(
    crowd.map(async person => {
      while (applying) await answer(person)
    }),
  )
  const savedSoFar = () => crowd.reduce((sum, { saved }) => sum + saved, 0)
  const goOn = async () => {
    const before = savedSoFar()
    await until('answers to be saved', () => savedSoFar() >= before + 3 * people)
  }
  const killMain = async () => {
    main.child.kill('SIGKILL')
    await main.child.exited
    main = await startMain(server, environment)
  }
  const crashPostgres = async () => {
    // At once and without a checkpoint, as after a power cut.
    process.kill(server.pid, 'SIGQUIT')
    await until('PostgreSQL to be gone', () => !isAlive(server.pid))
    server = await startPostgres(server.port)
  }
  await goOn()
  await killMain()
  await goOn()
  await crashPostgres()
  await goOn()
  applying = false
  await all
  expect(failures).toBeGreaterThan(0)

  // Each on another device, and submitting while both go down again.
  const submitting = Promise.all(
    crowd.map(async (person, i) => {
      const phone = newBrowser(i)
      await patiently(async () => {
        await phone.open('/apply/-/return')
        await phone.fill({ code: person.code }, {}, 'name="code"')
        return phone.page.path === '/apply/-/applications' && phone.page.status === 200
      })
      await patiently(async () => (await phone.open(`/apply/${slug}/screens/1`)).html.includes('/reason/text'))
      const shown = Number(phone.fieldsOf().fields.get('/reason/text'))
      expect(shown).toBeWithin(person.saved, person.sent + 1)
      await patiently(async () => {
        await phone.open(`/apply/${slug}/screens/2`)
        return (await phone.fill({ '/more/text': `of ${i}` })).path === `/apply/${slug}/check`
      })
      await patiently(async () => {
        await phone.open(`/apply/${slug}/check`)
        const { html } = phone.page.html.includes('name="key"')
          ? await phone.submit()
          : await phone.open(`/apply/${slug}/received`)
        person.received = /data-application="(\d+)"/.exec(html)?.[1]
        return person.received !== undefined
      })
      return { id: Number(person.received), reason: String(shown), more: `of ${i}` }
    }),
  )
  await killMain()
  await crashPostgres()
  const confirmed = await submitting
  const headers = { Authorization: key.authorization }
  const exported = await service.get(`/api/v1/admin/programs/${slug}/applications`, { headers })
  const { payload } = (await exported.json()) as {
    payload: { application_id: number; application: Record<'reason' | 'more', { text: string }> }[]
  }
  const made = payload.map(({ application_id, application: { reason, more } }) => ({
    id: application_id,
    reason: reason.text,
    more: more.text,
  }))
  const byId = (one: { id: number }, other: { id: number }) => one.id - other.id
  expect(made.toSorted(byId)).toEqual(confirmed.toSorted(byId))
  console.log(`${savedSoFar()} answers saved, ${failures} requests failed`)
}, 120_000)
