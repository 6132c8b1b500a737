import { describe, expect, test } from 'bun:test'
import { exportProgram, importProgram } from '../../../src/core/programs/program-transport.ts'
import { publishDefinition, publishDraft } from '../../../src/core/programs/publish.ts'
import { findActiveVersion, readPublishedVersions } from '../../../src/db/programs/programs.ts'
import { lockQuestionBank } from '../../../src/db/programs/questions.ts'
import { buildKeyMap, type KeyNode } from '../../../src/domain/questions/key-map.ts'
import { endWithTest, useDatabase } from '../../support/fixtures.ts'
import { aDefinition, aDraft, aProgram, everyKind, publish, q } from '../../support/programs.ts'
import { failureOf } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'

const database = await useDatabase()

const keys = (nodes: readonly KeyNode[]): unknown[] =>
  nodes.map(node => (node.children.length === 0 ? node.question_key : [node.question_key, keys(node.children)]))

describe('publishing', () => {
  test('a new program becomes active with the questions it defines, at any depth', async () => {
    const program = await aProgram(database.sql, { slug: 'every-kind', questions: everyKind })
    const active = await findActiveVersion(database.sql, program.program_id)
    expect(active).toEqual(program.version)
    expect(active).toMatchObject({ slug: 'every-kind', state: 'ACTIVE', published_by: 'admin:test' })
    expect(active?.questions.map(question => question.kind)).toEqual(
      aDefinition({ questions: everyKind }).questions.map(question => question.kind),
    )
    expect(keys(buildKeyMap([program.version])).at(-1)).toEqual([
      'household_member',
      ['member_name', 'member_birthday', ['member_job', ['employer', 'monthly_pay']]],
    ])
  })

  test('"It changes whenever the program or a question in it is updated": each publication is a new version', async () => {
    const first = await aProgram(database.sql, { slug: 'grows', questions: [q.text('colour')] })
    const second = await aProgram(database.sql, { slug: 'grows', questions: [q.text('colour', { max_length: 9 })] })
    const third = await aProgram(database.sql, { slug: 'grows', questions: [q.number('shoe size')] })
    expect(second.program_version_id).toBeGreaterThan(first.program_version_id)
    expect(third.program_version_id).toBeGreaterThan(second.program_version_id)
    const versions = await readPublishedVersions(database.sql, first.program_id)
    expect(versions.map(version => [version.program_version_id, version.state])).toEqual([
      [first.program_version_id, 'OBSOLETE'],
      [second.program_version_id, 'OBSOLETE'],
      [third.program_version_id, 'ACTIVE'],
    ])
    expect(await findActiveVersion(database.sql, first.program_id)).toMatchObject({
      program_version_id: third.program_version_id,
    })
    expect(second.question('colour').question_id).toBe(first.question('colour').question_id)
    expect(second.question('colour').question_version_id).not.toBe(first.question('colour').question_version_id)
  })

  test('each publication is later than all before it, even if a clock was ahead', async () => {
    const spec = { slug: 'ahead', questions: [q.text('ahead')] }
    await aProgram(database.sql, spec)
    const bundle = await exportProgram(database.sql, 'ahead')
    const there = await useDatabase({}, endWithTest)
    bundle.program_versions[0]!.published_at = '2200-01-01T00:00:00.000000Z'
    const { program_id, program_version_ids } = await importProgram(there.sql, bundle, 'operator:test')
    const next = await publish(there.sql, { ...spec, display_name: 'Next' })
    const last = await publish(there.sql, { ...spec, display_name: 'Last' })
    const versions = await readPublishedVersions(there.sql, program_id)
    expect(versions.map(version => version.program_version_id)).toEqual([
      ...program_version_ids,
      next.program_version_id,
      last.program_version_id,
    ])
    const [first] = versions.map(version => version.published_at!)
    expect(versions.map(version => version.published_at! - first!)).toEqual([0, 1, 2])
  })

  test('a draft is published under the lock of the question bank, so it waits for and sees other changes', async () => {
    const spec = { slug: 'locked', questions: [q.text('locked')] }
    const { program_id } = await aProgram(database.sql, spec)
    await aDraft(database.sql, { ...spec, display_name: 'Drafted' })
    const waiting = async () => {
      const [row] = await database.sql<{ waiting: boolean }[]>`
        select exists (
          select from pg_locks
          where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())
        ) as waiting`
      return row!.waiting
    }
    let settled = false
    const publication = await database.sql.begin(async tx => {
      await lockQuestionBank(tx)
      const publishing = publishDraft(database.sql, 'locked', 'admin:test').then(
        result => ({ result }),
        (error: unknown) => ({ error }),
      )
      void publishing.finally(() => {
        settled = true
      })
      await until('the publication to wait for the bank', async () => settled || (await waiting()))
      expect(settled).toBe(false)
      // What the holder of the lock does is seen by the publication that waited for it.
      await tx`delete from program_version where program_id = ${program_id} and state = 'DRAFT'`
      return { publishing }
    })
    expect(await publication.publishing).toMatchObject({ error: { kind: 'not_found' } })
  })

  test('identical content makes no new version, and the result says so', async () => {
    const definition = aDefinition({ slug: 'same', questions: everyKind })
    const first = await publishDefinition(database.sql, definition, 'admin:test')
    const again = await publishDefinition(database.sql, structuredClone(definition), 'admin:other')
    expect(first.published).toBe(true)
    expect(again).toEqual({ ...first, published: false, changes: [], also_published: [] })
    expect(await readPublishedVersions(database.sql, first.program_id)).toHaveLength(1)
  })
})

describe('constraints of the database on publications', () => {
  test('refuse to change what was published or to remove its questions', async () => {
    const { sql } = database
    const { program_version_id, program_id } = await aProgram(sql, {
      slug: 'kept',
      questions: [q.text('kept question')],
    })
    const refusals = [
      sql`update program_version set display_name = 'Other' where program_version_id = ${program_version_id}`,
      sql`update program_version set statuses = '{Other}' where program_version_id = ${program_version_id}`,
      sql`update program_version set published_by = 'Other' where program_version_id = ${program_version_id}`,
      sql`update program_version set state = 'DRAFT', published_at = null, published_by = null
        where program_version_id = ${program_version_id}`,
      sql`delete from program_version where program_version_id = ${program_version_id}`,
      sql`update question set kind = 'DATE' where admin_name = 'kept question'`,
      sql`update question_version set settings = '{}'`,
      sql`delete from program_version_question where program_version_id = ${program_version_id}`,
    ]
    for (const refusal of refusals) expect((await failureOf(refusal))?.code).toBe('23001')
    for (const removal of [
      sql`delete from question_version where question_id = (select question_id from question where admin_name = 'kept question')`,
      sql`delete from question where admin_name = 'kept question'`,
    ])
      expect((await failureOf(removal))?.code).toBe('23503')
    expect(await findActiveVersion(sql, program_id)).toMatchObject({ program_version_id, display_name: 'Program kept' })
  })
})
