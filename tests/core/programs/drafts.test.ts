import { describe, expect, test } from 'bun:test'
import { publishDefinition, publishDraft } from '../../../src/core/programs/publish.ts'
import { discardDraft, saveDraft } from '../../../src/core/programs/save-draft.ts'
import {
  findActiveVersion,
  findDraftVersion,
  findProgram,
  loadProgramVersion,
} from '../../../src/db/programs/programs.ts'
import { readBankQuestions } from '../../../src/db/programs/questions.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { aDefinition, aDraft, aProgram, type ProgramSpec, q } from '../../support/programs.ts'
import { readDerivedStatus } from '../../support/queue.ts'
import { rejection } from '../../support/refusal.ts'

const database = await useDatabase()

const save = (program: ProgramSpec, actor?: string) => aDraft(database.sql, program, actor)
/** As a document that says what it was made from, or does not. */
const saveBasedOn = (based_on: number | null | undefined, program: ProgramSpec, actor = 'admin:test') =>
  saveDraft(database.sql, { ...aDefinition(program), based_on }, actor)
const publishBasedOn = (based_on: number | null | undefined, program: ProgramSpec, actor = 'admin:test') =>
  publishDefinition(database.sql, { ...aDefinition(program), based_on }, actor)

const inBank = async (admin_name: string) =>
  (await readBankQuestions(database.sql, { admin_names: [admin_name], question_keys_folded: [] })).find(
    question => question.admin_name === admin_name,
  )

