import { describe, expect, test } from 'bun:test'
import { exportProgram } from '../../../../src/core/programs/program-transport.ts'
import { useIntake } from '../../../support/fixtures.ts'
import { aDefinition, publish, q } from '../../../support/programs.ts'

const intake = await useIntake([q.text('why')], { timeZone: 'UTC' })
const { slug } = intake.program

const words = {
  es: { name: 'Nombre', text: '¿Tiene casa?', yes: 'Sí', title: 'Ayuda', next: 'Le escribimos', denied: 'Esta vez no' },
  ar: {
    name: 'الاسم',
    text: 'هل لديك منزل؟',
    yes: 'نعم',
    title: 'مساعدة',
    next: 'سنكتب إليك',
    denied: 'ليس هذه المرة',
  },
}
type Words = typeof words.es
const each = (make: (item: Words) => object) => ({ es: make(words.es), ar: make(words.ar) })

const program = {
  slug,
  display_name: 'Help',
  details: {
    languages: ['es', 'ar'],
    confirmation: 'We write to you',
    translations: each(({ title, next }) => ({ display_name: title, confirmation: next })),
    status_details: [
      { status: 'Denied', public_name: 'Not now', translations: each(({ denied }) => ({ public_name: denied })) },
    ],
  },
  screens: [
    {
      name: 'Name',
      translations: each(({ name }) => ({ name })),
      questions: [
        q.radio('owns home', [], {
          text: 'Do you own it?',
          translations: each(({ text }) => ({ text })),
          options: [
            { admin_id: 'yes', text: 'Yes', translations: each(({ yes }) => ({ text: yes })) },
            { admin_id: 'no', text: 'No', translations: { es: { text: 'No, gracias' } } },
          ],
        }),
        q.text('why', { optional: true }),
      ],
    },
  ],
}
await publish(intake.database.sql, program)

interface Asked {
  language: string
  languages: string[]
  display_name: string
  confirmation: string
  status_details: { public_name: string }[]
  screens: { name: string }[]
  questions: {
    question_id: number
    question_key: string
    settings: { text: string; options?: { admin_id: string; text: string }[] }
  }[]
}

async function read(query = '', acceptLanguage?: string) {
  const headers: Record<string, string> = acceptLanguage === undefined ? {} : { 'Accept-Language': acceptLanguage }
  const response = await intake.service.get(`/intake/v1/programs/${slug}${query}`, {
    headers: { Authorization: intake.key.authorization, ...headers },
  })
  return { response, asked: (await response.json()) as Asked }
}

const textsOf = ({ display_name, confirmation, status_details, screens, questions }: Asked): string[] => [
  display_name,
  confirmation,
  status_details[0]!.public_name,
  screens[0]!.name,
  ...questions.flatMap(({ settings }) => [settings.text, ...(settings.options ?? []).map(({ text }) => text)]),
]
const english = ['Help', 'We write to you', 'Not now', 'Name', 'Do you own it?', 'Yes', 'No', 'why?']
const inWords = ({ title, next, denied, name, text, yes }: Words, no: string) => [
  title,
  next,
  denied,
  name,
  text,
  yes,
  no,
  'why?',
]

describe('the questions of a program', () => {
  test.each<[string, string, string | undefined, string, string[]]>([
    ['in the default language when none is asked for', '', undefined, 'en', english],
    [
      'in the language of Accept-Language with the highest quality',
      '',
      'fr;q=0.1, ar;q=0.2, es-MX;q=0.9',
      'es',
      inWords(words.es, 'No, gracias'),
    ],
    [
      'in Arabic, with the default text where a translation is missing',
      '?language=ar-EG',
      undefined,
      'ar',
      inWords(words.ar, 'No'),
    ],
    [
      'in the language of the parameter rather than of the header',
      '?language=es',
      'ar',
      'es',
      inWords(words.es, 'No, gracias'),
    ],
    ['in the default language when none fits', '?language=fr', 'ar', 'en', english],
    ['in the default language for a header that names none', '', '*, ;q=2, es;q=0', 'en', english],
  ])('come %s', async (_, query, header, language, texts) => {
    const { response, asked } = await read(query, header)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-language')).toBe(language)
    expect(response.headers.get('vary')).toContain('Accept-Language')
    expect(asked).toMatchObject({ language, languages: ['en', 'es', 'ar'] })
    expect(textsOf(asked)).toEqual(texts)
    expect(JSON.stringify(asked)).not.toContain('translations')
  })

  test('have the same ids, keys and options in every language', async () => {
    const [en, ...others] = await Promise.all(['en', 'es', 'ar'].map(tag => read(`?language=${tag}`)))
    const bare = ({ asked }: { asked: Asked }) =>
      asked.questions.map(({ question_id, question_key, settings }) => [
        question_id,
        question_key,
        settings.options?.map(({ admin_id }) => admin_id),
      ])
    for (const other of others) expect(bare(other)).toEqual(bare(en!))
  })

  test('an invalid language is rejected', async () => {
    const { response, asked } = await read('?language=español')
    expect(response.status).toBe(400)
    expect(asked).toMatchObject({ errors: [{ parameter: 'language', code: 'malformed' }] })
  })
})

test('an application is exported the same in whichever language it was filled in, except for its `language`', async () => {
  const exported: Record<string, unknown>[] = []
  for (const language of ['en', 'es', 'ar']) {
    const { body } = await intake.send('POST', 'applicants', { language: 'en' })
    const applicant = body.applicant_id as number
    await intake.send('PUT', `applicants/${applicant}`, { language })
    await intake.save(applicant, { owns_home: { selection: 'yes' }, why: { text: 'x' } })
    expect((await intake.submit(applicant, `in ${language}`)).status).toBe(201)
    const { application, language: chosen } = (await intake.exported()).at(-1)!
    expect(chosen).toBe(language)
    exported.push(application as Record<string, unknown>)
  }
  expect(exported[1]).toEqual(exported[0]!)
  expect(exported[2]).toEqual(exported[0]!)
  expect(exported[0]).toMatchObject({ owns_home: { selection: 'yes' } })
})

test('an added translation changes no key of an export', async () => {
  const before = await intake.exported()
  await publish(intake.database.sql, { ...program, details: { ...program.details, languages: ['es', 'ar', 'fr'] } })
  expect(await intake.exported()).toEqual(before)
  await publish(intake.database.sql, program)
  const bundle = await exportProgram(intake.database.sql, slug)
  expect(bundle.questions.map(({ question_key }) => question_key).sort()).toEqual(['owns_home', 'why'])
  expect(
    aDefinition(program)
      .questions.map(({ admin_name }) => admin_name)
      .sort(),
  ).toEqual(['owns home', 'why'])
})
