// That a page of the console's list of applications is read from an index that answers every filter, whatever PostgreSQL knows of the
// table, so that it takes no longer in a program of 300,000. The statements are those the service sends, taken from the wire.

import { beforeAll, describe, expect, test } from 'bun:test'
import { readStoredNames, readVersionsOf } from '../../src/db/applications/applicant-names.ts'
import { aPerson, ConsoleVisitor } from '../support/console.ts'
import { useDatabase, usePool, useService } from '../support/fixtures.ts'
import { forgetStatistics, inShort, type PlanNode, planModes, planOf } from '../support/query-plans.ts'
import { insertRawApplications, insertRawProgram, multiplyApplications } from '../support/raw-applications.ts'
import { type RecordedStatement, useRecorder } from '../support/statement-recorder.ts'

const database = await useDatabase()
const { sql } = database
const { recorder, recorded } = await useRecorder(database.url)
const explaining = usePool({ url: database.url, connectionsMax: 1 })
const service = await useService(database, {}, { consoleDb: recorded })
const ada = await aPerson(sql)
const applicationsPerProgram = 5000
let browser: ConsoleVisitor
let applicant: number

beforeAll(async () => {
  for (const table of ['application', 'application_words', 'applicant', 'program', 'submission_counter'])
    await sql`alter table ${sql(table)} set (autovacuum_enabled = false)`
  for (const slug of ['one', 'two', 'three'])
    await insertRawApplications(sql, await insertRawProgram(sql, slug), 1, () => 'x'.repeat(1000))
  await multiplyApplications(sql, applicationsPerProgram)
  // Nearly all of a program were given one status, a few another, and none the third.
  await sql`
    update application
    set status = case when submit_seq % 1000 = 0 then 'Rare' else 'Common' end, status_last_modified_time = now()
    where program_id in (select program_id from program where slug = 'two')`
  await sql`
    insert into application_annotation (program_id, application_id, changed_at, changed_by, status)
    select program_id, application_id, now(), 'test', status from application`
  applicant = (await sql<{ applicant_id: number }[]>`select max(applicant_id) as applicant_id from application`)[0]!
    .applicant_id
  browser = await new ConsoleVisitor(service).signIn(ada.email)
})

const combinations = (filters: Record<string, readonly string[]>): string[] =>
  Object.entries(filters).reduce<string[]>(
    (all, [name, values]) =>
      all.flatMap(item => values.map(value => (value === '' ? item : `${item}&${name}=${encodeURIComponent(value)}`))),
    [''],
  )
const place = `${1_700_003_000_000_000}-3000`
const searches = combinations({
  from: ['', '2023-11-14'],
  to: ['', '2023-11-16'],
  status: ['', 'none', 'is:Common', 'is:Rare', 'is:Gone'],
  revision: ['', 'CURRENT', 'OBSOLETE'],
}).flatMap(search => ['', `&older=${place}`, `&newer=${place}`].map(end => search + end))

/** The statement that reads the list, of each page. */
async function listed(search: string): Promise<RecordedStatement> {
  recorder.clear()
  await browser.page(`/admin/programs/two/applications?${search}`)
  const found = recorder.statements.find(({ text }) => /is_own_name\s+from/.test(text))
  if (found === undefined) throw new Error(`the list was not read for ${search}`)
  return found
}

