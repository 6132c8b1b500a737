import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Problem } from '../../../src/base/problem.ts'
import { parseDefinition } from '../../../src/core/programs/parse-definition.ts'
import { formErrors } from '../../../src/domain/definitions/definition-form.ts'
import { programDefinitionSchema } from '../../../src/domain/definitions/program-definition.ts'
import { schemaError } from '../../../src/domain/definitions/schema-errors.ts'
import { checkSchema, isObject } from '../../../src/domain/definitions/stepwise-check.ts'
import { errors } from '../../support/definition-errors.ts'
import { aDefinition, everyKind, q } from '../../support/programs.ts'

const said = ({ code, path }: { code: string; path: string }): string => `${code} ${path}`

/** What is said by other means than the schema. */
const isElsewhere = (line: string): boolean => /\/visible_when(\/|$)|^unstorable_text | \/based_on$/.test(line)

describe('a document that is checked entry by entry', () => {
  const whole = aDefinition({
    slug: 'p',
    questions: [...everyKind, q.radio('pet', ['cat', 'dog']), q.text('why', { max_length: 9 })],
  })
  const wrong = fc.oneof(
    fc.constantFrom<unknown>(null, true, '', -1, 1.5, 2 ** 60, 'two\nlines', [], {}, [[]], ['x'], [{}], {
      options: [7],
    }),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const changes = fc.array(
    fc.record({
      place: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
      how: fc.constantFrom<'replace' | 'remove' | 'add'>('replace', 'remove', 'add'),
      name: fc.constantFrom('surplus', '__proto__x/y~z', 'options', 'text', 'min', 'toString', ''),
      value: wrong,
    }),
    { minLength: 1, maxLength: 12 },
  )
  const broken = changes.map(list => list.reduce<unknown>(broke, structuredClone(whole)))

  test('has the same errors in the same order as when its schema checks it as a whole', () => {
    let most = 0
    fc.assert(
      fc.property(fc.oneof(broken, wrong), document => {
        const expected = Value.Errors(programDefinitionSchema, document).flatMap(schemaError).map(said)
        const found = [...formErrors(document)].flat().map(said)
        most = Math.max(most, found.length)
        expect(found.filter(line => !isElsewhere(line))).toEqual(expected.filter(line => !isElsewhere(line)))
      }),
      { numRuns: 300 },
    )
    expect(most).toBeGreaterThan(10)
  })

  test('is refused for its unknown members, however many they are', async () => {
    const surplus = Object.fromEntries(Array.from({ length: 12_000 }, (_, i) => [`m${i}`, i]))
    const [first, second] = await errors({ ...surplus, ...whole, slug: 7 })
    expect([first, second]).toEqual(['unknown_member /m0', 'unknown_member /m1'])
    const few = Type.Object({ slug: Type.String() }, { additionalProperties: false })
    const found = checkSchema(few, { ...surplus, slug: 7 })
      .toArray()
      .flat()
      .flatMap(schemaError)
      .map(said)
    expect(found).toHaveLength(12_001)
    expect(found.at(-1)).toBe('wrong_type /slug')
  })

  test('may have additional members where the schema allows them', () => {
    const open = Type.Object({ a: Type.Number() }, { additionalProperties: Type.String() })
    for (const value of [{ a: 1, b: 'x' }, { a: 1, b: 2 }, { a: 'x' }, {}])
      expect(checkSchema(open, value).toArray().flat()).toEqual(Value.Errors(open, value))
  })
})

describe('a large document', () => {
  const letters = (i: number): string => [...String(i)].map(digit => 'abcdefghij'[Number(digit)]).join('')
  const large = aDefinition({
    slug: 'p',
    screens: [0, 1].map(screen => ({
      questions: Array.from({ length: 1000 }, (_, i) =>
        q.checkbox(
          `question ${letters(screen * 1000 + i)}`,
          Array.from({ length: 14 }, (_, option) => `option-${option}`),
        ),
      ),
    })),
  })
  const conditions = aDefinition({
    questions: [
      q.text('a'),
      q.text('b', {
        visible_when: { all: Array.from({ length: 9000 }, () => ({ question: 'a', operator: 'answered' as const })) },
      }),
    ],
  })

  /** How often the event loop came round while something was awaited. */
  async function turnsDuring(work: Promise<unknown>): Promise<number> {
    let turns = 0
    let isDone = false
    const ended = work.then(
      () => (isDone = true),
      () => (isDone = true),
    )
    while (!isDone) {
      await new Promise(resolve => setImmediate(resolve))
      turns++
    }
    await ended
    return turns
  }

  test.each([
    ['of many questions', large, 300],
    [
      'wrong in every question',
      { ...large, questions: large.questions.map(question => ({ ...question, more: 1 })) },
      300,
    ],
    ['of one long list of options', { ...large, questions: [{ ...large.questions[0]!, options: manyOptions() }] }, 300],
    ['of values that nobody asked for', { ...conditions, surplus: Array.from({ length: 30_000 }, () => [1]) }, 300],
    ['of one long condition', conditions, 150],
    ['of many statuses', { ...conditions, statuses: Array.from({ length: 30_000 }, (_, i) => `${i}`) }, 300],
  ])('%s lets the event loop serve others while it is checked', async (_, document, turnsMin) => {
    expect(await turnsDuring(parseDefinition(document, []))).toBeGreaterThan(turnsMin)
  })

  test('has a bounded list of errors', async () => {
    const everywhere = large.questions.map(({ options, ...question }) => ({
      ...question,
      text: 7,
      options: options!.map(() => ({})),
    }))
    expect(await errors({ ...large, questions: everywhere })).toHaveLength(1000)
    // Each error of these names the first.
    const named = Array.from({ length: 900 }, (_, i) => ({ admin_name: `a${'1'.repeat(i === 0 ? 1_000_000 : i)}` }))
    const refused = (await parseDefinition({ ...large, questions: named }).catch(error => error)) as Problem
    expect(refused.errors.length).toBeGreaterThan(100)
    expect(JSON.stringify(refused.errors).length).toBeLessThan(4_000_000)
  })
})

const manyOptions = () => Array.from({ length: 30_000 }, (_, i) => ({ admin_id: `${i}`, text: 'x' }))

interface Change {
  place: readonly number[]
  how: 'replace' | 'remove' | 'add'
  name: string
  value: unknown
}

/** The document with something changed at the place to which these numbers lead. */
function broke(document: unknown, { place, how, name, value }: Change): unknown {
  if (!isObject(document) && !Array.isArray(document)) return document
  const [step = 0, ...further] = place
  const entries = Object.entries(document)
  const at = entries.length === 0 ? undefined : entries[step % entries.length]
  if (further.length > 0 && at !== undefined && typeof at[1] === 'object') {
    at[1] = broke(at[1], { place: further, how, name, value })
  } else if (how === 'add' || at === undefined) entries.push([name, value])
  else if (how === 'remove') entries.splice(step % entries.length, 1)
  else at[1] = value
  return Array.isArray(document) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}
