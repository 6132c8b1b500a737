// What the docs say of each question: on which screen it is, when it is empty, and which versions had its options.

import { expect, test } from 'bun:test'
import { renderToString } from 'preact-render-to-string'
import { versionDocs } from '../../../src/domain/samples/version-docs.ts'
import { findQuestions, QuestionList } from '../../../src/web/docs/question-list.tsx'
import { aVersion, options } from '../../support/program-version.ts'

const all = aVersion({
  old: { kind: 'TEXT' },
  pet: { kind: 'RADIO' },
  zoo: { kind: 'ENUMERATOR' },
  gone: { kind: 'TEXT', under: 'zoo' },
  inner: { kind: 'TEXT', under: 'zoo' },
  later: { kind: 'CHECKBOX', options: options('one'), when: { question_id: 2, operator: 'answered' } },
})
function asking(pets: string[], ...names: string[]) {
  const isAsked = ({ question_id }: { question_id: number }) =>
    names.includes(all.questions[question_id - 1]!.admin_name)
  const screens = all.screens.map(screen => ({ ...screen, questions: screen.questions.filter(isAsked) }))
  const questions = all.questions.filter(isAsked).map(({ settings, ...one }) => {
    return { ...one, settings: one.kind === 'RADIO' ? { ...settings, options: options(...pets) } : settings }
  })
  return { ...all, display_name: 'All', statuses: [], questions, screens }
}

test('questions are under the screen that asks them, with when they are empty and since when they have their options', () => {
  const first = asking(['cat', 'dog'], 'old', 'pet', 'zoo', 'gone', 'inner')
  const second = asking(['cat', 'fox'], 'pet', 'zoo', 'inner', 'later')
  const { questions } = versionDocs(second, [first], { timeZone: 'UTC' })
  const page = renderToString(QuestionList({ questions, current: 2, since: 1, example: {} }))
  const text = page.replace(/<[^>]*>/g, '')
  const order = ['Screen 1', 'pet?', 'zoo?', 'gone?', 'inner?', 'later?', 'Not asked any more', 'old?']
  expect([...(text.match(/Screen 1|Not asked any more|(?:old|pet|zoo|gone|inner|later)\?(?= )/g) ?? [])]).toEqual(order)
  const meanings = ['null', '[]', 'null', 'null', '[]', 'null'].map((empty, i) => {
    const reasons = [
      'was not answered.',
      'was not answered or the application is newer than the last version that asked it.',
      'was not answered, it was not asked, or the application is older than version 2.',
    ]
    return `${empty} when it ${reasons[[0, 0, 1, 0, 2, 1][i]!]}`
  })
  expect([...(text.match(/(?:null|\[\]) when it [^.]*\./g) ?? [])]).toEqual(meanings)
  expect(text).toContain('cat catdog doguntil version 1fox foxnewThis')
  expect(text).toContain('one oneThis')
  const entries = findQuestions(questions, 'All').flatMap(group => group.entries)
  expect(entries.map(({ text, within }) => [text, ...within!.map(one => one.text)])).toEqual([
    ...[['pet'], ['zoo', 'gone', 'inner'], ['later'], ['old']],
  ])
})

test('each option is looked at a few times, however many there are', () => {
  const count = 2000
  let looked = 0
  const { questions } = versionDocs(asking(['cat'], 'pet'), [], { timeZone: 'UTC' })
  const many = Array.from({ length: count }, (_, i) => ({
    id: `option-${i}`,
    text: 'an option',
    retired: false,
    earlier: [],
    get versions(): readonly [number, number] {
      looked++
      return [1, 1]
    },
  }))
  const page = renderToString(
    QuestionList({ questions: [{ ...questions[0]!, options: many }], current: 1, since: 1, example: {} }),
  )
  expect(page).toContain(`option-${count - 1}`)
  expect(looked).toBeLessThan(5 * count)
})
