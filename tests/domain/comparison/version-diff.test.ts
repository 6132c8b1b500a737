import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseDefinition } from '../../../src/core/programs/parse-definition.ts'
import { exportEffects } from '../../../src/domain/comparison/export-effects.ts'
import { compareDefinitions, diffDefinitions, diffVersions } from '../../../src/domain/comparison/version-diff.ts'
import type { NamedCondition, ProgramDefinition } from '../../../src/domain/definitions/program-definition.ts'
import { describeVersion, storedCondition } from '../../../src/domain/definitions/version-definition.ts'
import { aDefinition, everyKind, type ProgramSpec, q } from '../../support/programs.ts'

const base: ProgramSpec = {
  slug: 'p',
  screens: [
    { name: 'About you', questions: [q.name('name'), q.number('age', { min: 0, max: 120 })] },
    { name: 'Home', questions: [q.radio('pet', ['cat', 'dog']), q.text('why', { optional: true })] },
  ],
}

const codes = (after: ProgramSpec, before: ProgramSpec = base): string[] =>
  diffDefinitions(aDefinition(before), aDefinition(after)).map(({ code, subject }) => `${code} ${subject}`.trim())

const home = { name: 'Home', questions: [q.radio('pet', ['cat', 'dog']), q.text('why', { optional: true })] }
const you = { name: 'About you', questions: [q.name('name'), q.number('age', { min: 0, max: 120 })] }
const answered: NamedCondition = { question: 'name', operator: 'answered' }

