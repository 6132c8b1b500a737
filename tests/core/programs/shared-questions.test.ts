import { describe, expect, test } from 'bun:test'
import { Problem } from '../../../src/base/problem.ts'
import { compareWithPublished } from '../../../src/core/programs/compare.ts'
import { publishDefinition, publishDraft } from '../../../src/core/programs/publish.ts'
import { discardDraft } from '../../../src/core/programs/save-draft.ts'
import { findActiveVersion, findDraftVersion, readPublishedVersions } from '../../../src/db/programs/programs.ts'
import { lockQuestionBank } from '../../../src/db/programs/questions.ts'
import type { VersionChangeCode } from '../../../src/domain/comparison/version-diff.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../../support/held-transaction.ts'
import {
  aDefinition,
  aDraft,
  aProgram,
  type ProgramSpec,
  publish as publishNow,
  q,
  upToDate,
} from '../../support/programs.ts'
import { readDerivedStatus } from '../../support/queue.ts'
import { rejection } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'

const database = await useDatabase()

const publish = (program: ProgramSpec) => publishNow(database.sql, program)
const active = async (program_id: number) => (await findActiveVersion(database.sql, program_id))!
const draftOf = async (program_id: number) => (await findDraftVersion(database.sql, program_id))!

async function conflict(promise: Promise<unknown>): Promise<Problem> {
  const problem = await rejection(promise)
  expect(problem.kind).toBe('conflict')
  return problem
}