describe('a draft', () => {
  test('of a new program creates the program and requests its docs, and publishes nothing', async () => {
    const draft = await save({ slug: 'd-new', display_name: 'A draft', questions: [q.text('d new')] })
    expect(draft).toMatchObject({ slug: 'd-new', saved: true })
    const program = await findProgram(database.sql, 'd-new')
    expect(program).toMatchObject({ program_id: draft.program_id, display_name: 'A draft' })
    expect(await findActiveVersion(database.sql, draft.program_id)).toBeUndefined()
    expect((await findDraftVersion(database.sql, draft.program_id))?.program_version_id).toBe(draft.program_version_id)
    const asked = await readDerivedStatus(database.sql, draft.program_version_id)
    expect(asked).toMatchObject([{ job_name: 'refresh-docs-example', requested: 1 }])
  })

  test('is replaced when saved again, under a new ID, and what only the old one had is deleted', async () => {
    const first = await save({
      slug: 'd-one',
      display_name: 'One',
      questions: [q.enumerator('d oen', [q.text('d chidl')])],
    })
    const second = await save({
      slug: 'd-one',
      display_name: 'Two',
      questions: [q.enumerator('d one', [q.text('d child')])],
    })
    expect(second.program_version_id).toBeGreaterThan(first.program_version_id)
    await expect(loadProgramVersion(database.sql, first.program_version_id)).rejects.toMatchObject({
      kind: 'not_found',
    })
    expect(await inBank('d oen')).toBeUndefined()
    expect(await inBank('d chidl')).toBeUndefined()
    expect(await inBank('d child')).toMatchObject({ enumerator: 'd one', published: false })
    expect((await findProgram(database.sql, 'd-one'))?.display_name).toBe('Two')
  })

  test('can be changed in every way, as a question is "immutable" only once another version has it', async () => {
    await save({ slug: 'd-kind', questions: [q.enumerator('d outer', [q.text('d kind')])] })
    await save({ slug: 'd-kind', questions: [q.number('D kind!')] })
    await save({ slug: 'd-kind', questions: [q.date('d kind')] })
    expect(await inBank('d kind')).toMatchObject({ kind: 'DATE', enumerator: null })
    expect(await inBank('d outer')).toBeUndefined()
    const other = await rejection(save({ slug: 'd-kind-2', questions: [q.text('d kind')] }))
    expect(other.errors).toMatchObject([{ path: '/questions/0/kind', code: 'immutable' }])
    await publishDraft(database.sql, 'd-kind', 'admin:test')
    const published = await rejection(save({ slug: 'd-kind', questions: [q.text('d kind')] }))
    expect(published.errors).toMatchObject([{ path: '/questions/0/kind', code: 'immutable' }])
  })

  test('is the same after it is saved again unchanged', async () => {
    const first = await save({ slug: 'd-same', questions: [q.text('d same')] })
    const again = await save({ slug: 'd-same', questions: [q.text('d same')] })
    expect(again).toMatchObject({ program_version_id: first.program_version_id, saved: false })
  })

  test('that equals the published version is not saved', async () => {
    const spec = { slug: 'd-back', questions: [q.text('d back')] }
    const program = await aProgram(database.sql, spec)
    await save({ ...spec, questions: [q.text('d back'), q.text('d forth')] })
    const back = await save(spec)
    expect(back).toMatchObject({ program_version_id: program.program_version_id, saved: false, changes: [] })
    expect(await findDraftVersion(database.sql, program.program_id)).toBeUndefined()
    expect(await inBank('d forth')).toBeUndefined()
  })

  test('changes display name and statuses of a published program only when it is published', async () => {
    await aProgram(database.sql, { slug: 'd-name', display_name: 'Old', statuses: ['Old'] })
    await save({ slug: 'd-name', display_name: 'New', statuses: ['New'] })
    expect(await findProgram(database.sql, 'd-name')).toMatchObject({ display_name: 'Old', statuses: ['Old'] })
    const published = await publishDraft(database.sql, 'd-name', 'admin:test')
    expect(published.changes.map(change => change.code)).toEqual(['display_name_changed', 'statuses_changed'])
    expect(await findProgram(database.sql, 'd-name')).toMatchObject({ display_name: 'New', statuses: ['New'] })
  })

  test('becomes the active version when published, and the active one obsolete', async () => {
    const before = await aProgram(database.sql, { slug: 'd-pub', questions: [q.text('d pub')] })
    const draft = await save({ slug: 'd-pub', questions: [q.text('d pub'), q.date('d when')] }, 'admin:one')
    const published = await publishDraft(database.sql, 'd-pub', 'admin:two', {
      reviewed: draft.program_version_id,
    })
    expect(published).toMatchObject({
      published: true,
      program_version_id: draft.program_version_id,
      changes: [{ code: 'question_added', subject: 'd when' }],
    })
    expect(await findActiveVersion(database.sql, before.program_id)).toMatchObject({
      program_version_id: draft.program_version_id,
      based_on: before.program_version_id,
      created_by: 'admin:one',
      published_by: 'admin:two',
    })
    expect((await loadProgramVersion(database.sql, before.program_version_id)).state).toBe('OBSOLETE')
    expect(await findDraftVersion(database.sql, before.program_id)).toBeUndefined()
  })

  test('that does not exist cannot be published or discarded', async () => {
    await aProgram(database.sql, { slug: 'd-none' })
    expect((await rejection(publishDraft(database.sql, 'd-none', 'admin:test'))).kind).toBe('not_found')
    expect((await rejection(publishDraft(database.sql, 'd-nowhere', 'admin:test'))).kind).toBe('not_found')
    expect((await rejection(discardDraft(database.sql, 'd-none', 'admin:test'))).kind).toBe('not_found')
  })

  test('with an error changes nothing', async () => {
    const faulty = await rejection(save({ slug: 'd-error', questions: [q.text('d fine'), q.text('123')] }))
    expect(faulty.kind).toBe('invalid_request')
    expect(await findProgram(database.sql, 'd-error')).toBeUndefined()
    expect(await inBank('d fine')).toBeUndefined()
  })
})

