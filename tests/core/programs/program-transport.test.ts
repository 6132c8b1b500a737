import { describe, expect, test } from 'bun:test'
import { exportProgram, importProgram } from '../../../src/core/programs/program-transport.ts'
import { findActiveVersion, findProgram, readPublishedVersions } from '../../../src/db/programs/programs.ts'
import type { ProgramBundle } from '../../../src/domain/definitions/program-bundle.ts'
import { enumeratorDepthUsual } from '../../../src/domain/definitions/program-definition.ts'
import type { TestDatabase } from '../../support/database.ts'
import { endWithTest, useDatabase } from '../../support/fixtures.ts'
import { aDraft, aProgram, everyKind, publish, q } from '../../support/programs.ts'
import { readDerivedStatus } from '../../support/queue.ts'
import { rejection } from '../../support/refusal.ts'

const source = await useDatabase()
// Other programs come first and between, so that the ids to carry over are neither the first nor without gaps.
await aProgram(source.sql, { slug: 'other', questions: [q.text('other')] })
const shared = q.radio('pet', ['cat', 'dog'])
const conditional = q.text('pet name', {
  visible_when: { not: { question: 'pet', field: 'selection', operator: 'in', value: ['dog'] } },
})
await aProgram(source.sql, { slug: 'housing', questions: [shared, ...everyKind] })
await aProgram(source.sql, { slug: 'child-care', questions: [shared] })
await aProgram(source.sql, { slug: 'housing', questions: [shared, conditional, q.text('gone')] })
// A version of the shared question that housing gets without an edit of its own, and one it never has.
await aProgram(source.sql, { slug: 'child-care', questions: [q.radio('pet', ['cat', 'dog', 'fox'])] })
await aProgram(source.sql, { slug: 'housing', display_name: 'Housing 2', questions: [q.text('later')] })
await aProgram(source.sql, { slug: 'child-care', questions: [q.radio('pet', ['cat', 'dog', 'fox', 'owl'])] })
await aProgram(source.sql, {
  slug: 'housing',
  statuses: ['New', 'Paid'],
  questions: [q.text('later'), q.radio('pet', ['cat', 'dog', 'fox', 'owl', 'asp']), conditional],
})
await aDraft(source.sql, { slug: 'housing', questions: [q.text('only a draft')] })
const housing = await exportProgram(source.sql, 'housing')
const childCare = await exportProgram(source.sql, 'child-care')

async function inEmptyDatabase(work: (database: TestDatabase) => Promise<void>): Promise<void> {
  const database = await useDatabase({}, endWithTest)
  await work(database)
}

const travelled = (bundle: ProgramBundle): unknown => JSON.parse(JSON.stringify(bundle))

