// The check of a pull against the validator of the schema as it is: both must accept the same applications.

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import Schema from 'typebox/schema'
import { SchemaMismatch, schemaCheck } from '../../../src/clients/pull/spool/schema-check.ts'

const time = { type: 'string', format: 'date-time' }
const Answers = {
  type: 'object',
  properties: { rent: { type: 'integer' }, moved: time },
  required: ['rent', 'moved'],
  additionalProperties: { type: 'object', properties: { question_type: { type: 'string' } } },
}
const Application = {
  type: 'object',
  properties: { application_id: { type: 'integer' }, application: { $ref: '#/$defs/Answers' } },
  required: ['application_id', 'application'],
}
const $defs = { Application, Answers }
const original = Schema.Compile({ ...Application, $defs })

const times = fc.oneof(
  fc.date({ noInvalidDate: true }).map(date => date.toISOString().replace(/\.\d+/, '')),
  fc.constantFrom(
    '2024-02-29T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '2023-04-31T12:00:00+02:00',
    '2023-01-31T23:59:60Z',
    '2023-01-01T23:59:59.123-08:00',
    '2023-01-01T24:00:00Z',
    '2023-01-01T00:00:00',
    '2023-01-01T00:00:00+24:00',
    '2023-01-01',
  ),
)
const answers = fc.oneof(
  fc.record({ rent: fc.constantFrom<unknown>(1, 1.5, null), moved: times }, { requiredKeys: [] }),
  fc.record({
    rent: fc.integer(),
    moved: times,
    later: fc.constantFrom<unknown>({ question_type: 'TEXT' }, { question_type: 1 }, 'text', {}),
  }),
)

test('an application passes exactly if its schema accepts it, whatever additional members it has', () => {
  const check = schemaCheck({ $defs })
  fc.assert(
    fc.property(fc.record({ application_id: fc.constantFrom<unknown>(1, 'x'), application: answers }), application => {
      if (original.Check(application)) expect(check(application)).toBeUndefined()
      else expect(() => check(application)).toThrow(SchemaMismatch)
    }),
    { numRuns: 1000 },
  )
})