describe('diffVersions', () => {
  test.each<[string, ProgramSpec, string[]]>([
    ['the display name', { ...base, display_name: 'Other' }, ['display_name_changed']],
    ['the statuses', { ...base, statuses: ['Denied', 'Approved'] }, ['statuses_changed']],
    [
      'options reordered',
      { ...base, screens: [you, { ...home, questions: [q.radio('pet', ['dog', 'cat']), home.questions[1]!] }] },
      ['options_reordered pet'],
    ],
    [
      'the condition of a screen',
      { ...base, screens: [you, { ...home, visible_when: answered }] },
      ['screen_condition_changed Home'],
    ],
    [
      'a question moved',
      {
        ...base,
        screens: [
          { ...you, questions: [...you.questions, home.questions[1]!] },
          { ...home, questions: home.questions.slice(0, 1) },
        ],
      },
      ['question_moved why'],
    ],
    [
      'questions reordered',
      { ...base, screens: [{ ...you, questions: [...you.questions].reverse() }, home] },
      ['questions_reordered About you'],
    ],
    ['screens reordered', { ...base, screens: [home, you] }, ['screens_reordered']],
    ['a screen added', { ...base, screens: [you, home, { name: 'Home', questions: [] }] }, ['screen_added Home']],
    [
      'a screen removed with what it asked',
      { ...base, screens: [you] },
      ['screen_removed Home', 'question_removed pet', 'question_removed why'],
    ],
  ])('reports %s', (_, after, expected) => {
    expect(codes(after)).toEqual(expected)
  })

  test('shows the old and new values in the words that applicants read', () => {
    const pet: NamedCondition = { question: 'pet', field: 'selection', operator: 'equal', value: 'cat' }
    const who = q.name('who')
    const was = [q.number('age', { max: 3 }), q.radio('pet', ['cat', 'dog']), q.static('welcome'), q.text('why'), who]
    const options = [
      { admin_id: 'cow', text: 'Cow' },
      { admin_id: 'cat', text: 'Kitty' },
    ]
    const asked = q.number('age', { text: 'Age', help: 'In years', min: 1, max: 4, optional: true, visible_when: pet })
    const ann: NamedCondition = { question: 'who', field: 'first_name', operator: 'equal', value: 'Ann' }
    const is = [
      asked,
      q.radio('pet', [], { options, visible_when: ann }),
      q.static('hint'),
      q.date('day'),
      q.name('who', { optional: true }),
    ]
    const [before, after] = [was, is].map(questions => aDefinition({ slug: 'p', questions }))
    const changes = diffDefinitions(before!, { ...after!, statuses: [] })
    const values = (detail: string): string[] => detail.match(/“[^”]*”|\b(?:\d+|none|yes|no|always)\b/g) ?? []
    expect(changes.map(({ code, subject, detail }) => [code, subject, ...values(detail)].join(' '))).toEqual([
      'statuses_changed  none “Approved” “Denied”',
      'question_added hint “hint?”',
      'question_added day “day?”',
      'question_removed welcome',
      'question_removed why',
      'text_changed age “Age” “age?”',
      'help_changed age “In years” none',
      'bounds_changed age 1 none',
      'bounds_changed age 4 3',
      'optional_changed age yes no',
      'condition_changed age “pet?” “Kitty” always',
      'option_added pet “Cow”',
      'option_removed pet “Option dog”',
      'option_text_changed pet “Kitty” “Option cat”',
      'condition_changed pet “who?” “Ann” always',
      'optional_changed who yes no',
    ])
    // Text to read has no answer, and no key.
    const effects = exportEffects(changes)
    expect(effects.map(({ code, key }) => `${code} ${key}`)).toEqual([
      'statuses_changed status',
      'question_added day',
      'question_removed why',
      'optional_changed age',
      'option_added pet',
      'option_removed pet',
      'condition_changed pet',
      'optional_changed who',
    ])
    for (const { key, detail } of effects) expect(detail).toMatch(new RegExp(`^${key}\\b`))
    expect([effects[4]!.detail, effects[5]!.detail]).toEqual([
      expect.stringMatching(/“Cow” \(cow\)/),
      expect.stringMatching(/“Option dog” \(dog\)/),
    ])
  })

  test('a definition that is written differently but means the same is not a change', () => {
    const definition = aDefinition({ slug: 'p', questions: [q.text('a'), q.address('b')] })
    const spelled = structuredClone(definition)
    spelled.screens[0]!.visible_when = null
    spelled.screens[0]!.questions[0]!.optional = false
    spelled.questions[1]!.correct_addresses = false
    spelled.questions.reverse()
    expect(diffDefinitions(definition, spelled)).toEqual([])
  })

  test('is empty exactly when two versions are the same, and reversed it undoes itself', async () => {
    await fc.assert(
      fc.asyncProperty(definitions, definitions, async (before, after) => {
        await parseDefinition(before)
        const changes = diffDefinitions(before, after)
        expect(changes.length === 0).toBe(Bun.deepEquals(meaning(before), meaning(after)))
        const added = (list: typeof changes) => list.filter(({ code }) => code === 'question_added').map(c => c.subject)
        const removed = (list: typeof changes) =>
          list.filter(({ code }) => code === 'question_removed').map(c => c.subject)
        const back = diffDefinitions(after, before)
        expect(back).toHaveLength(changes.length)
        expect(added(back).sort()).toEqual(removed(changes).sort())
        expect(diffDefinitions(before, structuredClone(before))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})

describe('compareDefinitions', () => {
  const cat: NamedCondition = { question: 'pet', field: 'selection', operator: 'equal', value: 'cat' }
  const before = aDefinition({
    slug: 'p',
    statuses: ['New'],
    screens: [
      { name: 'You', questions: [q.radio('pet', ['cat', 'dog', 'cow']), q.text('gone')] },
      { name: 'Home', questions: [q.enumerator('members', [q.text('nick', { max_length: 9 })]), q.text('why')] },
    ],
  })
  const options = [
    { admin_id: 'cat', text: 'Cat' },
    { admin_id: 'dog', text: 'A dog' },
    { admin_id: 'cow', text: before.questions[0]!.options![2]!.text },
  ]
  const after = aDefinition({
    slug: 'p',
    statuses: ['New', 'Approved'],
    screens: [
      { name: 'You', questions: [q.radio('pet', [], { text: 'Your pet?', options })] },
      {
        name: 'Home',
        visible_when: cat,
        questions: [
          q.text('why', { visible_when: cat, optional: true }),
          q.enumerator('members', [q.text('nick', { max_length: 12 }), q.date('born')], { text: 'Who?' }),
        ],
      },
    ],
  })

  test('shows old and new values in the words of the questions, including conditions and repeated questions', () => {
    const said = compareDefinitions(before, after).map(({ title, mark, facts }) => [
      `${title} ${mark}`,
      ...facts.map(({ label, before, now }) => `${label}: ${before.join(', ')} → ${now.join(', ')}`),
    ])
    const isCat = / → .*“Your pet\?”.*“Cat”$/
    const expected: [RegExp, ...RegExp[]][] = [
      [/ changed$/, /: {2}→ Approved$/],
      [/^Your pet\? changed$/, /: pet\? → Your pet\?$/, /: .*\(cat\), .*\(dog\) → Cat \(cat\), A dog \(dog\)$/],
      [/^Home changed$/, isCat, /: members\?, nick\?, why\? → why\?, Who\?, nick\?$/],
      [/^why\? changed$/, /: \D+ → \D+$/, isCat],
      [/^Who\? changed$/, /: members\? → Who\?$/],
      [/^nick\? changed$/, /: .*\b9\b.* → .*\b12\b/],
      [/^born\? new$/, /: {2}→ .*“Who\?”$/, /: {2}→ Home$/],
      [/^gone\? removed$/],
    ]
    expect(said).toEqual(expected.map(lines => lines.map(line => expect.stringMatching(line))))
  })
})

describe('describeVersion', () => {
  test('returns the document that a version was made from, whatever its conditions', async () => {
    const condition: NamedCondition = {
      all: [
        answered,
        { any: [{ not: answered }, { question: 'age', field: 'number', operator: 'in', value: [1, 2] }] },
      ],
    }
    const definition = aDefinition({
      slug: 'p',
      questions: [...everyKind, q.name('name'), q.number('age'), q.text('why', { visible_when: condition })],
    })
    await parseDefinition(definition)
    const ids = new Map(definition.questions.map((question, index) => [question.admin_name, 100 + index]))
    const idOf = (name: string): number => ids.get(name)!
    const version = {
      slug: definition.slug,
      display_name: definition.display_name,
      statuses: definition.statuses,
      questions: definition.questions.map(({ admin_name, kind, enumerator, ...settings }) => ({
        question_id: idOf(admin_name),
        question_version_id: 1,
        question_key: 'x',
        admin_name,
        kind,
        enumerator_id: enumerator === undefined ? null : idOf(enumerator),
        settings,
      })),
      screens: definition.screens.map(screen => ({
        name: screen.name,
        visible_when: null,
        questions: screen.questions.map(placed => ({
          question_id: idOf(placed.question),
          optional: placed.optional ?? false,
          visible_when: placed.visible_when == null ? null : storedCondition(placed.visible_when, idOf),
        })),
      })),
    }
    expect(describeVersion(version)).toEqual(definition)
    expect(diffVersions(version, version)).toEqual([])
  })
})

/** Small programs that often share questions, screens and settings. */
const definitions: fc.Arbitrary<ProgramDefinition> = fc
  .record({
    display_name: fc.constantFrom('A', 'B'),
    statuses: fc.subarray(['x', 'y']),
    asked: fc.shuffledSubarray(['a', 'b', 'c', 'd']),
    screens: fc.array(fc.constantFrom('One', 'Two'), { minLength: 1, maxLength: 3 }),
    places: fc.array(fc.nat(2), { minLength: 4, maxLength: 4 }),
    optional: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    max_length: fc.array(fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }), { minLength: 4, maxLength: 4 }),
  })
  .map(({ asked, screens, places, optional, max_length, ...rest }) =>
    aDefinition({
      slug: 'p',
      ...rest,
      screens: screens.map((name, screen) => ({
        name,
        questions: asked.flatMap((value, index) =>
          places[index]! % screens.length === screen
            ? [
                q.text(value, {
                  optional: optional[index]!,
                  ...(max_length[index] === undefined ? {} : { max_length: max_length[index] }),
                }),
              ]
            : [],
        ),
      })),
    }),
  )

const meaning = ({ questions, ...definition }: ProgramDefinition) => ({
  ...definition,
  questions: Object.fromEntries(questions.map(question => [question.admin_name, question])),
})

test('a question that a document leaves to the bank is compared as asked, not as defined', () => {
  const before = aDefinition(base)
  const undefinedHere = { ...before, questions: before.questions.filter(({ admin_name }) => admin_name !== 'age') }
  const screens = before.screens.map((screen, i) =>
    i === 0 ? { ...screen, questions: [...screen.questions, { question: 'banked' }] } : screen,
  )
  expect(diffDefinitions(before, undefinedHere)).toEqual([])
  expect(diffDefinitions(before, { ...before, screens })).toEqual([
    { code: 'question_added', subject: 'banked', detail: 'Question added: from the bank.' },
  ])
})