describe('a program brought into an empty database', () => {
  test('is the same byte for byte when exported again, in every version, and in the audit log', () =>
    inEmptyDatabase(async ({ sql }) => {
      const result = await importProgram(sql, travelled(housing), 'operator:test')
      expect(result.program_version_ids).toEqual(housing.program_versions.map(version => version.program_version_id))
      expect(JSON.stringify(await exportProgram(sql, 'housing'))).toBe(JSON.stringify(housing))
      const { program_id, program_version_ids } = result
      const events = await sql`select actor, action, subject, detail from audit_event`
      const event = { actor: 'operator:test', action: 'program_imported', subject: 'housing' }
      expect([...events]).toEqual([{ ...event, detail: { program_id, program_version_ids } }])
      expect(await findProgram(sql, 'housing')).toEqual(await findProgram(source.sql, 'housing'))
      expect(await readPublishedVersions(sql, result.program_id)).toEqual(
        await readPublishedVersions(source.sql, housing.program.program_id),
      )
    }))

  test('contains everything ever published and nothing of a draft (D21)', () => {
    const names = housing.questions.map(question => question.admin_name)
    expect(names).toContain('gone')
    expect(names).not.toContain('only a draft')
    expect(housing.program_versions.map(version => version.state).filter(state => state === 'ACTIVE')).toHaveLength(1)
    expect(housing.program_versions).toHaveLength(5)
    // "pet" with owls was never asked by housing; what it asks now was made from that.
    const numbers = housing.question_versions.filter(version => version.version_number > 1)
    expect(numbers.map(version => version.version_number)).toEqual([2, 3, 4])
  })

  test('shares its questions with another program that comes in with it', () =>
    inEmptyDatabase(async ({ sql }) => {
      await importProgram(sql, travelled(childCare), 'operator:test')
      await importProgram(sql, travelled(housing), 'operator:test')
      expect(JSON.stringify(await exportProgram(sql, 'child-care'))).toBe(JSON.stringify(childCare))
      expect(JSON.stringify(await exportProgram(sql, 'housing'))).toBe(JSON.stringify(housing))
    }))

  test('continues from there, with no ID given out twice and with shared questions', () =>
    inEmptyDatabase(async ({ sql }) => {
      const before = await importProgram(sql, travelled(housing), 'operator:test')
      for (const id of before.program_version_ids) expect(await readDerivedStatus(sql, id)).toHaveLength(2)
      const other = await aProgram(sql, { slug: 'new-here', questions: [q.text('new here'), q.text('later')] })
      expect(other.program_id).toBeGreaterThan(before.program_id)
      expect(other.program_version_id).toBeGreaterThan(Math.max(...before.program_version_ids))
      const made = other.question('new here')
      expect(made.question_id).toBeGreaterThan(housing.questions.at(-1)!.question_id)
      expect(made.question_version_id).toBeGreaterThan(housing.question_versions.at(-1)!.question_version_id)
      const questions = [q.text('new here'), q.text('later', { text: 'L' })]
      const result = await publish(sql, { slug: 'new-here', questions })
      expect(result.also_published.map(program => program.slug)).toEqual(['housing'])
      expect((await findActiveVersion(sql, before.program_id))?.statuses).toEqual(['New', 'Paid'])
    }))

  test('has a counter that accepts submissions from the beginning of the program', () =>
    inEmptyDatabase(async ({ sql }) => {
      const { program_id } = await importProgram(sql, travelled(housing), 'operator:test')
      const [counter] = await sql<{ submit_seq: number; fits: boolean }[]>`
        select c.submit_seq, c.last_submit_time = p.created_at as fits
        from submission_counter c
        join program p using (program_id)
        where program_id = ${program_id}`
      expect(counter).toEqual({ submit_seq: 0, fits: true })
    }))
})

describe('a program whose place is taken', () => {
  test('is refused with all obstacles, and nothing of it is stored', () =>
    inEmptyDatabase(async ({ sql }) => {
      await aProgram(sql, { slug: 'housing', questions: [q.number('LATER'), q.text('gone')] })
      const before = await exportProgram(sql, 'housing')
      const refused = await rejection(importProgram(sql, travelled(housing), 'operator:test'))
      expect(refused.kind).toBe('conflict')
      const paths = refused.errors.map(error => error.path)
      expect(paths).toContain('/program')
      const taken = (name: string) =>
        `/questions/${housing.questions.findIndex(question => question.admin_name === name)}`
      expect(paths).toContain(taken('later'))
      expect(paths).toContain(taken('gone'))
      expect(JSON.stringify(await exportProgram(sql, 'housing'))).toBe(JSON.stringify(before))
      expect((await sql`select from question`).length).toBe(2)
    }))

  test('cannot be imported twice', () =>
    inEmptyDatabase(async ({ sql }) => {
      await importProgram(sql, travelled(housing), 'operator:test')
      const pathsOf = async (bundle: unknown) =>
        (await rejection(importProgram(sql, bundle, 'operator:test'))).errors.map(error => error.path)
      const paths = ['/program', ...housing.program_versions.map((_, index) => `/program_versions/${index}`)]
      expect(await pathsOf(travelled(housing))).toEqual(paths)
      // Its questions in the same versions under other ids, as another installation may have made them.
      const other = structuredClone(housing)
      for (const version of other.question_versions) {
        version.question_version_id += 1000
        if (version.based_on !== null) version.based_on += 1000
      }
      for (const version of other.program_versions)
        version.question_version_ids = version.question_version_ids.map(id => id + 1000)
      paths.push(...housing.question_versions.map((_, index) => `/question_versions/${index}`))
      expect(await pathsOf(other)).toEqual(paths)
    }))

  test('is refused alongside an active program that asks a shared question in another version', () =>
    inEmptyDatabase(async ({ sql }) => {
      const early = structuredClone(childCare)
      early.program_versions = early.program_versions.slice(0, 1)
      early.program_versions[0]!.state = 'ACTIVE'
      await importProgram(sql, early, 'operator:test')
      const refused = await rejection(importProgram(sql, travelled(housing), 'operator:test'))
      expect(refused).toMatchObject({ internal: 'shared_questions' })
      expect((await sql`select from program`).length).toBe(1)
    }))
})

