import { describe, expect, test } from 'bun:test'
import { readCiviformFile } from '../../../src/domain/imports/civiform-file.ts'
import { localized } from '../../../src/domain/languages/localized.ts'
import { civiformFile } from '../../support/civiform-file.ts'
import { errors } from '../../support/definition-errors.ts'

const { definition, losses } = readCiviformFile(civiformFile())
const question = (name: string) => definition.questions.find(({ admin_name }) => admin_name === name)!

describe('a program of CiviForm', () => {
  test('a CiviForm program file becomes a valid definition', async () => {
    expect(await errors(definition)).toEqual([])
    expect(definition).toMatchObject({ slug: 'heating-help-2024', default_language: 'en-US', languages: ['es-US'] })
  })

  test('keeps the exact names of questions and options and the display order of options', () => {
    expect(definition.questions.map(({ admin_name }) => admin_name)).toEqual([
      'Applicant Name',
      'home_address',
      'heating',
      'help wanted',
      'tank size',
      'people',
      'age',
      'email',
      'pension',
    ])
    expect(question('heating').options).toEqual([
      { admin_id: 'Heating oil / other', text: 'Oil', translations: { 'es-US': { text: 'Aceite' } }, legacy_id: true },
      { admin_id: 'gas', text: 'Gas', translations: { 'es-US': { text: 'Gas' } } },
      { admin_id: 'wood', text: 'Wood', translations: { 'es-US': { text: 'Leña' } } },
    ])
  })

  test('hides a screen under HIDE_BLOCK, with option numbers turned into names', () => {
    expect(definition.screens[2]!.visible_when).toEqual({
      not: { question: 'heating', field: 'selection', operator: 'in', value: ['gas', 'wood'] },
    })
  })

  test('asks repeated questions and evaluates the conditions of repeated screens for each entity', () => {
    expect(['age', 'email', 'pension'].map(name => question(name).enumerator)).toEqual(['people', 'people', 'people'])
    expect(definition.screens[5]).toMatchObject({
      name: 'Pension',
      questions: [
        {
          question: 'pension',
          optional: true,
          visible_when: { question: 'age', field: 'number', operator: 'greater_than', value: 64 },
        },
      ],
    })
    expect(definition.screens[5]).not.toHaveProperty('visible_when')
  })

  test('keeps bounds, address correction and all languages', () => {
    expect(question('tank size')).toMatchObject({ min: 1, max: 5000 })
    expect(question('help wanted')).toMatchObject({ kind: 'CHECKBOX', max_count: 2 })
    expect(question('people')).toMatchObject({ kind: 'ENUMERATOR', max_count: 9 })
    expect(question('home_address')).toMatchObject({ correct_addresses: true })
    const spanish = localized(definition, 'es-US')
    expect(spanish.display_name).toBe('Ayuda de calefacción')
    expect(spanish.screens.map(({ name }) => name)).toContain('Cada persona')
    expect(spanish.questions[0]!.text).toBe('¿Cómo se llama?')
    expect(spanish.confirmation).toBe(definition.confirmation!)
  })

  test('lists by name what a definition cannot express', () => {
    expect(losses.map(({ code, subject }) => `${code} ${subject}`).sort()).toEqual([
      'capitals Applicant Name',
      'eligibility screen Tank',
      'entity_name age',
      'entity_name email',
      'no_statuses program',
      'not_kept home_address',
      'not_kept program',
      'not_kept program',
      'slug program',
    ])
  })

  test('reports a condition that cannot be evaluated here, and always shows what it hid', async () => {
    const file = civiformFile()
    // Asked before the question it looks at.
    const [first, ...rest] = file.program.blockDefinitions
    const turned = {
      ...file,
      program: { ...file.program, blockDefinitions: [...rest.slice(1, 2), first!, rest[0]!, ...rest.slice(2)] },
    }
    const read = readCiviformFile(turned)
    expect(read.definition.screens[0]).not.toHaveProperty('visible_when')
    expect(read.losses).toContainEqual(expect.objectContaining({ code: 'condition', subject: 'screen Tank' }))
    expect(await errors(read.definition)).toEqual([])
  })

  test('with unknown types or missing questions is read as far as possible', () => {
    const file = civiformFile()
    const [name, ...others] = file.questions
    const read = readCiviformFile({ ...file, questions: [{ ...name!, type: 'signature' }, ...others.slice(1)] })
    expect(read.definition.questions).toHaveLength(7)
    expect(read.losses.map(({ code }) => code)).toEqual(expect.arrayContaining(['unknown_type', 'missing_question']))
  })

  test.each([
    [{}],
    [{ program: {}, questions: [] }],
    [{ program: { blockDefinitions: [null, 3, {}] }, questions: [null, {}, { config: { id: 'x' } }] }],
  ])('that is malformed causes no exception: %p', file => {
    expect(() => readCiviformFile(file)).not.toThrow()
  })
})
