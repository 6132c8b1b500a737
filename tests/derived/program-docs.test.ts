import { expect, test } from 'bun:test'
import { upsertDerived } from '../../src/db/derived-content.ts'
import { docsCodeVersion, loadProgramDocs, refreshDocsExample } from '../../src/derived/program-docs.ts'
import { publishDraft } from '../../src/programs/publish.ts'
import { useDatabase } from '../support/fixtures.ts'
import { aDraft, aProgram, q } from '../support/programs.ts'

const database = await useDatabase()

const later = 9_000_000_000_000_000
const load = (programId: number, timeZone = 'UTC') =>
  loadProgramDocs(database.sql, programId, { timeZone, now: () => later, hidden: new Set() })

interface KeptRow {
  code_version: number
  content: Record<string, unknown>
  produced_at: number
  duration_ms: number
}
const kept = async (programVersionId: number): Promise<KeptRow | undefined> => {
  const [row] = await database.sql<KeptRow[]>`
    select code_version, content, produced_at, duration_ms from docs_example
    where program_version_id = ${programVersionId}`
  return row
}
/** Puts a word into what is kept, by which to tell it from what is made again. */
const mark = async (programVersionId: number, changes: Partial<KeptRow> = {}): Promise<void> => {
  const row = (await kept(programVersionId))!
  const content = { ...row.content, display_name: 'kept', ...changes.content }
  await upsertDerived(database.sql, 'docs_example', {
    program_version_id: programVersionId,
    ...row,
    ...changes,
    content,
  })
}

test('nothing kept: docs are made on the spot, of the active version and the draft, and nothing is written', async () => {
  const program = await aProgram(database.sql, { slug: 'miss', questions: [q.text('miss one')] })
  const draft = await aDraft(database.sql, { slug: 'miss', questions: [q.date('miss two')] })
  const all = await load(program.program_id)
  expect(all).toMatchObject([
    { state: 'ACTIVE', generated_at: later, failed_at: null, docs: { program_version_id: program.program_version_id } },
    { state: 'DRAFT', generated_at: later, docs: { program_version_id: draft.program_version_id } },
  ])
  expect(all[1]!.docs.questions.map(question => [question.question_key, question.asked])).toEqual([
    ['miss_one', false],
    ['miss_two', true],
  ])
  expect(await kept(program.program_version_id)).toBeUndefined()
})

test('kept docs are shown as they were made, with the time they were made', async () => {
  const { program_id, program_version_id } = await aProgram(database.sql, {
    slug: 'kept',
    questions: [q.text('kept one')],
  })
  const [made] = await load(program_id)
  await refreshDocsExample(database.sql, program_version_id, { timeZone: 'UTC' })
  const [shown] = await load(program_id)
  expect(shown!.docs).toEqual(made!.docs)
  expect(shown!.generated_at).toBe((await kept(program_version_id))!.produced_at)
  await mark(program_version_id)
  expect((await load(program_id))[0]!.docs.display_name).toBe('kept')
})

test('what another release or another zone made is not shown, but made on the spot', async () => {
  const { program_id, program_version_id } = await aProgram(database.sql, {
    slug: 'stale',
    questions: [q.text('stale one')],
  })
  await refreshDocsExample(database.sql, program_version_id, { timeZone: 'UTC' })
  await mark(program_version_id)
  const [elsewhere] = await load(program_id, 'Asia/Kolkata')
  expect(elsewhere!.docs.display_name).toBe('Program stale')
  expect(elsewhere!.docs.example).toContain('+05:30')
  await mark(program_version_id, { code_version: docsCodeVersion + 1 })
  expect((await load(program_id))[0]!.docs.display_name).toBe('Program stale')
})

test('docs of a draft stay good when it is published: it is the same version', async () => {
  const { program_id } = await aProgram(database.sql, { slug: 'grown', questions: [q.text('grown one')] })
  const questions = [q.text('grown one'), q.text('grown two')]
  const draft = await aDraft(database.sql, { slug: 'grown', questions })
  await refreshDocsExample(database.sql, draft.program_version_id, { timeZone: 'UTC' })
  await mark(draft.program_version_id)
  await publishDraft(database.sql, 'grown', 'admin:test')
  const all = await load(program_id)
  expect(all).toMatchObject([
    { state: 'ACTIVE', docs: { program_version_id: draft.program_version_id, display_name: 'kept' } },
  ])
})

test('docs that were made before another version was published are stale', async () => {
  const program = await aProgram(database.sql, { slug: 'overtaken', questions: [q.text('overtaken one')] })
  const draft = await aDraft(database.sql, { slug: 'overtaken', questions: [q.text('overtaken two')] })
  await refreshDocsExample(database.sql, draft.program_version_id, { timeZone: 'UTC' })
  await mark(draft.program_version_id, { content: { changed_since: null } })
  const [, shown] = await load(program.program_id)
  expect(shown!.docs).toMatchObject({ display_name: 'Program overtaken', changed_since: program.program_version_id })
})

test('running the job twice is running it once', async () => {
  const { program_version_id } = await aProgram(database.sql, { slug: 'twice', questions: [q.text('twice one')] })
  await refreshDocsExample(database.sql, program_version_id, { timeZone: 'UTC' })
  const once = (await kept(program_version_id))!
  await refreshDocsExample(database.sql, program_version_id, { timeZone: 'UTC' })
  const again = (await kept(program_version_id))!
  expect(again.content).toEqual(once.content)
  expect(again.produced_at).toBeGreaterThan(once.produced_at)
})

test('a failed regeneration is told, and what was made before is still shown', async () => {
  const { program_id, program_version_id } = await aProgram(database.sql, {
    slug: 'failed',
    questions: [q.text('failed one')],
  })
  await refreshDocsExample(database.sql, program_version_id, { timeZone: 'UTC' })
  await mark(program_version_id)
  await database.sql`
    insert into derived_status (program_version_id, job_name, state, requested, last_error, updated_at)
    values (${program_version_id}, 'refresh-docs-example', 'failed', 1, 'no more paper', '2026-05-06T07:08:09Z')
    on conflict (program_version_id, job_name) do update
    set state = excluded.state, last_error = excluded.last_error, updated_at = excluded.updated_at, fulfilled = 0`
  const [shown] = await load(program_id)
  expect(shown).toMatchObject({ failed_at: Date.parse('2026-05-06T07:08:09Z') * 1000, docs: { display_name: 'kept' } })
})

test('the job for a version that is gone fails, and leaves nothing behind', async () => {
  await expect(refreshDocsExample(database.sql, 999_999, { timeZone: 'UTC' })).rejects.toMatchObject({
    kind: 'not_found',
  })
  expect(await kept(999_999)).toBeUndefined()
})
