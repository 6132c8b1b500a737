/** @jsxImportSource preact */

import { expect, test } from 'bun:test'
import { renderToString } from 'preact-render-to-string'
import { mergeSavedAnswers } from '../../../src/core/intake/answers-in-progress.ts'
import { questionnaireOf } from '../../../src/core/intake/checking/asked-questions.ts'
import { askedWith, checkAnswers } from '../../../src/core/intake/checking/check-all.ts'
import { buildKeyMap } from '../../../src/domain/questions/key-map.ts'
import { sampleAnswers } from '../../../src/domain/samples/sample-answers.ts'
import { type JsonObject, writeJson } from '../../../src/domain/values/json-text.ts'
import { errorWords, type FieldView } from '../../../src/web/questions/field-view.ts'
import { errorField, FormValues, readAnswers, valuesOf } from '../../../src/web/questions/form-values.ts'
import { languages } from '../../../src/web/questions/languages/all-languages.ts'
import { en } from '../../../src/web/questions/languages/en.ts'
import { QuestionFields } from '../../../src/web/questions/question-fields.tsx'
import { everyKindQuestions, everyKindVersion } from '../../support/every-kind.ts'
import { aVersion } from '../../support/program-version.ts'

// Addresses as applicants type them: the service corrects none.
const questions = everyKindQuestions().map(question => ({
  ...question,
  settings: { ...question.settings, correct_addresses: false },
}))
const version = { ...everyKindVersion({ questions }), program_id: 1, state: 'ACTIVE' as const }
const shape = buildKeyMap([version])
const { top } = questionnaireOf(version)
const words = en.questions

const savedSample = (variant: number): JsonObject =>
  mergeSavedAnswers(new Map(), shape, [], sampleAnswers(version, { variant }))

const view = (values: FormValues, errors: FieldView['errors'] = new Map()): FieldView => ({
  values,
  errors,
  words,
})

const markupOf = (values: FormValues): string =>
  askedWith(version, readAnswers(values, top).answers)
    .asked.map(({ asked: { question, optional }, path }) =>
      renderToString(
        <QuestionFields
          {...question}
          view={view(values)}
          optional={optional}
          path={path}
          label={question.settings.text}
        />,
      ),
    )
    .join('')

test.each([0, 1, 2])('saved answers to every kind at three depths come back from a form unchanged (%d)', variant => {
  const saved = savedSample(variant)
  const { answers } = readAnswers(valuesOf(saved, top), top)
  const checked = checkAnswers(version, answers, 'submit')
  if ('errors' in checked) throw new Error(JSON.stringify(checked.errors))
  expect(writeJson(mergeSavedAnswers(new Map(), shape, [], checked.answers))).toBe(writeJson(saved))
})

test('a page has a field for each value of every kind, with one ID each', () => {
  const values = valuesOf(savedSample(0), top)
  const html = markupOf(values)
  expect([...values].map(([name]) => name).filter(name => !html.includes(`name="${name}"`))).toEqual([])
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('every error of intake has a message, and leads to an element of the page', () => {
  const required = {
    ...version,
    screens: version.screens.map(screen => ({
      ...screen,
      questions: screen.questions.map(placement => ({ ...placement, optional: false })),
    })),
  }
  const values = new FormValues([
    ['/name_one/first_name', 'Ada'],
    ['/address_one/zip', '1'],
    ['/number_one/number', 'many'],
    ['/enumerator_one/entities/0/entity_name', 'Leo'],
  ])
  const { answers } = readAnswers(values, questionnaireOf(required).top)
  const { asked, errors } = askedWith(required, answers, 'submit')
  const html = markupOf(values)
  expect(errors.length).toBeGreaterThan(25)
  for (const error of errors) {
    const place = asked.findLast(({ path }) => `${error.path}/`.startsWith(`${path}/`))!
    expect(errorWords(words, place, error)).not.toBe(words.errors.other!)
    const field = errorField(place.asked.type!, place.path, error.path!)
    expect([field, html.includes(` id="${field}"`)]).toEqual([field, true])
  }
})

test.each(Object.keys(languages))('an answer of a wrong length says the limit, whatever its kind (%s)', language => {
  const limits = { min_length: 4, max_length: 6 }
  const lengths = aVersion({ word: { kind: 'TEXT', ...limits }, account: { kind: 'ID', ...limits } })
  const { top } = questionnaireOf(lengths)
  for (const [typed, limit] of [
    ['123', '4'],
    ['1234567', '6'],
  ] as const) {
    const { answers } = readAnswers(new FormValues(['/word/text', '/account/id'].map(name => [name, typed])), top)
    const { asked, errors } = askedWith(lengths, answers)
    const messages = errors.map((error, i) => errorWords(languages[language]!.questions, asked[i]!, error))
    expect(messages).toEqual([expect.stringContaining(limit), expect.stringContaining(limit)])
  }
})

test('removing an entity removes its own answers and keeps those of the others', () => {
  const household = aVersion({
    people: { kind: 'ENUMERATOR' },
    jobs: { kind: 'ENUMERATOR', under: 'people' },
    pay: { kind: 'CURRENCY', under: 'jobs' },
  })
  const { top } = questionnaireOf(household)
  const values = new FormValues([
    ['/people/entities/0/entity_name', 'Ann'],
    ['/people/entities/0/jobs/entities/0/entity_name', 'baker'],
    ['/people/entities/0/jobs/entities/0/pay/currency_dollars', '1'],
    ['/people/entities/2/entity_name', 'Bo'],
    ['/people/entities/2/jobs/entities/0/entity_name', ' '],
    ['/people/entities/2/jobs/entities/3/entity_name', 'cook'],
    ['/people/entities/2/jobs/entities/3/pay/currency_dollars', '$1,250.50'],
  ])
  const { answers, formPath } = readAnswers(values, top)
  const kept = [...valuesOf(answers, top)]
  expect(kept.slice(-3)).toEqual([
    ['/people/entities/1/entity_name', 'Bo'],
    ['/people/entities/1/jobs/entities/0/entity_name', 'cook'],
    ['/people/entities/1/jobs/entities/0/pay/currency_dollars', '1250.50'],
  ])
  expect(formPath('/people/entities/1/jobs/entities/0/pay')).toBe('/people/entities/2/jobs/entities/3/pay')
})