describe.each(['never analyzed', 'analyzed', 'analyzed before there was any status'])(
  '15,000 applications, %s',
  knowledge => {
    beforeAll(async () => {
      if (knowledge === 'never analyzed') await forgetStatistics(sql)
      else if (knowledge === 'analyzed') await sql`analyze`
      else {
        await sql.begin(async tx => {
          await tx`update application set status = null`
          await tx`analyze application`
        })
        await sql`
        update application
        set status = case when submit_seq % 1000 = 0 then 'Rare' else 'Common' end, status_last_modified_time = now()
        where program_id in (select program_id from program where slug = 'two')`
      }
    })

    test.each(planModes)(
      'lists by time read one index in order, and lists by state another in lanes, with no rows filtered out (%s)',
      async mode => {
        const otherwise: unknown[] = []
        for (const search of searches) {
          const nodes = await planOf(explaining, await listed(search), mode)
          const direction = search.includes('newer=') ? 'Forward' : 'Backward'
          const isLaned = /status=|revision=/.test(search)
          const index = isLaned ? 'application_by_state' : 'application_walk'
          const read = nodes.filter(node => node['Relation Name'] === 'application')
          const isWalked =
            read.every(node => node['Index Name'] === index && node.Filter === undefined) &&
            read.some(node => node['Scan Direction'] === direction)
          if (!isWalked || (!isLaned && inShort(nodes) !== `Index Scan ${direction} ${index}`))
            otherwise.push({ search, plan: inShort(nodes) })
        }
        expect(otherwise).toEqual([])
        expect(searches.length).toBe(180)
      },
    )

    test.each(planModes)('an applicant and an application are found by their own indexes (%s)', async mode => {
      for (const [search, ...indexes] of [
        [`applicant=${applicant}`, 'application_by_applicant'],
        [`applicant=${applicant}&status=none&revision=CURRENT`, 'application_by_applicant'],
        ['application=7', 'application_pkey'],
        [`applicant=${applicant}&q=maria`, 'application_by_applicant', 'application_words_pkey'],
        ['application=7&q=2065', 'application_pkey', 'application_words_pkey'],
      ] as const) {
        const plan = await planOf(explaining, await listed(search), mode)
        const read = plan.filter(node => node['Index Name'] !== undefined || node['Node Type'] === 'Seq Scan')
        expect([search, ...read.map(node => node['Index Name'])]).toEqual([search, ...indexes])
      }
    })

    test.each(planModes)('names to sort by are looked up by their own index (%s)', async mode => {
      const ids = Array.from({ length: 1000 }, (_, i) => i + 1)
      const [{ program_id }] = (await sql`select program_id from program where slug = 'two'`) as unknown as [
        { program_id: number },
      ]
      recorder.clear()
      await readVersionsOf(recorded, program_id, ids)
      await readStoredNames(
        recorded,
        program_id,
        ids.map(application_id => ({ application_id, question_key: 'name' })),
      )
      const read: unknown[] = []
      for (const statement of [...recorder.statements]) {
        const plan = await planOf(explaining, statement, mode)
        const isRead = (node: PlanNode) => node['Index Name'] !== undefined || node['Node Type'] === 'Seq Scan'
        read.push(plan.filter(isRead).map(node => node['Index Name']))
      }
      expect(read).toEqual([['application_pkey'], ['application_pkey']])
    })

    test.each(planModes)('words and numbers are found in the table of words, without a full scan (%s)', async mode => {
      for (const search of [
        'q=maria',
        'q=maria.l',
        'q=o',
        `q=maria&older=${place}`,
        `q=maria&newer=${place}-own`,
        'q=%E5%BC%A0%E4%BC%9F',
        'q=maria+lopez&status=none&revision=CURRENT&from=2023-11-14',
        'q=2065',
      ]) {
        await listed(search)
        const steps = recorder.statements.filter(({ text }) => /is_own_name\s+from/.test(text))
        const read: string[] = []
        // As the search has it.
        await explaining`set enable_seqscan = off`
        for (const step of steps) {
          const nodes = await planOf(explaining, step, mode)
          read.push(...nodes.map(node => node['Index Name'] ?? node['Node Type']))
        }
        await explaining`set enable_seqscan = on`
        expect(read).toContain('application_by_word')
        expect(read).not.toContain('Seq Scan')
        // Half of its steps read the nearest alone.
        expect(steps.filter(({ text }) => /limit \$\d+\s+\) nearest/.test(text)).length).toBe(
          search === 'q=2065' ? 0 : steps.length / 2,
        )
      }
    })

    test.each(planModes)('the page of an application scans no whole table (%s)', async mode => {
      const [{ application_id }] =
        (await sql`select application_id from application order by submit_seq limit 1 offset 900`) as unknown as [
          { application_id: number },
        ]
      const [{ slug }] =
        (await sql`select slug from application join program using (program_id) where application_id = ${application_id}`) as unknown as [
          { slug: string },
        ]
      recorder.clear()
      await browser.page(`/admin/programs/${slug}/applications/${application_id}`)
      const statements = recorder.statements.filter(({ text }) =>
        /from application\b|from application_annotation\b/.test(text),
      )
      expect(statements.length).toBeGreaterThan(5)
      for (const statement of statements)
        expect(inShort(await planOf(explaining, statement, mode))).not.toMatch(
          /Seq Scan on application|Seq Scan application/,
        )
    })
  },
)
