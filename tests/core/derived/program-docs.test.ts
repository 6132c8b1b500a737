import { describe, expect, test } from 'bun:test'
import { replaceFollowedVersion } from '../../../src/civiform/db/followed-programs.ts'
import { docsCodeVersion, ProgramDocs, refreshDocsExample } from '../../../src/core/derived/program-docs.ts'
import { publishDraft } from '../../../src/core/programs/publish.ts'
import { upsertDerived } from '../../../src/db/derived/derived-content.ts'
import { readPublishedVersions } from '../../../src/db/programs/programs.ts'
import type { VersionDocs } from '../../../src/domain/samples/version-docs.ts'
import { useDatabase, usePool, useService } from '../../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../../support/held-transaction.ts'
import { createTestKey } from '../../support/keys.ts'
import { aDraft, aComputedProgram as aProgram, q } from '../../support/programs.ts'
import { useRecorder } from '../../support/statement-recorder.ts'
import { until } from '../../support/until.ts'

const database = await useDatabase()

const later = 9_000_000_000_000_000
const load = (programId: number, timeZone = 'UTC') =>
  new ProgramDocs({ timeZone }, () => later).load(database.sql, programId, new Set())

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
/** Puts a word into what is kept, which distinguishes it from what is generated again. */
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

test('without stored docs, those of the active version and the draft are generated on request and not stored', async () => {
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

test('stored docs are shown unchanged, with the time they were generated', async () => {
  for (const name of ['kept one', 'kept two']) await aProgram(database.sql, { slug: 'kept', questions: [q.text(name)] })
  const { program_id, program_version_id } = await aProgram(database.sql, {
    slug: 'kept',
    questions: [q.text('kept three')],
  })
  const [made] = await load(program_id)
  await refreshDocsExample(database.sql, program_version_id, { timeZone: 'UTC' })
  const [shown] = await load(program_id)
  expect(shown!.docs).toEqual(made!.docs)
  expect(shown!.generated_at).toBe((await kept(program_version_id))!.produced_at)
  await mark(program_version_id)
  expect((await load(program_id))[0]!.docs.display_name).toBe('kept')
})

test('docs from another release or other settings are not shown, but generated on request', async () => {
  const { program_id, program_version_id } = await aProgram(database.sql, {
    slug: 'stale',
    questions: [q.text('stale one')],
  })
  await refreshDocsExample(database.sql, program_version_id, { timeZone: 'UTC' })
  await mark(program_version_id)
  const [elsewhere] = await load(program_id, 'Asia/Kolkata')
  expect(elsewhere!.docs.display_name).toBe('Program stale')
  expect(elsewhere!.docs.example).toContain('+05:30')
  for (const other of [{ enumeratorDepthMax: 1 }, { exportProfile: 'origin' }] as const) {
    const docs = new ProgramDocs({ timeZone: 'UTC', ...other }, () => later)
    expect((await docs.load(database.sql, program_id, new Set()))[0]!.docs.display_name).toBe('Program stale')
  }
  await mark(program_version_id, { code_version: docsCodeVersion + 1 })
  expect((await load(program_id))[0]!.docs.display_name).toBe('Program stale')
})

test('docs of a draft stay valid when it is published, since it is the same version', async () => {
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

test('docs generated before another version was published are stale', async () => {
  const program = await aProgram(database.sql, { slug: 'overtaken', questions: [q.text('overtaken one')] })
  const draft = await aDraft(database.sql, { slug: 'overtaken', questions: [q.text('overtaken two')] })
  await refreshDocsExample(database.sql, draft.program_version_id, { timeZone: 'UTC' })
  await mark(draft.program_version_id, { content: { changed_since: null } })
  const [, shown] = await load(program.program_id)
  expect(shown!.docs).toMatchObject({ display_name: 'Program overtaken', changed_since: program.program_version_id })
})

test('running the job twice has the same result as once', async () => {
  const { program_version_id } = await aProgram(database.sql, { slug: 'twice', questions: [q.text('twice one')] })
  await refreshDocsExample(database.sql, program_version_id, { timeZone: 'UTC' })
  const once = (await kept(program_version_id))!
  await refreshDocsExample(database.sql, program_version_id, { timeZone: 'UTC' })
  const again = (await kept(program_version_id))!
  expect(again.content).toEqual(once.content)
  expect(again.produced_at).toBeGreaterThan(once.produced_at)
})

test('a failed regeneration is reported, and the earlier docs are still shown', async () => {
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

test('the job for a deleted version fails and leaves nothing behind', async () => {
  await expect(refreshDocsExample(database.sql, 999_999, { timeZone: 'UTC' })).rejects.toMatchObject({
    kind: 'not_found',
  })
  expect(await kept(999_999)).toBeUndefined()
})

describe('docs generated within a process', () => {
  const making = { timeZone: 'UTC' }
  const keysOf = (all: readonly { docs: VersionDocs }[]) =>
    all.map(({ docs }) => docs.questions.map(question => question.question_key))
  const idOf = async (adminName: string): Promise<number> => {
    const [row] = await database.sql<{ question_id: number }[]>`
      select question_id from question where admin_name = ${adminName}`
    return row!.question_id
  }
  /** A pool, and how often all versions of a program were read through it since: that is how often docs were made. */
  const counted = async () => {
    const { recorder, recorded } = await useRecorder(database.url, 5)
    const makings = () =>
      recorder.statements.filter(({ text }) => /published_at is not null\s+order by v\.published_at/.test(text)).length
    return { db: recorded, makings }
  }

  test('are generated once for concurrent and later requests', async () => {
    const { program_id } = await aProgram(database.sql, {
      slug: 'asked-at-once',
      questions: [q.text('once seen'), q.text('once hidden')],
    })
    const hidden = new Set([await idOf('once hidden')])
    const { db, makings } = await counted()
    const docs = new ProgramDocs(making, () => later)
    const [first, ...rest] = await Promise.all(Array.from({ length: 20 }, () => docs.load(db, program_id, hidden)))
    expect(keysOf(first!)).toEqual([['once_seen']])
    for (const other of rest) expect(other).toEqual(first!)
    const listed = await docs.loadShortExamples(db, [program_id], hidden)
    expect(listed.get(program_id)![0]!.example).toEqual(first![0]!.docs.short_example)
    expect(makings()).toBe(1)
  })

  test('do not depend on earlier or later publications or on other readers', async () => {
    const questions = [q.text('reported one'), q.text('reported two'), q.text('reported three')]
    const { program_id } = await aProgram(database.sql, { slug: 'reported-apart', questions: questions.slice(0, 2) })
    const views = [new Set<number>(), new Set([await idOf('reported one')]), new Set([await idOf('reported two')])]
    const kept = new ProgramDocs(making, () => later)
    const seen = async () => {
      const all = []
      for (const hidden of views) {
        const shown = await kept.load(database.sql, program_id, hidden)
        expect(shown).toEqual(await new ProgramDocs(making, () => later).load(database.sql, program_id, hidden))
        expect(await kept.load(database.sql, program_id, hidden)).toEqual(shown)
        all.push(keysOf(shown))
      }
      return all
    }
    expect(await seen()).toEqual([[['reported_one', 'reported_two']], [['reported_two']], [['reported_one']]])
    await aDraft(database.sql, { slug: 'reported-apart', questions })
    const drafted = await seen()
    expect(drafted[1]).toEqual([['reported_two'], ['reported_two', 'reported_three']])
    await aDraft(database.sql, { slug: 'reported-apart', questions: questions.slice(0, 1) })
    expect((await seen())[1]).toEqual([['reported_two'], ['reported_two']])
    await aDraft(database.sql, { slug: 'reported-apart', questions })
    await publishDraft(database.sql, 'reported-apart', 'admin:test')
    expect(await seen()).toEqual([
      [['reported_one', 'reported_two', 'reported_three']],
      [['reported_two', 'reported_three']],
      [['reported_one', 'reported_three']],
    ])
    // A followed CiviForm replaces a version in place: the active one stays what it was, and what was asked before it is another thing.
    // So does a draft.
    await aDraft(database.sql, { slug: 'reported-apart', questions: questions.slice(2) })
    await seen()
    const [before] = await readPublishedVersions(database.sql, program_id)
    const [reported] = before!.questions.filter(question => question.question_key === 'reported_two')
    const asks = (question: { question_id: number }) => question.question_id === reported!.question_id
    const screens = before!.screens.map(screen => ({ ...screen, questions: screen.questions.filter(asks) }))
    const content = { ...before!, screens, questions: [reported!] }
    await database.sql.begin(async tx => {
      await tx`set local session_replication_role = replica`
      await replaceFollowedVersion(tx, before!.program_version_id, program_id, content)
    })
    expect((await seen()).map(([active]) => active)).toEqual([
      ['reported_two', 'reported_one', 'reported_three'],
      ['reported_two', 'reported_three'],
      ['reported_one', 'reported_three'],
    ])
  })

  test('from the worker are used only for readers without hidden questions', async () => {
    const { program_id, program_version_id } = await aProgram(database.sql, {
      slug: 'kept-for-some',
      questions: [q.text('kept seen'), q.text('kept hidden')],
    })
    await refreshDocsExample(database.sql, program_version_id, making)
    const docs = new ProgramDocs(making, () => later)
    const hidden = new Set([await idOf('kept hidden')])
    for (const _ of ['made', 'kept in memory']) {
      expect(JSON.stringify(await docs.load(database.sql, program_id, new Set()))).toContain('kept_hidden')
      expect(JSON.stringify(await docs.load(database.sql, program_id, hidden))).not.toContain('kept_hidden')
    }
    const listed = await docs.loadShortExamples(database.sql, [program_id], hidden)
    expect(JSON.stringify(listed.get(program_id))).toContain('kept_seen')
    expect(JSON.stringify(listed.get(program_id))).not.toContain('kept_hidden')
  })

  test('are generated again after eviction or a failure', async () => {
    const [program, other] = [
      await aProgram(database.sql, { slug: 'room-one', questions: [q.text('room one')] }),
      await aProgram(database.sql, { slug: 'room-other', questions: [q.text('room other')] }),
    ]
    const hidden = new Set([await idOf('room other')])
    const { db, makings } = await counted()
    const [sized] = await load(program.program_id)
    const docs = new ProgramDocs(making, () => later, JSON.stringify(sized!.docs).length + 200)
    for (let i = 0; i < 20; i++) await docs.load(db, program.program_id, hidden)
    expect(makings()).toBe(1)
    await docs.load(db, other.program_id, hidden)
    await docs.load(db, program.program_id, hidden)
    expect(makings()).toBe(3)
    // What made room takes none any more.
    await docs.load(db, program.program_id, hidden)
    expect(makings()).toBe(3)
    let broken = true
    const failing = new ProgramDocs(making, () => {
      if (broken) throw new Error('no clock')
      return later
    })
    await expect(failing.load(db, program.program_id, hidden)).rejects.toThrow('no clock')
    broken = false
    expect(keysOf(await failing.load(db, program.program_id, hidden))).toEqual([['room_one']])
  })

  test('are generated one after another for a reader, so others get responses in between', async () => {
    const slugs = Array.from({ length: 12 }, (_, n) => `many-${n}`)
    for (const slug of slugs)
      await aProgram(database.sql, { slug, questions: [q.text('many seen'), q.text('many hidden')] })
    const service = await useService(database, {}, { db: usePool({ url: database.url, connectionsMax: 3 }) })
    const key = await createTestKey(database.sql, { programs: slugs, hiddenQuestions: ['many hidden'] })
    const other = await createTestKey(database.sql, { programs: slugs })
    const statusOf = async (path: string, { authorization }: { authorization: string }) =>
      (await service.get(path, { headers: { Authorization: authorization } })).status
    // Docs cannot be made for as long as their questions cannot be read.
    const release = await holdTransaction(database.sql, tx => tx`lock table program_version_question`)
    let answered = 0
    const docs = slugs.map(async slug => {
      const status = await statusOf(`/docs/api/programs/${slug}`, key)
      answered++
      return status
    })
    await until('docs to be under way', async () => (await waitingForLocks(database.sql)) > 0)
    expect(await statusOf('/api/v1/checkAuth', other)).toBe(200)
    expect([answered, await waitingForLocks(database.sql)]).toEqual([0, 1])
    await release()
    expect(new Set(await Promise.all(docs))).toEqual(new Set([200]))
  })
})
