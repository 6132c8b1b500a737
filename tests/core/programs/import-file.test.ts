import { describe, expect, test } from 'bun:test'
import { type ImportRequest, importFile, previewImport } from '../../../src/core/programs/import-file.ts'
import { exportProgram } from '../../../src/core/programs/program-transport.ts'
import { publishDraft } from '../../../src/core/programs/publish.ts'
import { findDraftVersion, findProgram } from '../../../src/db/programs/programs.ts'
import { describeVersion } from '../../../src/domain/definitions/version-definition.ts'
import type { ImportChoices } from '../../../src/domain/imports/plan-import.ts'
import { civiformFile } from '../../support/civiform-file.ts'
import { endWithTest, useDatabase } from '../../support/fixtures.ts'
import { aDefinition, aProgram, publish, q } from '../../support/programs.ts'
import { rejection } from '../../support/refusal.ts'

const { sql } = await useDatabase()

const bytes = (document: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(document))
const preview = (document: unknown, request: Partial<ImportRequest> = {}) =>
  previewImport(sql, bytes(document), { questions: {}, ...request }, {})
const bringIn = (document: unknown, request: Partial<ImportRequest> = {}) =>
  importFile(sql, bytes(document), { questions: {}, ...request }, 'admin:test', {})

async function counts(): Promise<unknown> {
  return sql`select (select count(*) from program) as programs, (select count(*) from question) as questions,
    (select count(*) from program_version) as versions, (select count(*) from question_version) as question_versions`
}

describe('a definition from elsewhere', () => {
  const tax = aDefinition({
    slug: 'tax-relief',
    screens: [
      {
        name: 'You',
        questions: [
          q.email('d email', { text: 'Votre adresse ?' }),
          q.id('d account'),
          q.name('d full name'),
          q.text('d new'),
        ],
      },
    ],
  })

  test('is previewed with every conflict, and with a choice for each becomes a draft that is published as in the file', async () => {
    await publish(sql, {
      slug: 'old-form',
      display_name: 'Old form',
      questions: [q.email('d email'), q.number('d account')],
    })
    await publish(sql, { slug: 'old-list', questions: [q.enumerator('d people', [q.name('d full name')])] })
    const before = await counts()
    const shown = await preview(tax)
    expect(shown).toMatchObject({ form: 'definition', slug: 'tax-relief', exists: false, with_history: false })
    expect(shown.open).toEqual(['d email', 'd account', 'd full name'])
    expect(shown.questions.map(({ reason }) => reason)).toEqual(['settings', 'kind', 'place', null])
    expect(shown.affected).toEqual({ 'd email': ['Old form'] })
    const refused = await rejection(bringIn(tax))
    expect(refused.kind).toBe('conflict')
    expect(refused.errors.map(({ path, code }) => `${code} ${path}`)).toEqual([
      'choice_required /questions/d email',
      'choice_required /questions/d account',
      'choice_required /questions/d full name',
    ])
    expect(await counts()).toEqual(before)

    const questions: ImportChoices = {
      'd email': { do: 'reuse' },
      'd account': { do: 'copy', name: 'd tax account' },
      'd full name': { do: 'copy', name: 'd taxpayer name' },
    }
    expect(await preview(tax, { questions })).toMatchObject({ open: [], errors: [] })
    expect(await bringIn(tax, { questions })).toMatchObject({ saved_as: 'draft', slug: 'tax-relief' })
    const { program_id } = (await findProgram(sql, 'tax-relief'))!
    const draft = describeVersion((await findDraftVersion(sql, program_id))!)
    expect(draft.questions.map(({ admin_name, text }) => [admin_name, text])).toEqual([
      ['d email', 'd email?'],
      ['d tax account', 'd account?'],
      ['d taxpayer name', 'd full name?'],
      ['d new', 'd new?'],
    ])
    expect((await publishDraft(sql, 'tax-relief', 'admin:test')).also_published).toEqual([])
  })

  test('for an existing program is refused, or saved as its draft if chosen', async () => {
    await aProgram(sql, { slug: 'there', questions: [q.text('there a')] })
    const document = aDefinition({ slug: 'there', questions: [q.text('there b')] })
    expect((await rejection(bringIn(document))).errors).toMatchObject([{ code: 'program_exists', path: '/slug' }])
    expect(await bringIn(document, { update: true })).toMatchObject({ saved_as: 'draft' })
    expect(
      await bringIn(document, { slug: 'there-too', questions: { 'there b': { do: 'copy', name: 'there c' } } }),
    ).toMatchObject({ slug: 'there-too' })
  })

  test('with errors, or with conditions that don’t match a reused question, is refused with all of them', async () => {
    await aProgram(sql, { slug: 'pets', questions: [q.radio('e pet', ['cat'])] })
    const document = aDefinition({
      slug: 'pets-too',
      questions: [
        q.radio('e pet', ['dog']),
        q.text('e dog name', {
          visible_when: { question: 'e pet', field: 'selection', operator: 'equal', value: 'dog' },
        }),
      ],
    })
    const shown = await preview(document, { questions: { 'e pet': { do: 'reuse' } } })
    expect(shown.errors.map(({ code }) => code)).toEqual(['unknown_option'])
    expect((await rejection(bringIn(document, { questions: { 'e pet': { do: 'reuse' } } }))).kind).toBe(
      'invalid_request',
    )
    expect((await rejection(preview({ ...document, questions: 3 }))).kind).toBe('invalid_request')
  })
})

