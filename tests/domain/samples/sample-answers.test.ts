import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { kindsWith } from '../../../src/domain/definitions/definition-schemas.ts'
import { stateCodes, zipPattern } from '../../../src/domain/question-types/address.ts'
import { isCalendarDate } from '../../../src/domain/question-types/date.ts'
import { phonePattern } from '../../../src/domain/question-types/phone.ts'
import type { Answer, Answers } from '../../../src/domain/questions/answers.ts'
import { noEntityEnd, renderMembers } from '../../../src/domain/questions/answers.ts'
import { buildKeyMap } from '../../../src/domain/questions/key-map.ts'
import { exportedType, questionKinds, type VersionQuestion } from '../../../src/domain/questions/question.ts'
import { seededRandom } from '../../../src/domain/random/seeded-random.ts'
import { answerSampler, sampleAnswers } from '../../../src/domain/samples/sample-answers.ts'

const options = ['one', 'two', 'three', 'four'].map(admin_id => ({ admin_id, text: admin_id }))
let ids = 0
function question(kind: VersionQuestion['kind'], more: Partial<VersionQuestion> = {}): VersionQuestion {
  const question_id = ++ids
  const settings = kindsWith('options').includes(kind) ? { text: 'Which?', options } : { text: 'What?' }
  return {
    question_id,
    question_version_id: question_id,
    admin_name: `q${question_id}`,
    question_key: `q_${question_id}`,
    kind,
    enumerator_id: null,
    settings,
    ...more,
  }
}

/** Every kind at the top, within an enumerator, and within an enumerator of that one. */
function everyKind(): VersionQuestion[] {
  const questions: VersionQuestion[] = questionKinds.map(kind => question(kind))
  for (let depth = 0; depth < 2; depth++) {
    const enumerator = questions.findLast(q => q.kind === 'ENUMERATOR')!
    for (const kind of questionKinds) questions.push(question(kind, { enumerator_id: enumerator.question_id }))
  }
  return questions
}

describe('sampleAnswers', () => {
  const version = { questions: everyKind() }

  test('answers every exported question, two entities of each enumerator at every depth', () => {
    const visit = (answers: Answers, enumeratorId: number | null): void => {
      const asked = version.questions.filter(
        q => q.enumerator_id === enumeratorId && exportedType(q.kind) !== undefined,
      )
      expect([...answers.keys()].sort()).toEqual(asked.map(q => q.question_key).sort())
      for (const q of asked) {
        const answer = answers.get(q.question_key)!
        expect(answer.type).toBe(exportedType(q.kind)!)
        if (answer.type !== 'ENUMERATOR') continue
        expect(answer.entities).toHaveLength(2)
        for (const entity of answer.entities) visit(entity.answers, q.question_id)
      }
    }
    visit(sampleAnswers(version), null)
  })

  test('is the same every time, and another for another variant', () => {
    const text = (variant: number) =>
      renderMembers(
        buildKeyMap([{ program_version_id: 1, ...version }]),
        sampleAnswers(version, { variant }),
        noEntityEnd,
      )
    expect(text(0)).toBe(text(0))
    expect(text(1)).not.toBe(text(0))
  })

  test('shows every field of its type filled', () => {
    const corrected = question('ADDRESS', { settings: { text: 'Where?', correct_addresses: true } })
    const answers = sampleAnswers({ questions: [corrected, ...version.questions.filter(q => q.kind === 'NAME')] })
    for (const answer of answers.values()) expect(Object.values(answer)).not.toContain(null)
  })
})

const bounds = fc
  .record({ least: fc.integer({ min: 0, max: 12 }), more: fc.integer({ min: 1, max: 300 }) })
  .map(({ least, more }) => ({ min: least, max: least + more }))