describe('a new version of a shared question', () => {
  test('gives every active program that asks it a new version, in the same transaction, and no other program', async () => {
    const shared = q.radio('s pet', ['cat'])
    const a = await aProgram(database.sql, { slug: 's-a', questions: [shared, q.text('s only a')] })
    const b = await aProgram(database.sql, { slug: 's-b', questions: [q.text('s only b'), shared] })
    const c = await aProgram(database.sql, { slug: 's-c', questions: [shared] })
    const other = await aProgram(database.sql, { slug: 's-other', questions: [q.text('s only other')] })
    expect(b.question('s pet').question_version_id).toBe(a.question('s pet').question_version_id)

    const changed = q.radio('s pet', ['cat', 'dog'])
    const result = await publish({ slug: 's-a', questions: [changed, q.text('s only a')] })
    expect(result.also_published.map(program => program.slug)).toEqual(['s-b', 's-c'])
    for (const before of [b, c]) {
      const now = await active(before.program_id)
      expect(now.program_version_id).toBeGreaterThan(before.program_version_id)
      expect(now).toMatchObject({ based_on: before.program_version_id, published_by: 'admin:test' })
      expect(now.screens).toEqual(before.version.screens)
      const asked = await readDerivedStatus(database.sql, now.program_version_id)
      expect(asked.map(({ job_name }) => job_name)).toEqual(['refresh-docs-example', 'refresh-key-map'])
      const pet = now.questions.find(question => question.admin_name === 's pet')
      expect(pet?.settings.options?.map(option => option.admin_id)).toEqual(['cat', 'dog'])
      expect(now.questions.map(question => question.admin_name)).toEqual(
        before.version.questions.map(question => question.admin_name),
      )
    }
    expect((await active(other.program_id)).program_version_id).toBe(other.program_version_id)
    expect((await readPublishedVersions(database.sql, b.program_id)).map(version => version.state)).toEqual([
      'OBSOLETE',
      'ACTIVE',
    ])
  })

  test('changes other programs only if requested, and is otherwise refused with all changes there', async () => {
    const shared = q.radio('m pet', ['cat'])
    const a = await aProgram(database.sql, { slug: 'm-a', questions: [shared] })
    const others = [
      await aProgram(database.sql, { slug: 'm-b', questions: [q.text('m only b'), shared] }),
      await aProgram(database.sql, { slug: 'm-c', questions: [shared] }),
    ]
    const changed = { slug: 'm-a', questions: [q.radio('m pet', ['cat', 'dog'], { text: 'Which pet?' })] }
    const document = await upToDate(database.sql, aDefinition(changed))

    const { moves } = await compareWithPublished(database.sql, document)
    const codes = ['text_changed', 'option_added'] satisfies VersionChangeCode[]
    expect(moves.map(move => [move.slug, move.replaces, move.changes.map(({ code }) => code)])).toEqual([
      ['m-b', others[0]!.program_version_id, codes],
      ['m-c', others[1]!.program_version_id, codes],
    ])
    for (const move of [undefined, [], ['m-b'], ['m-b', 'm-else']] as const) {
      const refused = await conflict(publishDefinition(database.sql, document, 'admin:test', { move }))
      expect(refused.detail).toEndWith(move?.[0] === 'm-b' ? ' m-c; or all.' : ' m-b, m-c; or all.')
      expect(refused.errors.map(({ code }) => code)).toContain('other_program_moves')
      expect(refused.errors.at(-1)!.detail).toBe('"m-c" (its question "m pet"): Option “Option dog” (dog) added.')
    }
    for (const before of [a, ...others])
      expect((await active(before.program_id)).program_version_id).toBe(before.program_version_id)

    const draft = await aDraft(database.sql, changed)
    await conflict(publishDraft(database.sql, 'm-a', 'admin:test', { move: ['m-c'] }))
    expect((await draftOf(a.program_id)).program_version_id).toBe(draft.program_version_id)
    const published = await publishDraft(database.sql, 'm-a', 'admin:test', { move: ['m-c', 'm-b'] })
    expect(published.also_published).toMatchObject([
      { slug: 'm-b', replaces: others[0]!.program_version_id, changes: codes.map(code => ({ code })) },
      { slug: 'm-c', replaces: others[1]!.program_version_id },
    ])
    expect((await compareWithPublished(database.sql, await upToDate(database.sql, document))).moves).toEqual([])
  })

  test('does not change a program that no longer asks the question', async () => {
    const shared = q.text('s former')
    const former = await aProgram(database.sql, { slug: 's-former', questions: [shared, q.text('s stays')] })
    await aProgram(database.sql, { slug: 's-former', questions: [q.text('s stays')] })
    const now = (await active(former.program_id)).program_version_id
    await aProgram(database.sql, { slug: 's-asks', questions: [shared] })
    const result = await publish({ slug: 's-asks', questions: [q.text('s former', { text: 'Changed' })] })
    expect(result.also_published).toEqual([])
    expect((await active(former.program_id)).program_version_id).toBe(now)
  })

  test('is what a document asks that leaves the question to the bank', async () => {
    await aProgram(database.sql, { slug: 's-bank', questions: [q.text('s bank', { max_length: 7 })] })
    const definition = aDefinition({ slug: 's-user', questions: [q.text('s own')] })
    definition.screens[0]!.questions.push({ question: 's bank' })
    const { program_id } = await publishDefinition(database.sql, definition, 'admin:test')
    expect((await active(program_id)).questions[1]).toMatchObject({ admin_name: 's bank', settings: { max_length: 7 } })
  })

  test('also updates drafts, even of a program that was never published', async () => {
    const shared = q.text('s move')
    const a = await aProgram(database.sql, { slug: 's-move-a', questions: [shared] })
    const b = await aProgram(database.sql, { slug: 's-move-b', questions: [shared] })
    const draft = await aDraft(
      database.sql,
      { slug: 's-move-b', questions: [shared, q.text('s move own')] },
      'admin:drafter',
    )
    const fresh = await aDraft(database.sql, { slug: 's-move-c', questions: [shared] }, 'admin:drafter')
    // One that another publication has passed already.
    await aDraft(database.sql, { slug: 's-move-d', questions: [shared, q.text('s move later')] })
    const past = await publish({ slug: 's-move-d', display_name: 'Past it', questions: [shared] })
    await publish({ slug: 's-move-a', questions: [q.text('s move', { text: 'Moved' })] })
    expect(await draftOf(past.program_id)).toMatchObject({ based_on: null })

    const moved = await draftOf(b.program_id)
    expect(moved.program_version_id).toBeGreaterThan(draft.program_version_id)
    expect(moved).toMatchObject({
      created_by: 'admin:drafter',
      based_on: (await active(b.program_id)).program_version_id,
    })
    expect(moved.questions.map(question => question.settings.text)).toEqual(['Moved', 's move own?'])
    expect((await draftOf(fresh.program_id)).questions[0]?.settings.text).toBe('Moved')
    const published = await publishDraft(database.sql, 's-move-b', 'admin:drafter')
    expect(published.changes.map(change => change.code)).toEqual(['question_added'])
    expect(published.also_published).toEqual([])
    expect((await publishDraft(database.sql, 's-move-c', 'admin:drafter')).also_published).toEqual([])
    expect((await active(a.program_id)).questions[0]?.settings.text).toBe('Moved')
  })

  test('neither undoes nor is undone by changes to the same question in another program’s draft', async () => {
    const shared = q.text('s both')
    await aProgram(database.sql, { slug: 's-both-a', questions: [shared] })
    await aProgram(database.sql, { slug: 's-both-b', questions: [shared] })
    const mine = { slug: 's-both-b', questions: [q.text('s both', { text: 'From b' })] }
    await aDraft(database.sql, mine, 'admin:b')
    await publish({ slug: 's-both-a', questions: [q.text('s both', { text: 'From a' })] })
    const refused = await conflict(publishDraft(database.sql, 's-both-b', 'admin:b'))
    expect(refused.errors).toMatchObject([{ code: 'text_changed' }])
    expect(refused.errors[0]?.detail).toContain('“From a”')
    // Saved again, now that its editor knows, it goes.
    await aDraft(database.sql, mine, 'admin:b')
    const result = await publishDraft(database.sql, 's-both-b', 'admin:b', { move: 'all' })
    expect(result.also_published.map(program => program.slug)).toEqual(['s-both-a'])
  })

  test('is refused if a condition of another program uses an option that it removes', async () => {
    await aProgram(database.sql, { slug: 's-opt-a', questions: [q.radio('s opt', ['yes', 'no'])] })
    const b = await aProgram(database.sql, {
      slug: 's-opt-b',
      questions: [
        q.radio('s opt', ['yes', 'no']),
        q.text('s why', { visible_when: { question: 's opt', field: 'selection', operator: 'equal', value: 'no' } }),
      ],
    })
    const refused = await conflict(publish({ slug: 's-opt-a', questions: [q.radio('s opt', ['yes'])] }))
    expect(refused.detail).toContain('"s-opt-b"')
    expect(refused.errors).toMatchObject([{ code: 'unknown_option' }])
    expect((await active(b.program_id)).program_version_id).toBe(b.program_version_id)
  })
})

