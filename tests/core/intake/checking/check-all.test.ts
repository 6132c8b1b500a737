import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkAnswers, entitiesMax } from '../../../../src/core/intake/checking/check-all.ts'
import { errorsMax } from '../../../../src/core/intake/checking/validation-errors.ts'
import { noEntityEnd, renderMembers } from '../../../../src/domain/questions/answers.ts'
import { buildKeyMap } from '../../../../src/domain/questions/key-map.ts'
import type { Condition } from '../../../../src/domain/questions/program-version.ts'
import { sampleAnswers } from '../../../../src/domain/samples/sample-answers.ts'
import { aVersion, options } from '../../../support/program-version.ts'
import { answersOf, asJson, errorsOf } from './checking.ts'

const text = (value: string) => ({ text: value })
const yes: Condition = { question_id: 1, field: 'selection', operator: 'equal', value: 'yes' }
const answered = (question_id: number): Condition => ({ question_id, operator: 'answered' })

describe('keys', () => {
  const version = aVersion({
    'first wish': { kind: 'TEXT' },
    'the people': { kind: 'ENUMERATOR', optional: true },
    'their job': { kind: 'TEXT', under: 'the people' },
    notice: { kind: 'STATIC' },
    'left out': { kind: 'TEXT', unplaced: true },
  })

  test('an unknown key is refused with the most similar key, and an unknown field with all fields', () => {
    const checked = checkAnswers(
      version,
      asJson({ first_wsh: text('x'), zzzzzzzz: null, first_wish: { txt: 'x' } }),
      'save',
    )
    expect(checked).toEqual({
      errors: [
        {
          path: '/answers/first_wsh',
          code: 'unknown_question',
          detail: expect.stringContaining('"first_wish"'),
        },
        {
          path: '/answers/zzzzzzzz',
          code: 'unknown_question',
          detail: expect.not.stringContaining('"'),
        },
        {
          path: '/answers/first_wish/txt',
          code: 'unknown_field',
          detail: expect.stringMatching(/TEXT.*`text`/),
        },
      ],
      more: false,
    })
  })

  test('keys that objects inherit, keys of another level and questions on no screen are unknown', () => {
    const keys = ['__proto__', 'constructor', 'their_job', 'left_out', 'entity_name']
    expect(errorsOf(version, `{${keys.map(key => `"${key}":null`)}}`)).toEqual(
      Object.fromEntries(keys.map(key => [`/answers/${key}`, 'unknown_question'])),
    )
  })

  test('a key may be named like an inherited member', () => {
    const version = aVersion({ a: { kind: 'TEXT' }, b: { kind: 'NUMBER' } })
    const keys = ['__proto__', 'constructor']
    const odd = { ...version, questions: version.questions.map((q, i) => ({ ...q, question_key: keys[i]! })) }
    const answers = answersOf(odd, '{"__proto__":{"text":"x"},"constructor":{"number":1}}')
    expect([...answers.keys()]).toEqual(keys)
  })

  test('"Static text questions do not appear, since they have no answer"', () => {
    expect(errorsOf(version, { notice: text('x') })).toEqual({ '/answers/notice': 'no_answer' })
    expect(errorsOf(version, { notice: text('x'), first_wish: text('y') }, 'submit')).toEqual({})
  })

  test('answers must be an object', () => {
    for (const body of ['null', '[]', '"x"', '1']) expect(errorsOf(version, body)).toEqual({ '/answers': 'wrong_type' })
  })

  test(`at most ${errorsMax} errors are reported, and whether there are more`, () => {
    const many = Object.fromEntries(Array.from({ length: 5 * errorsMax }, (_, i) => [`k${i}`, 1]))
    const checked = checkAnswers(version, asJson(many), 'save')
    expect('errors' in checked && [checked.errors.length, checked.more]).toEqual([errorsMax, true])
  })
})

