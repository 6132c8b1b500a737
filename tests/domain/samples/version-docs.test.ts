import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { diffVersions } from '../../../src/domain/comparison/version-diff.ts'
import { buildKeyMap, type KeyMap, type PublishedVersion } from '../../../src/domain/questions/key-map.ts'
import type { VersionQuestion } from '../../../src/domain/questions/question.ts'
import { versionDocs } from '../../../src/domain/samples/version-docs.ts'
import { publishedVersions } from '../../support/arbitraries.ts'
import { everyKindQuestions, everyKindVersion } from '../../support/every-kind.ts'

const all = everyKindQuestions()
const keyed = (key: string): VersionQuestion => all.find(question => question.question_key === key)!
const asking = (program_version_id: number, questions: VersionQuestion[]) =>
  everyKindVersion({ program_version_id, questions })
const withOptions = (key: string, ids: string[]): VersionQuestion => ({
  ...keyed(key),
  settings: { ...keyed(key).settings, options: ids.map(admin_id => ({ admin_id, text: `Now ${admin_id}` })) },
})

test('lists every question ever in the program with its path, type and answer fields, at every depth', () => {
  const docs = versionDocs(everyKindVersion(), [], { timeZone: 'UTC' })
  const deepest = docs.questions.find(question => question.question_key === 'name_three')!
  // Spec: "Path shape: `application.<enumerator_key>.entities[<index>].<repeated_question_key>.<answer_field>`".
  expect(deepest).toMatchObject({ question_type: 'NAME', depth: 2, asked: true, admin_name: 'name three' })
  expect(deepest.fields[0]).toEqual({
    path: 'application.enumerator_one.entities[<index>].enumerator_two.entities[<index>].name_three.first_name',
    type: expect.stringMatching(/^string\b.*\bnull$/),
    about: expect.any(String),
  })
  const outer = docs.questions.find(question => question.question_key === 'enumerator_one')!
  expect(outer.fields).toEqual([
    {
      path: 'application.enumerator_one.entities',
      type: 'array of objects',
      about: expect.any(String),
    },
    {
      path: 'application.enumerator_one.entities[<index>].entity_name',
      type: 'string',
      about: expect.any(String),
    },
  ])
})

/** Of each version the texts and one option are its own. */
const worded = (versions: readonly PublishedVersion[]) =>
  versions.map(({ program_version_id, questions }, i) =>
    asking(
      program_version_id,
      questions.map(question => {
        const { options } = question.settings
        const more = options && [...options, { admin_id: `only-${i + 1}`, text: `Option of ${i + 1}` }]
        return { ...question, settings: { ...question.settings, text: `Text of ${i + 1}`, options: more } }
      }),
    ),
  )

test('docs of any program have each question in the example at its path, described as in its versions', () => {
  fc.assert(
    fc.property(publishedVersions.map(worded), versions => {
      const [version, earlier] = [versions.at(-1)!, versions.slice(0, -1)]
      const docs = versionDocs(version, earlier, { timeZone: 'UTC' })
      const [full] = JSON.parse(docs.example).payload
      for (const { admin_name, path, question_type, fields, ...said } of docs.questions) {
        const shown = path.split('.').reduce((at, step) => {
          const [, list] = /^(.*)\[<index>\]$/.exec(step) ?? []
          return list === undefined ? at?.[step] : at?.[list].at(-1)
        }, full)
        const numbers = versions.flatMap((version, i) =>
          version.questions.some(q => q.admin_name === admin_name) ? [i + 1] : [],
        )
        const [first, last] = [numbers[0]!, numbers.at(-1)!]
        const asked = last === versions.length
        expect(said).toMatchObject({ asked, first_version: first, text: `Text of ${last}` })
        for (const { id, text, retired, versions } of said.options) {
          const [from, to] = id.startsWith('only-') ? [Number(id.slice(5)), Number(id.slice(5))] : [first, last]
          expect({ retired, versions }).toEqual({ retired: to !== docs.versions_before + 1, versions: [from, to] })
          if (id.startsWith('only-')) expect(text).toBe(`Option of ${from}`)
        }
        // What lies in an enumerator that is not asked any more is in no entity.
        if (shown === undefined) expect([path.includes('[<index>]'), asked]).toEqual([true, false])
        else {
          const listed = fields.map(field => field.path.slice(path.length + 1)).filter(name => !name.includes('.'))
          expect(Object.keys(shown)).toEqual(['question_type', ...listed])
          expect(shown.question_type).toBe(question_type)
        }
      }
      const before = earlier.at(-1)
      expect(docs.changed_since).toBe(before?.program_version_id ?? null)
      expect(docs.changes).toEqual(before === undefined ? [] : diffVersions(before, version))
      const order = (nodes: KeyMap): object[] =>
        nodes.flatMap(node => [{ key: node.question_key, options: node.option_ids }, ...order(node.children)])
      const documented = docs.questions.map(question => ({
        key: question.question_key,
        options: question.options.map(({ id }) => id),
      }))
      expect<object[]>(documented).toEqual(order(buildKeyMap(versions)))
    }),
  )
})