/** Tries again for as long as another editor was faster; each attempt begins with what is there then. */
async function insisting<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== 'conflict') throw error
    }
  }
}

describe('publications at once', () => {
  test.each<[string, (slug: string) => Promise<unknown>]>([
    ['saving a draft', slug => aDraft(database.sql, { slug: `${slug}-new`, questions: [] })],
    ['publishing a definition', slug => publish({ slug: `${slug}-new`, questions: [] })],
    ['publishing a draft', slug => publishDraft(database.sql, slug, 'admin:test')],
    ['discarding a draft', slug => discardDraft(database.sql, slug, 'admin:test')],
  ])('%s waits for the publication that holds the question bank', async (what, work) => {
    const slug = what.replaceAll(' ', '-')
    await aDraft(database.sql, { slug, questions: [q.text(what)] })
    const release = await holdTransaction(database.sql, lockQuestionBank)
    const working = work(slug)
    await until('it to wait', async () => (await waitingForLocks(database.sql)) === 1)
    await release()
    await working
  })

  test('of a shared question from two programs lose nothing and never deadlock, in either order', async () => {
    const slugs = ['c-left', 'c-right', 'c-third']
    const programs = await Promise.all(
      slugs.map(slug => aProgram(database.sql, { slug, questions: [q.number('c shared'), q.number('c shared 2')] })),
    )
    let texts = 0
    let changesMade = 0
    for (let round = 0; round < 8; round++) {
      const order = round % 2 === 0 ? slugs : [...slugs].reverse()
      const results = await Promise.all(
        order.map((slug, index) => {
          const names = index % 2 === 0 ? ['c shared', 'c shared 2'] : ['c shared 2', 'c shared']
          const questions = names.map(name => q.number(name, { text: `Text ${++texts}` }))
          return insisting(() => publishNow(database.sql, { slug, questions }, `admin:${slug}`))
        }),
      )
      changesMade += results.length
      for (const result of results) expect(result.also_published).toHaveLength(slugs.length - 1)
    }
    const now = await Promise.all(programs.map(program => active(program.program_id)))
    const asked = now.map(version =>
      [...version.questions]
        .sort((a, b) => a.question_id - b.question_id)
        .map(question => [question.question_version_id, question.settings.text]),
    )
    expect(asked[1]).toEqual(asked[0]!)
    expect(asked[2]).toEqual(asked[0]!)
    for (const program of programs) {
      const versions = await readPublishedVersions(database.sql, program.program_id)
      expect(versions).toHaveLength(1 + changesMade)
      const ids = versions.map(version => version.program_version_id)
      expect(ids).toEqual([...ids].sort((a, b) => a - b))
      const times = versions.map(version => version.published_at!)
      expect(new Set(times).size).toBe(times.length)
    }
  })
})