describe('files that are not bundles', () => {
  test.each<[string, (bundle: ProgramBundle) => unknown, string[]]>([
    ['another format', bundle => ({ ...bundle, format: 'tributary-program-2' }), ['/format']],
    ['no versions', bundle => ({ ...bundle, program_versions: [] }), ['/program_versions']],
    [
      'a version that uses what is not there',
      bundle => ({ ...bundle, question_versions: bundle.question_versions.slice(1) }),
      ['/program_versions/0/question_version_ids/0'],
    ],
    [
      'a time that is none',
      bundle => ({ ...bundle, program: { ...bundle.program, created_at: 'yesterday' } }),
      ['/program/created_at'],
    ],
    [
      'settings that no question has',
      bundle => ({
        ...bundle,
        question_versions: bundle.question_versions.map(version => ({
          ...version,
          settings: { text: 'x', options: [1] },
        })),
      }),
      ['/question_versions/0/settings/options/0'],
    ],
    [
      'a condition on what is not asked',
      bundle => {
        bundle.program_versions[1]!.screens[0]!.visible_when = { not: { question_id: 999, operator: 'answered' } }
        return bundle
      },
      ['/program_versions/1/screens'],
    ],
    [
      'a question on the condition of what is not asked',
      bundle => {
        bundle.program_versions[1]!.screens[0]!.questions[0]!.visible_when = { question_id: 999, operator: 'answered' }
        return bundle
      },
      ['/program_versions/1/screens'],
    ],
    [
      'a wording that is based on one of another question',
      bundle => {
        const [first, second] = bundle.question_versions
        second!.based_on = first!.question_version_id
        return bundle
      },
      ['/question_versions/1/based_on'],
    ],
    [
      'repeated questions within more levels than there may be',
      bundle => {
        const repeated = bundle.questions.find(({ kind }) => kind === 'ENUMERATOR')!
        for (let level = 0; level <= enumeratorDepthUsual; level++)
          bundle.questions.push({
            ...repeated,
            question_id: 9000 + level,
            enumerator_id: level === 0 ? null : 8999 + level,
          })
        return bundle
      },
      [`/questions/${housing.questions.length + enumeratorDepthUsual}/enumerator_id`],
    ],
    [
      'text that cannot be stored',
      bundle => ({ ...bundle, program: { ...bundle.program, slug: 'half \ud800' } }),
      ['/program/slug'],
    ],
    [
      'two active versions',
      bundle => ({
        ...bundle,
        program_versions: bundle.program_versions.map(version => ({ ...version, state: 'ACTIVE' })),
      }),
      [0, 1, 2, 3].map(index => `/program_versions/${index}/state`),
    ],
    [
      'versions out of order',
      bundle => ({
        ...bundle,
        program_versions: bundle.program_versions.map((version, index) =>
          index === 1 ? { ...version, published_at: '1999-01-01T00:00:00.000000Z' } : version,
        ),
      }),
      ['/program_versions/1/published_at'],
    ],
    [
      'two versions of one time',
      bundle => {
        bundle.program_versions[1]!.published_at = bundle.program_versions[0]!.published_at
        return bundle
      },
      ['/program_versions/1/published_at'],
    ],
    [
      'a time that there is not, or that cannot be kept to the microsecond',
      bundle => ({
        ...bundle,
        program: { ...bundle.program, created_at: '2026-02-30T00:00:00.000000Z' },
        program_versions: bundle.program_versions.map((version, index, all) =>
          index === all.length - 1 ? { ...version, published_at: '2999-01-01T00:00:00.000000Z' } : version,
        ),
      }),
      ['/program/created_at', '/program_versions/4/published_at'],
    ],
    [
      'a question key that its admin name does not make',
      bundle => ({
        ...bundle,
        questions: bundle.questions.map((question, index) =>
          index === 0 ? { ...question, question_key: 'x' } : question,
        ),
      }),
      ['/questions/0/question_key'],
    ],
  ])('%s is refused by its path', async (_, change, paths) => {
    const refused = await rejection(importProgram(source.sql, change(structuredClone(housing)), 'operator:test'))
    expect(refused.kind).toBe('invalid_request')
    const found = new Set(refused.errors.map(error => error.path))
    for (const path of paths) expect(found).toContain(path)
  })

  test('a program without a published version cannot be exported', async () => {
    await aDraft(source.sql, { slug: 'unpublished', questions: [q.text('unpublished')] })
    for (const slug of ['unpublished', 'nowhere']) {
      expect((await rejection(exportProgram(source.sql, slug))).kind).toBe('not_found')
    }
  })
})