describe('entities', () => {
  const version = aVersion({
    household: { kind: 'ENUMERATOR', min_count: 1, max_count: 3 },
    job: { kind: 'ENUMERATOR', under: 'household', optional: true },
    pay: { kind: 'CURRENCY', under: 'job' },
    age: { kind: 'NUMBER', under: 'household', max: 150 },
  })

  test('"one object per repeated entity", with the answers about it, at every depth', () => {
    const answers = answersOf(version, {
      household: {
        entities: [
          {
            entity_name: 'Ada',
            age: { number: 36 },
            job: { entities: [{ entity_name: 'Mill', pay: { currency_dollars: 2 } }] },
          },
          { entity_name: '\u0000', job: { entities: [] } },
        ],
      },
    })
    const mill = { entity_name: 'Mill', answers: new Map([['pay', { type: 'CURRENCY', currency_cents: 200 }]]) }
    expect(answers.get('household')).toEqual({
      type: 'ENUMERATOR',
      entities: [
        {
          entity_name: 'Ada',
          answers: new Map<string, unknown>([
            ['job', { type: 'ENUMERATOR', entities: [mill] }],
            ['age', { type: 'NUMBER', number: 36 }],
          ]),
        },
        { entity_name: '\u0000', answers: new Map() },
      ],
    } as never)
  })

  test('every error is reported at its path, in each entity', () => {
    const household = (...entities: unknown[]) => ({ household: { entities } })
    const at = '/answers/household/entities'
    expect(
      errorsOf(version, household({ entity_name: 'A', age: { number: 151 }, agee: null }, { age: { number: 1.5 } }, 7)),
    ).toEqual({
      [`${at}/0/agee`]: 'unknown_question',
      [`${at}/0/age/number`]: 'too_large',
      [`${at}/1/entity_name`]: 'required',
      [`${at}/1/age/number`]: 'malformed',
      [`${at}/2`]: 'wrong_type',
    })
    const job = (...entities: unknown[]) => household({ entity_name: 'A', job: { entities } })
    expect(errorsOf(version, job({ entity_name: 'M', pay: { currency_dollars: -1 } }, { entity_name: 'M' }))).toEqual({
      [`${at}/0/job/entities/0/pay/currency_dollars`]: 'too_small',
    })
  })

  test('names must be non-empty and well-formed, and "need not be unique within an enumerator" (D33)', () => {
    const named = (...names: unknown[]) => ({ household: { entities: names.map(entity_name => ({ entity_name })) } })
    const at = (i: number) => `/answers/household/entities/${i}/entity_name`
    expect(answersOf(version, named('a', 'a')).get('household')).toMatchObject({
      entities: [{ entity_name: 'a' }, { entity_name: 'a' }],
    })
    expect(errorsOf(version, named('', 7))).toEqual({ [at(0)]: 'empty', [at(1)]: 'wrong_type' })
    expect(errorsOf(version, '{"household":{"entities":[{"entity_name":"\\udfff"}]}}')).toEqual({
      [at(0)]: 'ill_formed_text',
    })
    const twice = { entity_name: 'M' }
    expect(
      errorsOf(version, {
        household: { entities: ['a', 'b'].map(entity_name => ({ entity_name, job: { entities: [twice] } })) },
      }),
    ).toEqual({})
  })

  test('their number is limited by the question and in the whole application', () => {
    const household = (count: number) => ({
      household: { entities: Array.from({ length: count }, (_, i) => ({ entity_name: `${i}` })) },
    })
    expect(errorsOf(version, household(4))).toEqual({ '/answers/household/entities': 'too_many' })
    const free = aVersion({ household: { kind: 'ENUMERATOR' } })
    expect(errorsOf(free, household(entitiesMax))).toEqual({})
    expect(errorsOf(free, household(entitiesMax + 1))).toEqual({ '/answers/household/entities': 'too_many' })
    expect(errorsOf(free, { household: { entities: { 0: {} } } })).toEqual({
      '/answers/household/entities': 'wrong_type',
    })
    // Those of all lists together.
    const nested = aVersion({ household: { kind: 'ENUMERATOR' }, job: { kind: 'ENUMERATOR', under: 'household' } })
    const people = (...jobs: number[]) => ({
      household: {
        entities: jobs.map((count, i) => ({ entity_name: `${i}`, job: household(count).household })),
      },
    })
    const half = entitiesMax / 2
    expect(errorsOf(nested, people(half - 1, half - 1))).toEqual({})
    expect(errorsOf(nested, people(half - 1, half))).toEqual({
      '/answers/household/entities/1/job/entities': 'too_many',
    })
  })
})