describe('two administrators', () => {
  test('publish from the same version, and the second is refused with what the first one changed', async () => {
    const spec = { slug: 'two-pub', questions: [q.text('t colour')] }
    const { program_version_id: basis } = await aProgram(database.sql, spec)
    const first = { ...spec, questions: [q.text('t colour', { text: 'Which colour?' }), q.date('t day')] }
    await publishBasedOn(basis, first, 'admin:one')
    const mine = { ...spec, questions: [q.text('t colour'), q.email('t mail')] }
    const conflict = await rejection(publishBasedOn(basis, mine, 'admin:two'))
    expect(conflict.kind).toBe('conflict')
    expect(conflict.detail).toContain('admin:one')
    expect(conflict.detail).toContain('scripts/program show two-pub')
    expect(conflict.errors.map(({ code }) => code)).toEqual(['question_added', 'text_changed'])
    expect(await inBank('t mail')).toBeUndefined()
  })

  test('cannot save or publish a file that does not say which version it is based on', async () => {
    const spec = { slug: 'two-file', questions: [q.text('t file')] }
    const { program_version_id } = await aProgram(database.sql, spec)
    const stale = { ...spec, questions: [q.text('t file', { text: 'From an old file' })] }
    for (const refused of [
      await rejection(publishBasedOn(undefined, stale)),
      await rejection(saveBasedOn(undefined, stale)),
    ]) {
      expect(refused.kind).toBe('conflict')
      expect(refused.detail).toMatch(new RegExp(`\\b${program_version_id}\\b.*admin:test`))
      expect(refused.errors).toMatchObject([{ path: '/based_on', code: 'based_on_required' }])
      expect(refused.errors[0]!.detail).toContain('scripts/program show two-file')
    }
    for (const wrong of [null, program_version_id - 1, program_version_id + 1000]) {
      const refused = await rejection(publishBasedOn(wrong, stale))
      expect(refused.kind).toBe('conflict')
      expect(refused.detail).toContain('scripts/program show two-file')
    }
    const malformed = { ...aDefinition(stale), based_on: 'the newest' }
    expect((await rejection(saveDraft(database.sql, malformed, 'admin:test'))).errors).toMatchObject([
      { path: '/based_on', code: 'wrong_type' },
    ])
    expect((await inBank('t file'))?.settings.text).toBe('t file?')
    // What says nothing new changes nothing, so it need not say more.
    expect(await publishBasedOn(undefined, spec)).toMatchObject({ published: false, program_version_id })
    expect(await saveBasedOn(undefined, spec)).toMatchObject({ saved: false, program_version_id })
  })

  test('create the same program at once, and the second is told that it exists', async () => {
    const spec = { slug: 'two-new', questions: [q.text('t new')] }
    await publishBasedOn(null, spec, 'admin:one')
    const conflict = await rejection(publishBasedOn(null, { ...spec, questions: [q.text('t other')] }, 'admin:two'))
    expect(conflict.errors.map(({ code }) => code)).toContain('question_added')
  })

  test('edit one draft, and whoever has not seen it is refused', async () => {
    const spec = { slug: 'two-draft', questions: [q.text('t draft')] }
    const { program_version_id } = await aProgram(database.sql, spec)
    const first = await saveBasedOn(program_version_id, { ...spec, display_name: 'First' }, 'admin:one')
    const second = await rejection(saveBasedOn(program_version_id, { ...spec, display_name: 'Second' }, 'admin:two'))
    expect(second.kind).toBe('conflict')
    expect(second.detail).toContain('admin:one')
    expect(second.detail).toContain('scripts/program show two-draft --draft')
    const third = await saveBasedOn(first.program_version_id, { ...spec, display_name: 'Third' }, 'admin:two')
    expect(third).toMatchObject({ saved: true })
    const gone = await rejection(
      saveBasedOn(first.program_version_id, { ...spec, display_name: 'Fourth' }, 'admin:one'),
    )
    expect(gone).toMatchObject({ kind: 'conflict', detail: expect.stringContaining(`${first.program_version_id}`) })
    const reviewed = first.program_version_id
    const review = await rejection(publishDraft(database.sql, spec.slug, 'admin:one', { reviewed }))
    expect(review).toMatchObject({ internal: 'outdated', detail: expect.stringContaining('admin:two') })
    expect((await rejection(discardDraft(database.sql, spec.slug, 'admin:one', { reviewed }))).kind).toBe('conflict')
  })

  test('save the first draft of a program, and whoever has not seen it is refused', async () => {
    const spec = { slug: 'two-first', questions: [q.text('t first')] }
    const { program_version_id } = await saveBasedOn(undefined, spec, 'admin:one')
    const other = { ...spec, questions: [q.text('t first'), q.text('t second')] }
    expect((await rejection(saveBasedOn(undefined, other, 'admin:two'))).errors).toMatchObject([
      { code: 'based_on_required' },
    ])
    expect((await rejection(saveBasedOn(null, other, 'admin:two'))).detail).toContain('admin:one')
    expect(await saveBasedOn(program_version_id, other, 'admin:two')).toMatchObject({ saved: true })
  })

  test('publish past each other’s drafts, and the draft is kept and cannot undo unseen changes', async () => {
    const spec = { slug: 'two-past', questions: [q.text('t past')] }
    const base = await aProgram(database.sql, spec)
    await save({ ...spec, questions: [q.text('t past'), q.text('t draft only')] }, 'admin:one')
    const past = await aProgram(database.sql, { ...spec, questions: [q.text('t past', { text: 'Changed' })] })
    const draft = await findDraftVersion(database.sql, base.program_id)
    expect(draft).toMatchObject({ created_by: 'admin:one', based_on: base.program_version_id })
    expect(draft?.questions.map(({ admin_name, settings }) => [admin_name, settings.text])).toEqual([
      ['t past', 'Changed'],
      ['t draft only', 't draft only?'],
    ])
    const refused = await rejection(publishDraft(database.sql, spec.slug, 'admin:one'))
    expect(refused.kind).toBe('conflict')
    expect(refused.errors.map(({ code }) => code)).toEqual(['text_changed'])

    const merged = { ...spec, questions: [q.text('t past', { text: 'Changed' }), q.text('t draft only')] }
    const unseen = await rejection(saveBasedOn(draft!.program_version_id, merged, 'admin:one'))
    expect(unseen.errors.map(({ code }) => code)).toEqual(['text_changed'])
    await discardDraft(database.sql, spec.slug, 'admin:one')
    await saveBasedOn(past.program_version_id, merged, 'admin:one')
    const published = await publishDraft(database.sql, spec.slug, 'admin:one')
    expect(published.program_version_id).toBeGreaterThan(past.program_version_id)
    expect(published.changes.map(({ code }) => code)).toEqual(['question_added'])
  })

  test('publish a definition, which uses up the draft it is based on, and keeps any other', async () => {
    const spec = { slug: 'two-used', questions: [q.text('t used')] }
    const base = await aProgram(database.sql, spec)
    const draft = await save({ ...spec, questions: [q.text('t used'), q.text('t usde')] })
    await publishBasedOn(base.program_version_id, { ...spec, display_name: 'Past it' })
    const kept = await findDraftVersion(database.sql, base.program_id)
    expect(kept?.program_version_id).toBeGreaterThan(draft.program_version_id)
    await discardDraft(database.sql, spec.slug, 'admin:test')
    const again = await save({ ...spec, questions: [q.text('t used'), q.text('t usde')] })
    await publishBasedOn(again.program_version_id, { ...spec, questions: [q.text('t used'), q.text('t more')] })
    expect(await findDraftVersion(database.sql, base.program_id)).toBeUndefined()
    expect(await inBank('t usde')).toBeUndefined()
    expect(await inBank('t more')).toMatchObject({ published: true })
  })

  test('publish a draft that equals the active version, which only removes the draft', async () => {
    const spec = { slug: 'two-nothing', questions: [q.text('t nothing')] }
    const before = await aProgram(database.sql, spec)
    for (const byDefinition of [false, true]) {
      const { program_version_id } = await save({ ...spec, display_name: 'Other' })
      // Published past it, so that the draft says the same as what is there, once it is brought up to date by hand.
      await database.sql`
        update program_version set display_name = ${before.version.display_name}
        where program_id = ${before.program_id} and state = 'DRAFT'`
      const published = byDefinition
        ? await publishBasedOn(program_version_id, spec, 'admin:two')
        : await publishDraft(database.sql, spec.slug, 'admin:two')
      expect(published).toMatchObject({ published: false, program_version_id: before.program_version_id, changes: [] })
      expect(await findDraftVersion(database.sql, before.program_id)).toBeUndefined()
      const [last] = await database.sql`
        select actor, action, detail from audit_event where subject = ${spec.slug} order by audit_event_id desc limit 1`
      expect(last).toEqual({ actor: 'admin:two', action: 'program_draft_discarded', detail: { program_version_id } })
    }
  })
})

describe('the audit log', () => {
  test('records saving, publishing and discarding: who, what and which version', async () => {
    const spec = { slug: 'audited', questions: [q.text('a question')] }
    const draft = await save(spec, 'admin:one')
    await publishDraft(database.sql, 'audited', 'admin:two')
    const next = await save({ ...spec, questions: [q.text('a question'), q.text('b question')] }, 'admin:one')
    await discardDraft(database.sql, 'audited', 'admin:three')
    const events = await database.sql<{ actor: string; action: string; detail: unknown }[]>`
      select actor, action, detail from audit_event where subject = 'audited' order by audit_event_id`
    const [first, last] = [draft.program_version_id, next.program_version_id]
    expect([...events]).toEqual([
      { actor: 'admin:one', action: 'program_draft_saved', detail: { program_version_id: first } },
      {
        actor: 'admin:two',
        action: 'program_published',
        detail: { program_version_id: first, replaces: null, changes: 2 },
      },
      { actor: 'admin:one', action: 'program_draft_saved', detail: { program_version_id: last } },
      { actor: 'admin:three', action: 'program_draft_discarded', detail: { program_version_id: last } },
    ])
  })
})
