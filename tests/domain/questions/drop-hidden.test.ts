import { expect, test } from 'bun:test'
import type { Answer } from '../../../src/domain/questions/answers.ts'
import { hiddenAnswersDropper } from '../../../src/domain/questions/drop-hidden.ts'
import type { Condition } from '../../../src/domain/questions/program-version.ts'
import { aVersion } from '../../support/program-version.ts'

const answered = (question_id: number): Condition => ({ question_id, operator: 'answered' })
const text = (value: string): Answer => ({ type: 'TEXT', text: value })

test('an answer stays when both its screen and its question are shown, and goes when either is hidden', () => {
  const version = aVersion(
    { screened: { kind: 'TEXT' }, asked: { kind: 'TEXT' }, both: { kind: 'TEXT', when: answered(2) } },
    [{ questions: ['screened', 'asked'] }, { when: answered(1), questions: ['both'] }],
  )
  const drop = hiddenAnswersDropper(version.questions, version.screens)
  const keptWith = (...others: string[]): boolean => {
    const answers = new Map([...others, 'both'].map(key => [key, text(key)]))
    drop(answers)
    return answers.has('both')
  }
  expect(keptWith('screened', 'asked')).toBe(true)
  expect(keptWith('screened')).toBe(false)
  expect(keptWith('asked')).toBe(false)
  expect(keptWith()).toBe(false)
})

test('a hidden question counts as unanswered in later conditions', () => {
  const version = aVersion({
    first: { kind: 'TEXT' },
    second: { kind: 'TEXT', when: answered(1) },
    third: { kind: 'TEXT', when: answered(2) },
  })
  const answers = new Map([
    ['second', text('x')],
    ['third', text('y')],
  ])
  hiddenAnswersDropper(version.questions, version.screens)(answers)
  expect([...answers.keys()]).toEqual([])
})

test('a condition in an entity uses the answers of that entity and of what is around it', () => {
  const version = aVersion({
    top: { kind: 'TEXT' },
    people: { kind: 'ENUMERATOR' },
    job: { kind: 'TEXT', under: 'people' },
    pay: { kind: 'TEXT', under: 'people', when: { all: [answered(1), answered(3)] } },
  })
  const keptWith = (...others: string[]): string[][] => {
    const entities = [['job', 'pay'], ['pay']].map(keys => ({
      entity_name: 'x',
      answers: new Map(keys.map(key => [key, text(key)])),
    }))
    const people: Answer = { type: 'ENUMERATOR', entities }
    const answers = new Map([...others.map(key => [key, text(key)] as const), ['people', people] as const])
    hiddenAnswersDropper(version.questions, version.screens)(answers)
    return entities.map(entity => [...entity.answers.keys()])
  }
  expect(keptWith('top')).toEqual([['job', 'pay'], []])
  expect(keptWith()).toEqual([['job'], []])
})
