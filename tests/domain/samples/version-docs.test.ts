import { expect, test } from 'bun:test'
import type { VersionQuestion } from '../../../src/domain/questions/question.ts'
import { versionDocs } from '../../../src/domain/samples/version-docs.ts'
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
  // Spec: "Static text questions do not appear, since they have no answer."
  expect(docs.questions.map(question => question.question_key).sort()).toEqual(
    all
      .filter(question => question.kind !== 'STATIC')
      .map(question => question.question_key)
      .sort(),
  )
  const deepest = docs.questions.find(question => question.question_key === 'name_three')!
  // Spec: "Path shape: `application.<enumerator_key>.entities[<index>].<repeated_question_key>.<answer_field>`".
  expect(deepest).toMatchObject({ question_type: 'NAME', depth: 2, asked: true, admin_name: 'name three' })
  expect(deepest.fields[0]).toEqual({
    path: 'application.enumerator_one.entities[<index>].enumerator_two.entities[<index>].name_three.first_name',
    type: 'string or null',
    about: 'First name.',
  })
  const outer = docs.questions.find(question => question.question_key === 'enumerator_one')!
  expect(outer.fields).toEqual([
    {
      path: 'application.enumerator_one.entities',
      type: 'array of objects',
      about: 'One object for each entity; empty when unanswered.',
    },
    {
      path: 'application.enumerator_one.entities[<index>].entity_name',
      type: 'string',
      about: 'The name the applicant gave the entity; not necessarily unique.',
    },
  ])
})

test('every path leads to its answer in the example', () => {
  const docs = versionDocs(everyKindVersion(), [], { timeZone: 'UTC' })
  const [full] = JSON.parse(docs.example).payload
  for (const { path } of docs.questions.flatMap(question => question.fields)) {
    const value = path
      .split('.')
      .reduce((at, step) => (step.endsWith('[<index>]') ? at[step.slice(0, -9)][1] : at[step]), full)
    expect(value).toBeDefined()
    expect(value).not.toBeNull()
  }
})

test('says when a question is asked, whether it may be left out, what its answers are held to and since when it is there', () => {
  const condition = {
    question_id: keyed('radio_one').question_id,
    field: 'selection',
    operator: 'in',
    value: ['red', 'gone'],
  } as const
  const number = { ...keyed('number_one'), settings: { text: 'How many?', min: 1, max: 12 } }
  const text = { ...keyed('text_one'), settings: { text: 'Which?', max_length: 20 } }
  const screen = (questions: { question_id: number; optional: boolean; visible_when: typeof condition | null }[]) => [
    { name: 'All', visible_when: null, questions },
  ]
  const at = (question: VersionQuestion, optional = false, visible_when: typeof condition | null = null) => ({
    question_id: question.question_id,
    optional,
    visible_when,
  })
  const radio = withOptions('radio_one', ['red'])
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
    radio_one: { optional: false, asked_when: [], bounds: '', first_version: 1 },
    text_one: { optional: false, asked_when: [], bounds: 'at most 20 characters', first_version: 1 },
    number_one: {
      optional: true,
      asked_when: [`“${keyed('radio_one').settings.text}” is one of Now red, gone`],
      bounds: 'at least 1, at most 12',
      first_version: 2,
    },
  })
})

// Spec: "Any option ID that was ever selectable may appear. The full list of option IDs is in the generated program-specific docs."
test('lists every option id ever selectable with the versions that had it, and marks those that are not any more', () => {
  const first = asking(1, [withOptions('radio_one', ['red', 'green']), keyed('text_one')])
  const second = asking(2, [withOptions('radio_one', ['green', 'blue'])])
  const [radio, text] = versionDocs(second, [first], { timeZone: 'UTC' }).questions
  expect(radio!.options).toEqual([
    { id: 'red', text: 'Now red', retired: true, versions: [1, 1] },
    { id: 'green', text: 'Now green', retired: false, versions: [1, 2] },
    { id: 'blue', text: 'Now blue', retired: false, versions: [2, 2] },
  ])
  // Spec: "including questions since removed from the program".
  expect(text).toMatchObject({ question_key: 'text_one', asked: false, text: 'What is your text one?' })
})

test('the docs of a draft show what its export will be: all that was published, and the draft', () => {
  const active = asking(1, [keyed('text_one'), keyed('radio_one')])
  const draft = asking(2, [keyed('text_one'), keyed('date_one')])
  const docs = versionDocs(draft, [active], { timeZone: 'UTC' })
  const [full, empty] = JSON.parse(docs.example).payload
  for (const application of [full, empty]) {
    expect(Object.keys(application.application).sort()).toEqual(['date_one', 'radio_one', 'text_one'])
    expect(application.program_version_id).toBe(2)
  }
  expect(full.application.radio_one).toEqual(empty.application.radio_one)
  expect(full.application.date_one.date).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect(docs.changed_since).toBe(1)
  expect(docs.changes.map(change => [change.code, change.subject])).toContainEqual(['question_added', 'date one'])
  expect(docs.changes.map(change => [change.code, change.subject])).toContainEqual(['question_removed', 'radio one'])
})

test('the first version of a program has nothing to be compared with', () => {
  expect(versionDocs(everyKindVersion(), [], { timeZone: 'UTC' })).toMatchObject({ changed_since: null, changes: [] })
})