describe('required questions', () => {
  test('nothing is required to save, and at submission what is visible and not optional', () => {
    const version = aVersion({ a: { kind: 'TEXT' }, b: { kind: 'TEXT', optional: true }, c: { kind: 'ENUMERATOR' } })
    expect(errorsOf(version, {})).toEqual({})
    expect(errorsOf(version, {}, 'submit')).toEqual({ '/answers/a': 'required', '/answers/c': 'required' })
    expect(errorsOf(version, { a: text('x'), c: { entities: [{ entity_name: 'e' }] } }, 'submit')).toEqual({})
  })

  test('are required in each entity, at every depth', () => {
    const version = aVersion({
      household: { kind: 'ENUMERATOR', optional: true },
      age: { kind: 'NUMBER', under: 'household' },
      job: { kind: 'ENUMERATOR', under: 'household', optional: true },
      pay: { kind: 'CURRENCY', under: 'job' },
    })
    const entities = [
      { entity_name: 'A', age: { number: 3 }, job: { entities: [{ entity_name: 'x' }] } },
      { entity_name: 'B' },
    ]
    expect(errorsOf(version, { household: { entities } }, 'submit')).toEqual({
      '/answers/household/entities/0/job/entities/0/pay': 'required',
      '/answers/household/entities/1/age': 'required',
    })
    expect(errorsOf(version, {}, 'submit')).toEqual({})
  })

  test('an invalid answer is not also reported as missing', () => {
    const version = aVersion({
      a: { kind: 'NUMBER' },
      b: { kind: 'ENUMERATOR', max_count: 1 },
      c: { kind: 'TEXT', when: { not: answered(1) } },
      d: { kind: 'TEXT', when: { not: answered(2) } },
    })
    const wrong = (number: object, names: string[]) => {
      const entities = names.map(entity_name => ({ entity_name }))
      return Object.keys(errorsOf(version, { a: number, b: { entities } }, 'submit'))
    }
    const missing = ['/answers/c', '/answers/d']
    expect(wrong({ number: 1.5 }, ['x', 'y'])).toEqual(['/answers/a/number', '/answers/b/entities', ...missing])
    expect(wrong({ number: 1, digits: 1 }, [''])).toEqual([
      '/answers/a/digits',
      '/answers/b/entities/0/entity_name',
      ...missing,
    ])
  })
})

describe('hidden questions', () => {
  test('a hidden question needs no answer, and an answer to it is dropped unchecked', () => {
    const version = aVersion({
      wants: { kind: 'RADIO', options: options('yes', 'no') },
      why: { kind: 'NUMBER', when: yes, max: 3 },
    })
    const answers = (selection: string) => ({ wants: { selection }, why: { number: 99 } })
    expect([...answersOf(version, { wants: { selection: 'no' } }, 'submit').keys()]).toEqual(['wants'])
    // What shows it may be saved already, or come later.
    expect([...answersOf(version, { why: { number: 3 } }, 'save').keys()]).toEqual(['why'])
    expect([...answersOf(version, answers('no'), 'submit').keys()]).toEqual(['wants'])
    expect(errorsOf(version, answers('yes'), 'submit')).toEqual({ '/answers/why/number': 'too_large' })
    expect(errorsOf(version, { wants: { selection: 'yes' } }, 'submit')).toEqual({ '/answers/why': 'required' })
  })

  test('a hidden screen hides all its questions, including entities', () => {
    const version = aVersion(
      {
        wants: { kind: 'RADIO', options: options('yes', 'no') },
        why: { kind: 'TEXT' },
        household: { kind: 'ENUMERATOR' },
        age: { kind: 'NUMBER', under: 'household' },
      },
      [{ questions: ['wants'] }, { when: yes, questions: ['why', 'household'] }, { questions: ['age'] }],
    )
    const body = { wants: { selection: 'no' }, why: text('x'), household: { entities: [{ entity_name: 'A' }] } }
    expect([...answersOf(version, body, 'submit').keys()]).toEqual(['wants'])
    expect(errorsOf(version, { ...body, wants: { selection: 'yes' } }, 'submit')).toEqual({
      '/answers/household/entities/0/age': 'required',
    })
  })

  test('a question with a condition is asked when its own and its screen’s condition hold', () => {
    const version = aVersion(
      {
        wants: { kind: 'RADIO', options: options('yes', 'no') },
        where: { kind: 'TEXT', optional: true },
        why: { kind: 'TEXT', when: answered(2) },
      },
      [{ questions: ['wants', 'where'] }, { when: yes, questions: ['why'] }],
    )
    const kept = (selection: string, where: string | null) => [
      ...answersOf(version, { wants: { selection }, where: { text: where }, why: text('x') }, 'submit').keys(),
    ]
    expect(kept('yes', 'here')).toEqual(['wants', 'where', 'why'])
    expect(kept('yes', null)).toEqual(['wants'])
    expect(kept('no', 'here')).toEqual(['wants', 'where'])
  })

  test('conditions are evaluated in screen order, and hidden questions count as unanswered', () => {
    const version = aVersion(
      {
        wants: { kind: 'RADIO', options: options('yes', 'no') },
        second: { kind: 'TEXT', when: yes, optional: true },
        third: { kind: 'TEXT', when: answered(2), optional: true },
        fourth: { kind: 'TEXT', when: { not: answered(3) } },
      },
      [{ questions: ['wants'] }, { questions: ['second'] }, { questions: ['third', 'fourth'] }],
    )
    const all = { second: text('2'), third: text('3'), fourth: text('4') }
    const kept = (selection: string, body = {}) => [
      ...answersOf(version, { wants: { selection }, ...body }, 'submit').keys(),
    ]
    expect(kept('yes', all)).toEqual(['wants', 'second', 'third'])
    expect(kept('no', all)).toEqual(['wants', 'fourth'])
    expect(errorsOf(version, { wants: { selection: 'no' } }, 'submit')).toEqual({ '/answers/fourth': 'required' })
  })

  test('in an entity, a condition uses answers of that entity, those around it and the top level only', () => {
    const version = aVersion({
      wants: { kind: 'RADIO', options: options('yes', 'no') },
      household: { kind: 'ENUMERATOR' },
      works: { kind: 'RADIO', under: 'household', options: options('yes', 'no') },
      job: { kind: 'ENUMERATOR', under: 'household', optional: true, when: { ...yes, question_id: 3 } },
      title: { kind: 'TEXT', under: 'job', optional: true },
      // Asked of a job when the applicant wants it, the person works, and the job has a title.
      pay: { kind: 'NUMBER', under: 'job', when: { all: [yes, { ...yes, question_id: 3 }, answered(5)] } },
    })
    const job = (title: string | null) => ({ entity_name: `job ${title}`, title: { text: title } })
    const person = (entity_name: string, selection: string) => ({
      entity_name,
      works: { selection },
      job: { entities: [job('smith'), job(null)] },
    })
    const body = (wants: string) => ({
      wants: { selection: wants },
      household: { entities: [person('A', 'no'), person('B', 'yes')] },
    })
    expect(errorsOf(version, body('yes'), 'submit')).toEqual({
      '/answers/household/entities/1/job/entities/0/pay': 'required',
    })
    const answers = answersOf(version, body('no'), 'submit')
    const household = answers.get('household')
    if (household?.type !== 'ENUMERATOR') throw new Error('no household')
    expect(household.entities.map(entity => [...entity.answers.keys()])).toEqual([['works'], ['works', 'job']])
  })

  test('answers to questions that are no longer asked are dropped, at every depth', () => {
    const version = aVersion({
      household: { kind: 'ENUMERATOR' },
      age: { kind: 'NUMBER', under: 'household', optional: true },
    })
    const body = { gone: text('x'), household: { entities: [{ entity_name: 'A', gone: { number: 'x' } }] } }
    expect(answersOf(version, body, 'submit')).toEqual(
      new Map([['household', { type: 'ENUMERATOR', entities: [{ entity_name: 'A', answers: new Map() }] }]]),
    )
  })
})