describe('a bundle', () => {
  test('is imported with its history if nothing prevents it', async () => {
    const there = await useDatabase({}, endWithTest)
    await publish(there.sql, { slug: 'moved', questions: [q.text('m one')] })
    await publish(there.sql, { slug: 'moved', questions: [q.text('m two')] })
    const bundle = await exportProgram(there.sql, 'moved')
    const here = await useDatabase({}, endWithTest)
    const file = bytes(bundle)
    expect(await previewImport(here.sql, file, { questions: {} }, {})).toMatchObject({
      form: 'bundle',
      with_history: true,
      losses: [],
    })
    const outcome = await importFile(here.sql, file, { questions: {} }, 'operator:test', {})
    expect(outcome).toMatchObject({
      saved_as: 'published',
      program_version_ids: bundle.program_versions.map(item => item.program_version_id),
    })
    expect(await exportProgram(here.sql, 'moved')).toEqual(bundle)
  })

  test('whose IDs are taken is imported as a draft, and the preview says that its history is left out', async () => {
    const there = await useDatabase({}, endWithTest)
    await publish(there.sql, { slug: 'from-there', questions: [q.text('t one', { text: 'One' }), q.text('t two')] })
    await publish(sql, { slug: 'from-here', questions: [q.text('t one')] })
    const bundle = await exportProgram(there.sql, 'from-there')
    const shown = await preview(bundle)
    expect(shown).toMatchObject({ form: 'bundle', with_history: false, open: ['t one'] })
    expect(shown.losses.map(({ code }) => code)).toEqual(['history'])
    expect(await bringIn(bundle, { questions: { 't one': { do: 'change' } } })).toMatchObject({ saved_as: 'draft' })
    const moved = await publishDraft(sql, 'from-there', 'admin:test', { move: 'all' })
    expect(moved.also_published.map(({ slug }) => slug)).toEqual(['from-here'])
  })
})

test('a CiviForm file is previewed with what is lost, imported and published', async () => {
  const shown = await preview(civiformFile())
  expect(shown).toMatchObject({
    form: 'civiform',
    slug: 'heating-help-2024',
    languages: ['en-US', 'es-US'],
    screens: 6,
    open: [],
    errors: [],
  })
  expect(shown.losses.length).toBeGreaterThan(5)
  await bringIn(civiformFile())
  expect((await publishDraft(sql, 'heating-help-2024', 'admin:test')).published).toBe(true)
  // Once more: every question is in the bank as the file has it.
  const again = await preview(civiformFile(), { slug: 'heating-again' })
  expect(new Set(again.questions.map(({ relation }) => relation))).toEqual(new Set(['same']))
})

test('a file that is not a program is rejected with one error', async () => {
  const refused = await rejection(preview({ openapi: '3.1.0' }))
  expect(refused.errors.map(({ code }) => code)).toEqual(['no_program'])
})
