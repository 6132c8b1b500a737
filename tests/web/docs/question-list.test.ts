// What the docs say of each question: on which screen it is, when it is empty, and which versions had its options.

import { expect, test } from 'bun:test'
import { h } from 'preact'
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
  const questions = all.questions.filter(isAsked).map(({ settings, ...item }) => {
    return { ...item, settings: item.kind === 'RADIO' ? { ...settings, options: options(...pets) } : settings }
  })
  return { ...all, display_name: 'All', statuses: [], questions, screens }
}

test('questions are listed by screen, with when they are empty and since when they have their options', () => {
  const first = asking(['cat', 'dog'], 'old', 'pet', 'zoo', 'gone', 'inner')
  const second = asking(['cat', 'fox'], 'pet', 'zoo', 'inner', 'later')
  const { questions } = versionDocs(second, [first], { timeZone: 'UTC' })
  const page = renderToString(h(QuestionList, { questions, current: 2, since: 1, example: {} }))
  const places = [...page.matchAll(/<h3|class="asked"[^>]*>([a-z]+)\?/g)].map(([, name]) => name ?? 'heading')
  expect(places).toEqual(['heading', 'pet', 'zoo', 'gone', 'inner', 'later', 'heading', 'old'])
  const meanings = [...page.matchAll(/<p class="meaning">.*?<\/p>/g)].map(([meaning]) => {
    const text = meaning.replace(/<[^>]*>/g, '').trim()
    return [/(null|\[\]) when /.exec(text)?.[1], text.split(/,? or |, /).length, text.includes('version 2')]
  })
  // Not answered; no longer asked as well; not asked, or from before version 2, as well.
  expect(meanings).toEqual([
    ['null', 1, false],
    ['[]', 1, false],
    ['null', 2, false],
    ['null', 1, false],
    ['[]', 3, true],
    ['null', 2, false],
  ])
  const text = page.replace(/<[^>]*>/g, '')
  expect(text).toContain('cat catdog doguntil version 1fox foxnew')
  expect(text).toMatch(/one one(?!until|since|new)/)
  const entries = findQuestions(questions, 'en').flatMap(group => group.entries)
  expect(entries.map(({ about, within }) => [about, ...within!.map(findEntry => findEntry.about)])).toEqual([
    ...[['pet'], ['zoo', 'gone', 'inner'], ['later'], ['old']],
  ])
})

test('the work for each option is bounded, however many there are', () => {
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
    h(QuestionList, { questions: [{ ...questions[0]!, options: many }], current: 1, since: 1, example: {} }),
  )
  expect(page).toContain(`option-${count - 1}`)
  expect(looked).toBeLessThan(5 * count)
})
