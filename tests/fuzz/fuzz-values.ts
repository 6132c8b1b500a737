// Values to send: as a JSON Schema says, nearly so, and absurd. All are plain JSON, so that a case that was found can be kept as a file;
// `{ "$from": "applicant_id", "n": 3 }` stands for a value that the service itself sent before.

import fc from 'fast-check'
import { anyText } from '../support/arbitraries.ts'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** What of JSON Schema the service's document uses. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  const?: Json
  enum?: Json[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  oneOf?: Schema[]
  anyOf?: Schema[]
  minimum?: number
  maximum?: number
  pattern?: string
}

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  anyText,
  fc.constantFrom(
    ...[
      '',
      ' ',
      '0',
      '-1',
      '1e3',
      '٣',
      '１２',
      '2^63',
      '9223372036854775808',
      '-9223372036854775809',
      'NaN',
      'null',
      'true',
    ],
    ...[
      '%',
      '%00',
      '%zz',
      '%2e%2e',
      '..%2f',
      'a/b',
      '../..',
      "' or 1=1 --",
      '{}',
      '[]',
      '\ud800',
      'a\udc00',
      '\ufeff',
      '\u202e',
    ],
    ...[
      '2024-02-29',
      '2025-02-30',
      '0000-01-01T00:00',
      '9999-12-31T23:59:59.999999999Z',
      '2026-01-31T09:30+99:99',
      '24:00',
    ],
    ...[
      'CURRENT',
      'current',
      'DRAFT',
      'active',
      'ADMINISTRATOR',
      'en-US',
      'en',
      'i-klingon',
      '0.0.0.0/0',
      '::/0',
      '1.2.3.4/33',
    ],
    ...[
      'x'.repeat(300),
      'x'.repeat(5000),
      '1'.repeat(400),
      'a@b.c',
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
    ],
  ),
)

const scalar: fc.Arbitrary<Json> = fc.oneof(
  hostileText,
  fc.constantFrom<Json>(0, -0, -1, 1.5, 1e308, 2 ** 53, 2 ** 63, -(2 ** 63) - 1, 5e-324, null, true, false),
  fc.integer(),
)

const names = [
  ...[
    'answers',
    'submitter',
    'type',
    'text',
    'number',
    'date',
    'entities',
    'entity_name',
    'selection',
    'selections',
    'based_on',
    'name',
  ],
  ...[
    'programs',
    'slug',
    'questions',
    'screens',
    'options',
    'status',
    'note',
    'days',
    'email',
    'role',
    '__proto__',
    'constructor',
    '',
  ],
]

/** Any JSON, with names that mean something more often than not. */
export const absurd: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), tie('value'), {
      maxKeys: 5,
      noNullPrototype: true,
    }),
  ),
})).value

/** A value that was sent before under this name; a new one where none was. */
export const known = (name: string, otherwise: fc.Arbitrary<Json> = fc.constant('x')): fc.Arbitrary<Json> =>
  fc.tuple(fc.nat(50), otherwise).map(([n, other]) => ({ $from: name, n, else: other }))

/** As the schema says; `name` is what it is called where it stands. */
export function valid(schema: Schema, name: string): fc.Arbitrary<Json> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const either = schema.oneOf ?? schema.anyOf
  if (either !== undefined) return fc.oneof(...either.map(schema => valid(schema, name)))
  const types = [schema.type ?? 'any'].flat()
  return fc.oneof(...types.map(type => validOf(type, schema, name)))
}

/** One value as the schema says, with nothing that may be left out: the `n`th latest that was sent before under each name, counted from 1. */
export function example(schema: Schema, name: string, n: number): Json {
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]!
  const either = schema.oneOf ?? schema.anyOf
  if (either !== undefined) return example(either[0]!, name, n)
  const { properties = {}, required = [], items = {}, minimum = 1 } = schema
  switch ([schema.type].flat()[0]) {
    case 'null':
      return null
    case 'boolean':
      return true
    case 'array':
      return [example(items, name, n)]
    case 'object':
      return Object.fromEntries(required.map(key => [key, example(properties[key]!, key, n)]))
    case 'integer':
    case 'number':
      return { $from: name, n: -n, else: minimum }
    default:
      return { $from: name, n: -n, else: 'x' }
  }
}

function validOf(type: string, schema: Schema, name: string): fc.Arbitrary<Json> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number': {
      const { minimum = 0, maximum = 1000 } = schema
      const any = fc.integer({ min: minimum, max: Math.max(minimum, maximum) })
      return fc.oneof({ arbitrary: known(name, any), weight: 3 }, any)
    }
    case 'string':
      return fc.oneof({ arbitrary: known(name), weight: 12 }, { arbitrary: hostileText, weight: 1 })
    case 'array':
      return fc.oneof<fc.MaybeWeightedArbitrary<Json>[]>(
        { arbitrary: fc.array(valid(schema.items ?? {}, name), { minLength: 1, maxLength: 2 }), weight: 4 },
        fc.constant([]),
      )
    case 'object': {
      const { properties, required = [] } = schema
      // What the document does not spell out was sent by the service before, or is made up.
      if (properties === undefined) return fc.oneof({ arbitrary: known(name), weight: 4 }, absurd)
      const members = Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, valid(schema, key)]))
      return fc.record(members, { requiredKeys: required, noNullPrototype: true }) as fc.Arbitrary<Json>
    }
    default:
      return fc.oneof(known(name), absurd)
  }
}

/** One change to a value: at which of its places, of which kind, and what is put there. */
export interface Edit {
  at: number
  kind: 'replace' | 'remove' | 'add' | 'double'
  value: Json
  name: string
}

export const anyEdits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({
    at: fc.nat(200),
    kind: fc.constantFrom<Edit['kind']>('replace', 'replace', 'remove', 'add', 'double'),
    value: fc.oneof({ arbitrary: scalar, weight: 3 }, absurd),
    name: fc.constantFrom(...names),
  }),
  { minLength: 1, maxLength: 3 },
)

/** The value with edits made to it. */
export function edited(value: Json, edits: readonly Edit[]): Json {
  const root: Json[] = [structuredClone(value)]
  for (const edit of edits) {
    const places = [...placesOf(root)]
    const place = places[edit.at % places.length]
    if (place === undefined) continue
    const [parent, key] = place
    const target = parent[key as never] as Json
    if (edit.kind === 'remove' && parent !== root) {
      if (Array.isArray(parent)) parent.splice(Number(key), 1)
      else delete parent[key]
    } else if (edit.kind === 'add' && target !== null && typeof target === 'object') {
      if (Array.isArray(target)) target.push(edit.value)
      else
        Object.defineProperty(target, edit.name, {
          value: edit.value,
          enumerable: true,
          configurable: true,
          writable: true,
        })
    } else if (edit.kind === 'double' && Array.isArray(target)) target.push(...structuredClone(target).slice(0, 50))
    else (parent as Record<string, Json>)[key] = edit.value
  }
  return root[0]!
}

function* placesOf(parent: Json[] | Record<string, Json>): Generator<[Json[] | Record<string, Json>, string]> {
  for (const key of Object.keys(parent)) {
    yield [parent, key]
    const value = (parent as Record<string, Json>)[key]!
    if (value !== null && typeof value === 'object') yield* placesOf(value as Record<string, Json>)
  }
}
