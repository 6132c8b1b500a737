import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { kindsWith } from '../../../src/domain/definitions/definition-schemas.ts'
import type { Answers } from '../../../src/domain/questions/answers.ts'
import { noEntityEnd, renderMembers } from '../../../src/domain/questions/answers.ts'
import { buildKeyMap } from '../../../src/domain/questions/key-map.ts'
import type { VersionQuestion } from '../../../src/domain/questions/question.ts'
import { familyNames, organizations, sentences } from '../../../src/domain/random/sample-words.ts'
import { seededRandom } from '../../../src/domain/random/seeded-random.ts'
import { answerSampler, sampleAnswers } from '../../../src/domain/samples/sample-answers.ts'
import { answersOf } from '../../core/intake/checking/checking.ts'
import { everyKindQuestions, everyKindVersion } from '../../support/every-kind.ts'

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

describe('sampleAnswers', () => {
  const version = { questions: everyKindQuestions() }

  test('is the same every time and differs between variants', () => {
    const text = (variant: number) =>
      renderMembers(
        buildKeyMap([{ program_version_id: 1, ...version }]),
        sampleAnswers(version, { variant }),
        noEntityEnd,
      )
    expect(text(0)).toBe(text(0))
    expect(text(1)).not.toBe(text(0))
  })
})

const bounds = fc
  .record({ least: fc.nat(12), more: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 300 })) })
  .map(({ least, more }) => ({ min: least, max: least + more }))

const wholeTexts = [...sentences, ...organizations, ...familyNames]

describe('answerSampler', () => {
  test('generates answers that can be submitted: they respect the bounds, options and formats of every question', () => {
    fc.assert(
      fc.property(fc.nat(), bounds, bounds, (seed, lengths, counts) => {
        const settings = {
          text: 'What?',
          min: lengths.min,
          max: lengths.max,
          min_length: lengths.min,
          max_length: lengths.max,
          min_count: Math.min(counts.min, 3),
          max_count: Math.min(counts.max, 6),
          correct_addresses: seed % 2 === 0,
        }
        const questions = everyKindQuestions().map(q => ({ ...q, settings: { ...q.settings, ...settings } }))
        const version = { ...everyKindVersion({ questions }), program_id: 1, state: 'ACTIVE' as const }
        for (const answers of [answerSampler({ questions })(seededRandom(seed)), sampleAnswers({ questions })]) {
          expect(
            answersOf(version, `{${renderMembers(buildKeyMap([version]), answers, noEntityEnd)}}`, 'submit'),
          ).toEqual(answers)
          for (const answer of answers.values())
            if (answer.type === 'TEXT') expect(wholeTexts.some(text => answer.text.endsWith(text))).toBe(true)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('generates a long enough text where a minimum but no maximum is set', () => {
    const questions = [question('TEXT', { settings: { text: 'What?', min_length: 600 } })]
    const version = { ...everyKindVersion({ questions }), program_id: 1, state: 'ACTIVE' as const }
    const answers = answerSampler({ questions, screens: version.screens })(seededRandom(1))
    expect(answers.size).toBe(1)
    expect(answersOf(version, `{${renderMembers(buildKeyMap([version]), answers, noEntityEnd)}}`, 'submit')).toEqual(
      answers,
    )
  })

  test('answers all required questions and some of the others', () => {
    const [required, optional, unasked] = [question('TEXT'), question('TEXT'), question('TEXT')]
    const answered = { question_id: required.question_id, operator: 'answered' as const }
    const placements = [required, optional, unasked].map(q => ({
      question_id: q.question_id,
      optional: q === optional,
      visible_when: q === unasked ? { not: answered } : null,
    }))
    const make = answerSampler({
      questions: [required, optional, unasked],
      screens: [{ name: 'only', visible_when: null, questions: placements }],
    })
    const next = seededRandom(7)
    const made = Array.from({ length: 200 }, () => make(next))
    expect(made.every(answers => answers.has(required.question_key))).toBe(true)
    expect(made.some(answers => answers.has(optional.question_key))).toBe(true)
    expect(made.some(answers => !answers.has(optional.question_key))).toBe(true)
    expect(made.some(answers => answers.has(unasked.question_key))).toBe(false)
  })

  test('generates zero to five entities, about 2.5 on average', () => {
    const enumerator = question('ENUMERATOR')
    const name = question('NAME', { enumerator_id: enumerator.question_id })
    const placements = [{ question_id: enumerator.question_id, optional: false, visible_when: null }]
    const screens = [{ name: 'only', visible_when: null, questions: placements }]
    const make = answerSampler({ questions: [enumerator, name] })
    const next = seededRandom(11)
    const count = (answers: Answers): number => {
      const answer = answers.get(enumerator.question_key)
      const entities = answer?.type === 'ENUMERATOR' ? answer.entities : []
      expect(new Set(entities.map(entity => entity.entity_name)).size).toBe(entities.length)
      return entities.length
    }
    const counts = Array.from({ length: 2000 }, () => count(make(next)))
    expect([Math.min(...counts), Math.max(...counts)]).toEqual([0, 5])
    const mean = counts.reduce((sum, n) => sum + n, 0) / counts.length
    expect(mean).toBeGreaterThan(2.3)
    expect(mean).toBeLessThan(2.7)
    const required = answerSampler({ questions: [enumerator, name], screens })
    expect(Math.min(...Array.from({ length: 200 }, () => count(required(next))))).toBe(1)
  })

  test('the same seed generates the same sample answers', () => {
    const version = { questions: everyKindQuestions() }
    expect(answerSampler(version)(seededRandom(3))).toEqual(answerSampler(version)(seededRandom(3)))
    expect(answerSampler(version)(seededRandom(4))).not.toEqual(answerSampler(version)(seededRandom(3)))
  })
})