describe('answerSampler', () => {
  test('keeps the bounds, options and formats of every question', () => {
    fc.assert(
      fc.property(fc.nat(), bounds, bounds, (seed, lengths, counts) => {
        const settings = {
          text: 'What?',
          min: lengths.min,
          max: lengths.max,
          min_length: lengths.min,
          max_length: lengths.max,
          min_count: Math.min(counts.min, 4),
          max_count: Math.min(counts.max, 6),
        }
        const questions = everyKind().map(q => ({ ...q, settings: { ...q.settings, ...settings } }))
        for (const answers of [answerSampler({ questions })(seededRandom(seed)), sampleAnswers({ questions })])
          checkAll(answers, { questions, settings })
      }),
      { numRuns: 60 },
    )
  })

  test('answers what is required, and leaves some of the rest', () => {
    const [required, optional] = [question('TEXT'), question('TEXT')]
    const placements = [required, optional].map(q => ({
      question_id: q.question_id,
      optional: q === optional,
      visible_when: null,
    }))
    const make = answerSampler({
      questions: [required, optional],
      screens: [{ name: 'only', visible_when: null, questions: placements }],
    })
    const next = seededRandom(7)
    const made = Array.from({ length: 200 }, () => make(next))
    expect(made.every(answers => answers.has(required.question_key))).toBe(true)
    expect(made.some(answers => answers.has(optional.question_key))).toBe(true)
    expect(made.some(answers => !answers.has(optional.question_key))).toBe(true)
  })

  test('has none to five entities, about 2.5 on average', () => {
    const enumerator = question('ENUMERATOR')
    const name = question('NAME', { enumerator_id: enumerator.question_id })
    const placements = [{ question_id: enumerator.question_id, optional: false, visible_when: null }]
    const screens = [{ name: 'only', visible_when: null, questions: placements }]
    const make = answerSampler({ questions: [enumerator, name] })
    const next = seededRandom(11)
    const count = (answers: Answers): number => {
      const answer = answers.get(enumerator.question_key)
      return answer?.type === 'ENUMERATOR' ? answer.entities.length : 0
    }
    const counts = Array.from({ length: 2000 }, () => count(make(next)))
    expect([Math.min(...counts), Math.max(...counts)]).toEqual([0, 5])
    const mean = counts.reduce((sum, n) => sum + n, 0) / counts.length
    expect(mean).toBeGreaterThan(2.3)
    expect(mean).toBeLessThan(2.7)
    const required = answerSampler({ questions: [enumerator, name], screens })
    expect(Math.min(...Array.from({ length: 200 }, () => count(required(next))))).toBe(1)
  })

  test('is the same for the same seed', () => {
    const version = { questions: everyKind() }
    expect(answerSampler(version)(seededRandom(3))).toEqual(answerSampler(version)(seededRandom(3)))
    expect(answerSampler(version)(seededRandom(4))).not.toEqual(answerSampler(version)(seededRandom(3)))
  })
})

interface Limits {
  questions: VersionQuestion[]
  settings: { min: number; max: number; min_count: number; max_count: number }
}

function checkAll(answers: Answers, limits: Limits): void {
  const byKey = new Map(limits.questions.map(q => [q.question_key, q]))
  for (const [key, answer] of answers) checkOne(byKey.get(key)!, answer, limits)
}

function checkOne(asked: VersionQuestion, answer: Answer, limits: Limits): void {
  const { min, max, min_count, max_count } = limits.settings
  const within = (value: number, least: number, most: number): void => {
    expect(value).toBeGreaterThanOrEqual(least)
    expect(value).toBeLessThanOrEqual(Math.max(most, least))
  }
  expect(answer.type).toBe(exportedType(asked.kind)!)
  switch (answer.type) {
    case 'ADDRESS':
      expect(stateCodes.has(answer.state)).toBe(true)
      expect(answer.zip).toMatch(zipPattern)
      break
    case 'DATE':
      expect(isCalendarDate(answer.date)).toBe(true)
      break
    case 'ENUMERATOR':
      within(answer.entities.length, min_count, max_count)
      for (const entity of answer.entities) checkAll(entity.answers, limits)
      break
    case 'FILE_UPLOAD':
      within(answer.file_urls.length, min_count, max_count)
      break
    case 'ID':
      expect(answer.id).toMatch(/^[0-9]*$/)
      within(answer.id.length, min, max)
      break
    case 'MAP':
    case 'MULTI_SELECT':
      within(answer.selections.length, min_count, max_count)
      for (const selection of answer.selections) expect(options.map(o => o.admin_id)).toContain(selection)
      break
    case 'NUMBER':
      within(answer.number, min, max)
      break
    case 'PHONE':
      expect(answer.phone_number).toMatch(phonePattern)
      break
    case 'TEXT':
      within([...answer.text].length, min, max)
      break
    case 'CURRENCY':
      expect(Number.isSafeInteger(answer.currency_cents)).toBe(true)
  }
}
