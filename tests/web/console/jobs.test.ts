// The jobs in the console: what is missing, under way, failed and why, and asking for it again (G12: exports wait for none of it).

import { expect, test } from 'bun:test'
import { docsCodeVersion } from '../../../src/core/derived/program-docs.ts'
import { upsertDerived } from '../../../src/db/derived/derived-content.ts'
import { beginRun, failRun, requestDerived } from '../../../src/db/derived/derived-status.ts'
import { insertJobRun } from '../../../src/db/derived/job-runs.ts'
import { aPerson, ConsoleVisitor, noticesOf } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../../support/held-transaction.ts'
import { aComputedProgram as aProgram } from '../../support/programs.ts'
import { until } from '../../support/until.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database)
const food = await aProgram(sql, { slug: 'food' })
await aProgram(sql, { slug: 'rent' })
const ada = await aPerson(sql, { name: 'Ada Administrator' })
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const thing = { job_name: 'refresh-docs-example', program_version_id: food.program_version_id }
const actions = async () =>
  (await sql<{ action: string }[]>`select action from audit_event where actor = ${`admin:${ada.email}`}`).map(
    ({ action }) => action,
  )

async function fail(error: string): Promise<void> {
  await requestDerived(sql, [thing])
  const request = await beginRun(sql, thing, 1)
  await failRun(sql, thing, { request, error, final: true })
}

test('a failed job shows its error as text, and requesting it again is recorded, in the outbox and in the audit log', async () => {
  await fail('<script>alert(1)</script> broke')
  const page = await browser.page('/admin/jobs')
  expect(page).toContain('&lt;script>alert(1)&lt;/script> broke')
  expect(page).not.toContain('<script>alert')
  expect(noticesOf(page)).toContain('failed')
  await sql`delete from outbox`
  const form = { job: thing.job_name, version: String(thing.program_version_id), after: 'fa' }
  // It has not failed any more for the second of two at once.
  const release = await holdTransaction(sql, tx => tx`lock table outbox in share mode`)
  const both = Promise.all([1, 2].map(() => browser.post('/admin/jobs/retry', form)))
  await until('both to wait', async () => (await waitingForLocks(sql)) === 2)
  await release()
  const [retried, refused] = (await both).toSorted((a, b) => a.status - b.status)
  expect([retried!.status, retried!.headers.get('location')]).toEqual([303, '/admin/jobs?after=fa&done=retried'])
  expect(refused!.status).toBe(404)
  const [row] = await sql`
    select state from derived_status where job_name = ${thing.job_name} and program_version_id = ${thing.program_version_id}`
  expect(row!.state).toBe('queued')
  expect(await sql`select from outbox where job_name = ${thing.job_name}`).toHaveLength(1)
  expect(await actions()).toContain('job_retried')
  expect(noticesOf(await browser.page('/admin/jobs?done=retried'))).toContain('retried')
})

test('docs are requested again for one program or all', async () => {
  await sql`delete from outbox`
  expect((await browser.post('/admin/jobs/regenerate', { program: 'food' })).status).toBe(303)
  expect(await sql`select from outbox`).toHaveLength(1)
  expect((await browser.post('/admin/jobs/regenerate', { program: '' })).status).toBe(303)
  const documented = await sql`select from program_version where state in ('ACTIVE', 'DRAFT')`
  expect(await sql`select from outbox`).toHaveLength(1 + documented.length)
  expect((await browser.post('/admin/jobs/regenerate', { program: 'nowhere' })).status).toBe(404)
  expect(await actions()).toContain('docs_regeneration_asked')
})

test('jobs that wait in the outbox are shown', async () => {
  await sql`delete from outbox`
  expect(noticesOf(await browser.page('/admin/jobs'))).not.toContain('late')
  await browser.post('/admin/jobs/regenerate', { program: '' })
  await sql`update outbox set created_at = now() - interval '1 hour'`
  await sql`delete from derived_status`
  const page = await browser.page('/admin/jobs')
  expect(noticesOf(page)).toContain('late')
  expect(page).toContain('1 hour ago')
  expect(page).toContain('data-under-way="yes"')
})

test('docs of an earlier release are marked as such', async () => {
  const keptOf = (release: number) =>
    upsertDerived(sql, 'docs_example', {
      program_version_id: food.program_version_id,
      code_version: docsCodeVersion + release,
      content: {},
      duration_ms: 1,
    })
  await keptOf(-1)
  const attention = (page: string): number => page.split('class="badge attention"').length
  const stale = attention(await browser.page('/admin/jobs'))
  await keptOf(1)
  const page = await browser.page('/admin/jobs')
  expect(attention(page)).toBe(stale - 1)
  expect(page).toMatch(/<a class="strong" href="\/admin\/programs\/[^"]+"/)
})

test('the last runs of each kind of job are on the page and in the API, with errors as text', async () => {
  const none = await browser.page('/admin/jobs')
  expect(none).not.toContain('id="runs-of-')
  const detail = '</span><script>alert(2)</script>'
  await insertJobRun(sql, { ...thing, duration_ms: 1500, outcome: 'failed', detail })
  await insertJobRun(sql, { ...thing, duration_ms: 20, outcome: 'done', detail: null })
  const gone = { webhook_endpoint_id: 4711, duration_ms: 3, outcome: 'failed', detail: 'timed_out' } as const
  await insertJobRun(sql, { job_name: 'deliver-webhook', ...gone })
  await insertJobRun(sql, { job_name: 'refresh-key-map', duration_ms: null, outcome: 'given_up', detail: 'stalled' })
  const page = await browser.page('/admin/jobs')
  expect([...page.matchAll(/id="runs-of-([a-z-]+)"/g)].map(([, job]) => job)).toEqual([
    'deliver-webhook',
    'refresh-docs-example',
    'refresh-key-map',
  ])
  const runs = page.slice(page.indexOf('id="runs"'))
  expect([...runs.matchAll(/class="badge ([a-z]+)"/g)].map(([, tone]) => tone)).toEqual(['bad', 'good', 'bad', 'bad'])
  expect(runs).toContain('&lt;/span>&lt;script>alert(2)')
  expect(runs).not.toContain('<script>alert')
  expect(runs).toContain('4711')
  const api = (await (await browser.get('/admin/api/v1/jobs')).json()) as { runs: { outcome: string; slug: string }[] }
  expect(api.runs.map(({ outcome, slug }) => [outcome, slug])).toEqual([
    ['failed', null!],
    ['done', 'food'],
    ['failed', 'food'],
    ['given_up', null!],
  ])
})

test('every program is on exactly one page, however many there are', async () => {
  await sql`insert into program (slug, display_name) select 'many-' || lpad(n::text, 3, '0'), 'Many' from generate_series(1, 120) n`
  await sql`
    insert into program_version (program_id, state, screens, display_name, statuses, created_by)
    select program_id, 'DRAFT', '[]', 'Many', '{}', 'test' from program where slug like 'many-%'`
  let [rows, said] = [0, 0]
  let next: string | undefined = '/admin/jobs?done=asked'
  while (next !== undefined) {
    const page: string = await browser.page(next)
    rows += page.match(/data-head="Program"/g)?.length ?? 0
    said += page.match(/data-notice="asked"/g)?.length ?? 0
    next = /rel="next" href="([^"]*)"/.exec(page)?.[1]
  }
  // Two active versions and 120 drafts.
  expect([rows, said]).toEqual([122, 1])
})
