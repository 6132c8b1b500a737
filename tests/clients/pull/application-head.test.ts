// The start of a line against all of it: what a pull reads of an application without parsing it.

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readHead } from '../../../src/clients/pull/spool/application-head.ts'

const head = (text: string) => readHead(Buffer.from(text))
const lineOf = (application: object): string => JSON.stringify(application)

test('the ID and time of an application are the same whatever the order of the members of its line', () => {
  const value = fc.record({
    id: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    time: fc.oneof(
      fc.date({ noInvalidDate: true }).map(date => date.toISOString()),
      fc.string({ unit: 'binary', maxLength: 400 }),
    ),
    answers: fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
  })
  fc.assert(
    fc.property(value, ({ id, time, answers }) => {
      const rest = { language: 'en-US', application: answers }
      const expected = { id, submitTime: JSON.parse(JSON.stringify(time)) }
      const asSent = { create_time: time, submit_time: time, applicant_id: 7, application_id: id, ...rest }
      expect(head(lineOf(asSent))).toEqual(expected)
      expect(head(lineOf({ ...rest, application_id: id, submit_time: time }))).toEqual(expected)
    }),
  )
})

test.each([0, -1, 1.5, 2 ** 53, '7', null, undefined])('an application_id of %p is invalid', id => {
  expect(head(lineOf({ create_time: '', submit_time: '', applicant_id: 7, application_id: id, language: 'en' }))).toBe(
    undefined,
  )
})

test('a line that is not JSON is an error, unless its beginning contains everything that is read', () => {
  expect(() => head('{"application_id":')).toThrow(SyntaxError)
})
