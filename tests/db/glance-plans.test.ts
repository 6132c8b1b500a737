// That the start of the console and the overview of a program read no table of applications from end to end, whatever PostgreSQL knows of
// it: each statement walks an index and stops. The statements are those the service sends, taken from the wire.

import { beforeAll, describe, expect, test } from 'bun:test'
import { aPerson, ConsoleVisitor } from '../support/console.ts'
import { useDatabase, usePool, useService } from '../support/fixtures.ts'
import { forgetStatistics, planModes, planOf } from '../support/query-plans.ts'
import { insertRawApplications, insertRawProgram, multiplyApplications } from '../support/raw-applications.ts'
import { useRecorder } from '../support/statement-recorder.ts'

const database = await useDatabase()
const { sql } = database
const { recorder, recorded } = await useRecorder(database.url)
const explaining = usePool({ url: database.url, connectionsMax: 1 })
const service = await useService(database, {}, { consoleDb: recorded })
let browser: ConsoleVisitor

beforeAll(async () => {
  for (const table of ['application', 'applicant', 'program', 'submission_counter'])
    await sql`alter table ${sql(table)} set (autovacuum_enabled = false)`
  for (const slug of ['one', 'two', 'three'])
    await insertRawApplications(sql, await insertRawProgram(sql, slug), 1, () => 'x'.repeat(1000))
  await multiplyApplications(sql, 5000)
  await sql`
    update application
    set status = case when submit_seq % 3 = 0 then 'Rare' else 'Common' end, status_last_modified_time = now()
    where program_id in (select program_id from program where slug = 'two')`
  browser = await new ConsoleVisitor(service).signIn((await aPerson(sql)).email)
})

describe.each(['never analyzed', 'analyzed'])('15,000 applications, %s', knowledge => {
  beforeAll(async () => {
    if (knowledge === 'analyzed') await sql`analyze`
    else await forgetStatistics(sql)
  })

  test.each(planModes)('submissions of 30 days and counts by status are read from indexes (%s)', async mode => {
    for (const path of ['/admin', '/admin/programs/two']) {
      recorder.clear()
      await browser.page(path)
      const asked = recorder.statements.filter(({ text }) => /from application\b/.test(text))
      expect(asked.length).toBe(path === '/admin' ? 8 : 5)
      for (const statement of asked) {
        const nodes = await planOf(explaining, statement, mode)
        const read = nodes.filter(node => node['Relation Name'] === 'application').map(node => node['Index Name'])
        const index = /submit_time at time zone|submission_counter|application_annotation/.test(statement.text)
          ? 'application_walk'
          : 'application_by_state'
        expect([...new Set(read)]).toEqual([index])
        if (index === 'application_by_state')
          expect(nodes.filter(node => node.Filter?.includes('superseded'))).toEqual([])
      }
    }
  })

  test('a page sends one statement for everything that needs attention, and it reads only an index of applications', async () => {
    recorder.clear()
    await browser.page('/admin/settings')
    const asked = recorder.statements.filter(({ text }) => text.includes('program_reader'))
    expect(asked.length).toBe(1)
    const nodes = await planOf(explaining, asked[0]!, 'force_generic_plan')
    const read = nodes.filter(node => node['Relation Name'] === 'application').map(node => node['Index Name'])
    expect(read).toEqual(['application_walk'])
  })

  test('only requests for pages read what needs attention', async () => {
    const browser = await new ConsoleVisitor(service).signIn((await aPerson(sql)).email)
    const csrf = await browser.csrf()
    const asking: [requests: () => Promise<Response>, status: number, statements: number][] = [
      [() => browser.get('/docs/api/programs'), 200, 1],
      [() => browser.get('/docs/api/programs', { Accept: 'application/json' }), 200, 0],
      [() => browser.get('/admin/keys/none/issued'), 404, 0],
      [() => browser.post('/admin/sign-out', { csrf }, { Origin: 'https://example.org' }), 403, 0],
      [() => browser.post('/admin/keys/new', { csrf }), 400, 1],
      [() => browser.post('/admin/sign-out', { csrf }), 303, 0],
    ]
    for (const [request, status, statements] of asking) {
      recorder.clear()
      expect((await request()).status).toBe(status)
      expect(recorder.statements.filter(({ text }) => text.includes('program_reader')).length).toBe(statements)
    }
  })
})
