import { expect, test } from 'bun:test'
import type { ProgramDefinition } from '../../../src/domain/definitions/program-definition.ts'
import type { ProgramDetails } from '../../../src/domain/questions/program-version.ts'
import { errors } from '../../support/definition-errors.ts'
import { aDefinition, q } from '../../support/programs.ts'

const of = (details: object, questions = [q.text('why')]) =>
  errors(aDefinition({ details: details as ProgramDetails, questions }))

test('a document in several languages has no error', async () => {
  const es = { es: { text: '¿Por qué?', help: 'Diga' } }
  const definition = aDefinition({
    details: {
      default_language: 'en-US',
      languages: ['es', 'ar', 'zh-Hant'],
      description: 'Help',
      confirmation: 'Thanks',
      translations: { ar: { display_name: 'إيجار', description: 'مساعدة', confirmation: 'شكرا' } },
      status_details: [{ status: 'Denied', public_name: 'No', translations: { es: { public_name: 'No' } } }],
    },
    screens: [
      {
        description: 'Above',
        translations: { es: { name: 'Uno', description: 'Arriba' } },
        questions: [
          q.text('why', { help: 'Say', translations: es }),
          q.radio('pet', [], {
            options: [{ admin_id: 'cat', text: 'Cat', translations: { 'zh-Hant': { text: '貓' } } }],
          }),
        ],
      },
    ],
  })
  expect(await errors(definition)).toEqual([])
})

test.each<[string, object, string[]]>([
  ['a tag that is none', { languages: ['español'] }, ['wrong_language /languages/0']],
  ['a tag in another form than the canonical', { languages: ['es-mx'] }, ['wrong_language /languages/0']],
  ['a default language that is none', { default_language: 'e' }, ['wrong_language /default_language']],
  ['a language listed twice', { languages: ['es', 'ar', 'es'] }, ['duplicate_language /languages/2']],
  ['the default language among the others', { languages: ['en'] }, ['default_language /languages/0']],
  [
    'a translation in a language that is not listed',
    { languages: ['ar'], translations: { es: { display_name: 'Alquiler' } } },
    ['unlisted_language /translations/es'],
  ],
  [
    'a translation of what there is no text of',
    { languages: ['es'], translations: { es: { description: 'Ayuda' } } },
    ['no_default_text /translations/es/description'],
  ],
  [
    'an unknown field',
    { languages: ['es'], translations: { es: { title: 'Alquiler' } } },
    ['unknown_member /translations/es/title'],
  ],
  [
    'a translation that cannot be seen',
    { languages: ['es'], translations: { es: { display_name: '\u200b' } } },
    ['blank /translations/es/display_name'],
  ],
  [
    'a status that the program lacks',
    { status_details: [{ status: 'New' }] },
    ['unknown_status /status_details/0/status'],
  ],
  [
    'a color that is none',
    { status_details: [{ status: 'Denied', color: 'mauve' }] },
    ['not_allowed /status_details/0/color'],
  ],
  [
    'a status described twice',
    { status_details: [{ status: 'Denied' }, { status: 'Denied' }] },
    ['duplicate_status /status_details/1/status'],
  ],
])('%s is an error at its pointer', async (_, details, expected) => {
  const found = await of(details)
  expect(found).toEqual(expect.arrayContaining(expected))
})

test('unknown fields and unlisted languages are found in questions, options and screens', async () => {
  const definition = aDefinition({ details: { languages: ['es'] }, questions: [q.radio('pet', ['cat'])] })
  const faulty = structuredClone(definition) as ProgramDefinition
  Object.assign(faulty.questions[0]!, { translations: { es: { title: 'x' }, fr: { text: 'x' } } })
  Object.assign(faulty.questions[0]!.options![0]!, { translations: { es: { help: 'x' } } })
  Object.assign(faulty.screens[0]!, { translations: { 'es/~': { name: 'x' } } })
  expect((await errors(faulty)).sort()).toEqual([
    'no_default_text /questions/0/options/0/translations/es/help',
    'no_default_text /questions/0/translations/es/title',
    'unknown_member /questions/0/options/0/translations/es/help',
    'unknown_member /questions/0/translations/es/title',
    'unlisted_language /questions/0/translations/fr',
    'unlisted_language /screens/0/translations/es~1~0',
  ])
})
