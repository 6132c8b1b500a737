// Samples of a schema: what they are made of, and in which order that counts.

import { expect, test } from 'bun:test'
import { schemaSample } from '../../../src/domain/samples/schema-sample.ts'

const known = {
  definitions: {
    Made: { type: 'object', properties: { id: { type: 'integer', minimum: 5 } } },
    Shown: { type: 'string' },
  },
  samples: { Shown: 'an example' },
  values: { name: 'Ada', token: 'has spaces in it', count: 'no number', left: 3 },
}

test.each([
  ['a constant', { const: 'one' }, 'one'],
  ['the first of its values', { type: 'string', enum: ['a', 'b'] }, 'a'],
  ['the first of its examples', { type: ['string', 'null'], examples: ['a', 'b'] }, 'a'],
  ['what is referred to', { $ref: '#/components/schemas/Made' }, { id: 5 }],
  ['the sample of what is referred to', { $ref: '#/components/schemas/Shown' }, 'an example'],
  ['null, where nothing is known of it', { anyOf: [{ type: 'string' }, { type: 'null' }] }, null],
  ['the first of alternatives', { oneOf: [{ type: 'boolean' }, { type: 'string' }] }, true],
  ['an instant', { type: 'string', format: 'date-time' }, '2026-01-15T18:04:05+00:00'],
  [
    'members that are required',
    { type: 'object', properties: { name: { type: 'string' }, left: { type: 'integer' } }, required: ['name'] },
    { name: 'Ada' },
  ],
  ['all members, where none is', { type: 'object', properties: { left: { type: 'integer' } } }, { left: 3 }],
  [
    'a value that does not fit, passed over',
    { type: 'object', properties: { token: { type: 'string', pattern: '^\\w+$' }, count: { type: 'integer' } } },
    { token: 'token', count: 1 },
  ],
  ['no items of texts that nothing is known of', { type: 'array', items: { type: 'string' } }, []],
])('%s', (_, schema, sample) => {
  expect(schemaSample(schema, 'a_member', known)).toEqual(sample)
})