test('docs say when a question is asked, whether it is optional, the limits of its answers and since when it exists', () => {
  const condition = {
    question_id: keyed('radio_one').question_id,
    field: 'selection',
    operator: 'in',
    value: ['red', 'gone'],
  } as const
  const number = { ...keyed('number_one'), settings: { text: 'How many?', min: 1, max: 12 } }
  const text = { ...keyed('text_one'), settings: { text: 'Which?', max_length: 20 } }
  const answered = { question_id: keyed('radio_one').question_id, operator: 'answered' } as const
  const screen = (questions: { question_id: number; optional: boolean; visible_when: typeof condition | null }[]) => [
    { name: 'First', visible_when: null, questions: questions.slice(0, 1) },
    { name: 'All', visible_when: answered, questions: questions.slice(1) },
  ]
  const at = (question: VersionQuestion, optional = false, visible_when: typeof condition | null = null) => ({
    question_id: question.question_id,
    optional,
    visible_when,
  })
  const worded = withOptions('radio_one', ['red'])
  const radio = { ...worded, settings: { ...worded.settings, min_count: 1 } }
  const first = everyKindVersion({
    program_version_id: 1,
    questions: [radio, text],
    screens: screen([at(radio), at(text)]),
  })
  const second = everyKindVersion({
    program_version_id: 2,
    questions: [radio, number],
    screens: screen([at(radio), at(number, true, condition)]),
  })
  const questions = versionDocs(second, [first], { timeZone: 'UTC' }).questions
  const facts = Object.fromEntries(
    questions.map(({ question_key, optional, asked_when, bounds, first_version }) => [
      question_key,
      { optional, asked_when, bounds, first_version },
    ]),
  )
  expect(facts).toEqual({
    radio_one: { optional: false, asked_when: [], bounds: 'at least 1', first_version: 1 },
    text_one: { optional: false, asked_when: [], bounds: 'at most 20 characters', first_version: 1 },
    number_one: {
      optional: true,
      asked_when: [/”[^“]+$/, /”.*“Now red”.*“gone”$/].map(is =>
        expect.stringMatching(new RegExp(`^“${RegExp.escape(radio.settings.text)}${is.source}`)),
      ),
      bounds: 'at least 1, at most 12',
      first_version: 2,
    },
  })
})

test('an option ID that was removed and returned, or changed its text, has each range with its text (D56)', () => {
  const withTexts = (texts: Record<string, string>): VersionQuestion => ({
    ...keyed(all.find(question => question.settings.options !== undefined)!.question_key),
    settings: { text: 'Fuel?', options: Object.entries(texts).map(([admin_id, text]) => ({ admin_id, text })) },
  })
  const texts: Record<string, string>[] = [
    { oil: 'Heating oil', gas: 'Gas' },
    { gas: 'Gas' },
    { oil: 'Oil of olives', gas: 'Natural gas' },
    { oil: 'Oil of olives', gas: 'Natural gas' },
  ]
  const versions = texts.map((item, i) => asking(10 * (i + 1), [withTexts(item)]))
  // A version that does not ask the question ends no range.
  const unasked = asking(35, [keyed('number_one')])
  const history = [...versions.slice(0, 3), unasked, versions[3]!]
  const [{ options } = { options: [] }] = versionDocs(history.at(-1)!, history.slice(0, -1), {
    timeZone: 'UTC',
  }).questions
  expect(options).toMatchObject([
    {
      id: 'oil',
      text: 'Oil of olives',
      versions: [1, 5],
      earlier: [
        { text: 'Heating oil', versions: [1, 1], first_version_id: 10 },
        { text: 'Oil of olives', versions: [3, 5], first_version_id: 30 },
      ],
    },
    {
      id: 'gas',
      earlier: [
        { text: 'Gas', versions: [1, 2], first_version_id: 10 },
        { text: 'Natural gas', versions: [3, 5], first_version_id: 30 },
      ],
    },
  ])
  expect(
    versionDocs(versions[0]!, [], { timeZone: 'UTC' }).questions[0]!.options.map(option => option.earlier),
  ).toEqual([[], []])
})

test('a translation added later changes no meaning: it labels every version with the same text', () => {
  const asking = (id: number, options: readonly object[]) => {
    const version = everyKindVersion()
    const question = version.questions.find(({ settings }) => settings.options !== undefined)!
    const settings = { text: 'Fuel?', options: options as never }
    return {
      ...version,
      program_version_id: id,
      questions: [{ ...question, enumerator_id: null, settings }],
      screens: [],
    }
  }
  const spanish = { es: { text: 'Gasóleo' } }
  const versions = [
    asking(10, [{ admin_id: 'oil', text: 'Oil' }]),
    asking(20, [{ admin_id: 'oil', text: 'Oil', translations: spanish }]),
    asking(30, [{ admin_id: 'oil', text: 'Oil' }]),
    asking(40, [{ admin_id: 'oil', text: 'Olive oil', translations: { es: { text: 'Aceite' } } }]),
  ]
  const optionAt = (at: number, tags?: string[]) =>
    versionDocs(versions[at]!, versions.slice(0, at), { timeZone: 'UTC' }, tags).questions[0]!.options[0]
  expect(optionAt(2, ['es'])).toMatchObject({ text: 'Gasóleo', earlier: [] })
  expect(optionAt(2)).toMatchObject({ text: 'Oil', earlier: [] })
  expect(optionAt(3, ['es-MX', 'es'])).toMatchObject({
    text: 'Aceite',
    earlier: [
      { text: 'Gasóleo', versions: [1, 3], first_version_id: 10 },
      { text: 'Aceite', versions: [4, 4], first_version_id: 40 },
    ],
  })
})
