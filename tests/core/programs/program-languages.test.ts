import { expect, test } from 'bun:test'
import { compareWithPublished } from '../../../src/core/programs/compare.ts'
import { exportProgram, importProgram } from '../../../src/core/programs/program-transport.ts'
import { publishDraft } from '../../../src/core/programs/publish.ts'
import { findActiveVersion } from '../../../src/db/programs/programs.ts'
import { describeForEditing, describeVersion } from '../../../src/domain/definitions/version-definition.ts'
import { endWithTest, useDatabase } from '../../support/fixtures.ts'
import { aDefinition, aDraft, aProgram, type ProgramSpec, publish, q, upToDate } from '../../support/programs.ts'

const { sql } = await useDatabase()

const spanish = (text: string) => ({ translations: { es: { text } } })

const inSpanish = (slug: string, name: string): ProgramSpec => ({
  slug,
  details: {
    languages: ['es'],
    description: 'Help with rent',
    confirmation: 'We write to you',
    translations: { es: { display_name: 'Alquiler', confirmation: 'Le escribimos' } },
    status_details: [
      { status: 'Denied', color: 'red', public_name: 'No', translations: { es: { public_name: 'No' } } },
    ],
  },
  screens: [
    {
      name: 'You',
      description: 'About you',
      translations: { es: { name: 'Usted' } },
      questions: [
        q.text(name, spanish('¿Quién?')),
        q.radio(`${name} pet`, [], { options: [{ admin_id: 'cat', text: 'Cat', ...spanish('Gato') }] }),
      ],
    },
  ],
})

test('texts and languages are part of a version, whose document is the one that was published', async () => {
  const program = inSpanish('kept', 'kept')
  const { version } = await aProgram(sql, program)
  expect(describeVersion(version)).toEqual(aDefinition(program))
  await expect(sql`update program_version set details = '{}' where state = 'ACTIVE'`.execute()).rejects.toThrow()
})

test('a changed translation is a change of the version, listed under its language', async () => {
  await publish(sql, inSpanish('said', 'said'))
  const program = inSpanish('said', 'said')
  const definition = await upToDate(sql, aDefinition(program))
  const [question, pet] = definition.questions
  Object.assign(question!, spanish('¿Cómo?'))
  Object.assign(pet!.options![0]!, spanish('Gata'))
  definition.languages = ['es', 'ar']
  definition.status_details![0]!.color = 'amber'
  const { changes } = await compareWithPublished(sql, definition)
  expect(changes.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
    'languages_changed ',
    'status_colors_changed ',
    'translation_changed said',
    'translation_changed said pet',
  ])
  expect(changes[2]!.detail).toMatch(/^Spanish .*¿Cómo\?.*¿Quién\?/)
  expect(changes[3]!.detail).toMatch(/^Spanish .*Gata.*Gato/)
})

test('a program that does not offer a language keeps the translations that a shared question has for others', async () => {
  await aProgram(sql, inSpanish('with', 'both'))
  const without = await aProgram(sql, { slug: 'without', questions: [q.text('both', spanish('¿Quién?'))].slice(1) })
  const spec: ProgramSpec = { slug: 'without', questions: [q.text('both')] }
  const added = await publish(sql, spec)
  expect(added.also_published).toEqual([])
  const active = (await findActiveVersion(sql, without.program_id))!
  expect(active.questions[0]!.settings.translations).toEqual({ es: { text: '¿Quién?' } })
  expect(describeForEditing(active).questions[0]).not.toHaveProperty('translations')

  const edited = await publish(sql, { ...spec, questions: [q.text('both', { text: 'Who?' })] })
  expect(edited.also_published.map(({ slug }) => slug)).toEqual(['with'])
  const other = await sql<{ program_id: number }[]>`select program_id from program where slug = 'with'`
  const { questions } = (await findActiveVersion(sql, other[0]!.program_id))!
  expect(questions[0]!.settings).toEqual({ text: 'Who?', translations: { es: { text: '¿Quién?' } } })
})

test('a draft in several languages is published as it was saved, and saving it again changes nothing', async () => {
  const program = inSpanish('drafted', 'drafted')
  const saved = await aDraft(sql, program)
  expect(saved.saved).toBe(true)
  expect((await aDraft(sql, program)).saved).toBe(false)
  const { program_version_id } = await publishDraft(sql, 'drafted', 'admin:test')
  expect(program_version_id).toBe(saved.program_version_id)
  expect((await publish(sql, program)).published).toBe(false)
})

test('a bundle contains languages, byte for byte', async () => {
  await publish(sql, inSpanish('travels', 'travels'))
  await publish(sql, { ...inSpanish('travels', 'travels'), details: { languages: ['es', 'ar'] } })
  const bundle = await exportProgram(sql, 'travels')
  const there = await useDatabase({}, endWithTest)
  await importProgram(there.sql, JSON.parse(JSON.stringify(bundle)), 'operator:test')
  expect(JSON.stringify(await exportProgram(there.sql, 'travels'))).toBe(JSON.stringify(bundle))
})