describe("the export's own shape", () => {
  const version = aVersion({
    a: { kind: 'ADDRESS', correct_addresses: true },
    b: { kind: 'CHECKBOX', options: options('x', 'y', 'z') },
    c: { kind: 'CURRENCY' },
    d: { kind: 'DATE' },
    e: { kind: 'EMAIL' },
    f: { kind: 'FILE_UPLOAD' },
    g: { kind: 'ID' },
    h: { kind: 'MAP', options: options('x', 'y') },
    i: { kind: 'NAME' },
    j: { kind: 'NUMBER' },
    k: { kind: 'PHONE' },
    l: { kind: 'RADIO', options: options('x', 'y') },
    m: { kind: 'TEXT' },
    n: { kind: 'ENUMERATOR' },
    o: { kind: 'ENUMERATOR', under: 'n' },
    p: { kind: 'ADDRESS', under: 'o' },
    q: { kind: 'STATIC', under: 'o' },
  })
  const shape = buildKeyMap([version])

  test('exported answers can be submitted, and are then exported the same', () => {
    fc.assert(
      fc.property(fc.nat(20), variant => {
        const exported = `{${renderMembers(shape, sampleAnswers(version, { variant }), noEntityEnd)}}`
        for (const mode of ['save', 'submit'] as const) {
          expect(`{${renderMembers(shape, answersOf(version, exported, mode), noEntityEnd)}}`).toBe(exported)
        }
      }),
      { numRuns: 20 },
    )
  })
})

test('a text of only spaces does not answer a required question, and is kept for an optional one', () => {
  const blank = { q: { text: ' \u00a0 ' }, n: { first_name: ' ', last_name: '\t' } }
  const asks = (optional: boolean) => aVersion({ q: { kind: 'TEXT', optional }, n: { kind: 'NAME', optional } })
  expect(errorsOf(asks(false), blank, 'submit')).toEqual({ '/answers/q': 'required', '/answers/n': 'required' })
  expect(errorsOf(asks(false), blank, 'save')).toEqual({})
  expect([...answersOf(asks(true), blank, 'submit').keys()]).toEqual(['q', 'n'])
})
