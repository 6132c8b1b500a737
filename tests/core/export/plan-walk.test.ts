// What a request may say along with a token, and which questions `fields` names.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { planWalk } from '../../../src/core/export/requests/request.ts'
import type { PageToken } from '../../../src/core/export/requests/walk.ts'
import type { KeyMap } from '../../../src/domain/questions/key-map.ts'
import { choices } from '../../support/any-filters.ts'
import { codes, limits, parse, token, utc } from '../../support/export-request.ts'
import { refusal } from '../../support/refusal.ts'

const day = 86_400_000_000
/** The values that an error names: numbers, instants, states. */
const valuesIn = (detail: string): string[] => detail.match(/\b(?:\d[\w:.-]*|[A-Z]{3,})\b/g) ?? []

describe('spec, "Pagination rules"', () => {
  const filters = {
    from: utc('2026-01-01T05:00:00Z'),
    to: utc('2026-02-01T05:00:00Z'),
    revisionState: 'CURRENT',
  } as const
  const first = token({ filters, pageSize: 7 })
  const planned = { filters, pageSize: 7, pageSizeMax: 1000 }
  const plan = (query: string, of: PageToken = first) => planWalk({ ...parse(query), token: of }, limits)

  test('3. "When `nextPageToken` is sent, the other query parameters may be omitted"', () => {
    expect(plan('')).toEqual(planned)
    expect(plan('pageSize=7')).toEqual(planned)
    expect(plan('toDate=2026-02-01')).toEqual(planned)
  })

  test('4. "they must equal the values of the initial request": by effective value, in any spelling', () => {
    expect(plan('fromDate=2026-01-01&toDate=2026-02-01&revisionState=CURRENT&pageSize=7')).toEqual(planned)
    for (const spelling of [
      '2026-01-01T00:00',
      '2026-01-01T05:00:00.000Z',
      '2026-01-01T06:00+01:00',
      '2025-12-31T23:59:59.9999999-05:00',
    ]) {
      expect(plan(`fromDate=${spelling}&pageSize=0007`)).toEqual(planned)
    }
  })

  test('4. "Otherwise the request is rejected as invalid": every parameter that differs is named, with both values', () => {
    const problem = refusal(() => plan('fromDate=2026-01-02&toDate=2026-02-02&revisionState=OBSOLETE&pageSize=8'))
    expect(problem.errors.every(e => e.code === 'differs_from_first_page')).toBe(true)
    expect(problem.errors.map(e => [e.parameter, ...valuesIn(e.detail)])).toEqual([
      ['fromDate', '2026-01-02T05:00:00.000000Z', '2026-01-01T05:00:00.000000Z'],
      ['toDate', '2026-02-02T05:00:00.000000Z', '2026-02-01T05:00:00.000000Z'],
      ['revisionState', 'OBSOLETE', 'CURRENT'],
      ['pageSize', '8', '7'],
    ])
  })

  test('a bound that differs by one microsecond differs', () => {
    expect(codes(() => plan('fromDate=2026-01-01T05:00:00.000001Z'))).toEqual([['fromDate', 'differs_from_first_page']])
  })

  test('contract D9: "Absent on page 1 and present later with another effective value: 400"', () => {
    const { errors } = refusal(() => plan('fromDate=2026-01-01&revisionState=CURRENT&pageSize=10', token()))
    expect(errors.map(e => [e.parameter, e.code, ...valuesIn(e.detail)])).toEqual([
      ['fromDate', 'differs_from_first_page', '2026-01-01T05:00:00.000000Z'],
      ['revisionState', 'differs_from_first_page', 'CURRENT'],
      ['pageSize', 'differs_from_first_page', '10', '1000'],
    ])
  })

  test('contract D9: "a clamped and an omitted `pageSize` are equal to the maximum"', () => {
    for (const query of ['', 'pageSize=1000', 'pageSize=1001', 'pageSize=5000', `pageSize=${'9'.repeat(400)}`]) {
      expect(plan(query, token()).pageSize).toBe(1000)
    }
    expect(codes(() => plan('pageSize=999', token()))).toEqual([['pageSize', 'differs_from_first_page']])
    expect(codes(() => plan('pageSize=5000'))).toEqual([['pageSize', 'differs_from_first_page']])
  })

  test('contract G8: a walk outlives a change of the maximum, whatever page size it began with and repeats', () => {
    for (const maxPageSize of [500, 1000, 2000]) {
      for (const query of ['', 'pageSize=800', 'pageSize=5000']) {
        const first = token({ pageSize: 800, pageSizeMax: 800 })
        expect(planWalk({ ...parse(query), token: first }, { maxPageSize })).toMatchObject({
          pageSize: 800,
          pageSizeMax: 800,
        })
      }
    }
  })

  test('repeating any part of the first request is always accepted, and any other value never is', () => {
    const asked = fc.record({
      fromDate: fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }),
      toDate: fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }),
      ...Object.fromEntries(
        choices.map(({ parameter, values }) => [parameter, fc.option(fc.constantFrom(...values), { nil: undefined })]),
      ),
      pageSize: fc.option(fc.integer({ min: 1, max: 1500 }), { nil: undefined }),
    })
    type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never
    const compared = ['fromDate', 'toDate', ...choices.map(({ parameter }) => parameter)] as 'fromDate'[]
    const queryOf = (a: Partial<Asked>): string =>
      Object.entries(a)
        .filter(([, value]) => value !== undefined)
        .map(
          ([name, value]) =>
            `${name}=${name.endsWith('Date') ? new Date(Number(value) * (day / 1000)).toISOString() : value}`,
        )
        .join('&')
    fc.assert(
      fc.property(asked, asked, fc.subarray([...compared, 'pageSize'] as const), (onFirst, other, names) => {
        const walk = planWalk(parse(queryOf(onFirst)), limits)
        const contents = token(walk)
        const repeated = Object.fromEntries(names.map(name => [name, onFirst[name]]))
        expect(planWalk({ ...parse(queryOf(repeated)), token: contents }, limits)).toEqual(walk)

        const size = (asked: number | undefined): number => Math.min(asked ?? 1000, 1000)
        const differing = compared.filter(
          name => other[name] !== undefined && other[name] !== onFirst[name],
        ) as string[]
        if (other.pageSize !== undefined && size(other.pageSize) !== size(onFirst.pageSize)) differing.push('pageSize')
        const attempt = () => planWalk({ ...parse(queryOf(other)), token: contents }, limits)
        if (differing.length === 0) expect(attempt()).toEqual(walk)
        else expect(codes(attempt).map(([parameter]) => parameter)).toEqual(differing)
      }),
    )
  })
})

describe('fields', () => {
  const node = (question_id: number, question_key: string, children: KeyMap = []): KeyMap[number] => {
    const type = children.length > 0 ? ('ENUMERATOR' as const) : ('TEXT' as const)
    return { question_id, question_key, type, option_ids: [], children }
  }
  const seen = [node(1, 'name'), node(2, 'member', [node(3, 'born'), node(4, 'pay')]), node(5, 'income')]
  const plan = (query: string, of?: Partial<PageToken>) =>
    planWalk({ ...parse(query), token: of && token(of) }, limits, seen)

  test.each([
    ['name', [1]],
    ['income,name,income', [1, 5]],
    ['member', [2]],
    ['member.pay', [4]],
    ['member.pay,member', [2]],
    ['member%2Epay%2Cname', [1, 4]],
    ['name, member.pay', [1, 4]],
    ['%20name%20,+income%09', [1, 5]],
  ])('%s are the questions %j', (value, chosen) => {
    expect(plan(`fields=${value}`).fields).toEqual(chosen)
  })

  test('D3 "All bad parameters are named at once": unknown questions are named with the known ones', () => {
    const attempt = () => plan('fields=nmae,name.first,member.born&pageSize=0&fromDate=x')
    expect(codes(attempt)).toEqual([
      ['fromDate', 'invalid_date'],
      ['pageSize', 'invalid_page_size'],
      ['fields', 'unknown_field'],
    ])
    expect(refusal(attempt).errors[2]!.detail).toMatch(
      /"nmae", "name\.first"\..* name, member, member\.born, member\.pay, income\./,
    )
  })

  test('if there is no question to name, the error says so', () => {
    const { errors } = refusal(() => planWalk(parse('fields=name'), limits, []))
    expect(errors).toEqual([{ parameter: 'fields', code: 'unknown_field', detail: expect.stringContaining('"name"') }])
  })

  test('malformed lists are refused', () => {
    for (const value of [',', 'name,', 'name,,income', 'name,%20,income', '%20'])
      expect(codes(() => plan(`fields=${value}`))).toEqual([['fields', 'empty_field']])
    expect(codes(() => plan('fields='))).toEqual([['fields', 'missing_value']])
    expect(codes(() => plan('fields=name&fields=income'))).toEqual([['fields', 'duplicate_parameter']])
    const many = Array.from({ length: 101 }, (_, i) => `q${i}`).join(',')
    expect(codes(() => plan(`fields=${many}`))).toEqual([['fields', 'too_many_fields']])
  })

  test('an error is bounded, whatever is sent and however many questions there are', () => {
    const all = Array.from({ length: 5000 }, (_, i) => node(i, `key${i}`))
    const names = Array.from({ length: 100 }, (_, i) => `${'x'.repeat(70)}${i}`).join(',')
    const { errors } = refusal(() => planWalk(parse(`fields=${names}`), limits, all))
    expect(errors[0]!.detail).toContain(' 4900 ')
    expect(errors[0]!.detail.length).toBeLessThan(15_000)
  })

  test('contract D9: with a token, fields are compared by what they show', () => {
    const of = (fields: readonly number[] | undefined) => ({ fields })
    expect(plan('', of([3])).fields).toEqual([3])
    expect(plan('fields=member.pay,member.born', of([2])).fields).toEqual([2])
    expect(plan('fields=income,member,name', of(undefined)).fields).toBeUndefined()
    expect(codes(() => plan('fields=name', of(undefined)))).toEqual([['fields', 'differs_from_first_page']])
    const { errors } = refusal(() => plan('fields=name&pageSize=8', of([3, 5])))
    expect(errors.map(({ parameter }) => parameter)).toEqual(['pageSize', 'fields'])
    expect(errors[1]!.detail).toMatch(/ name, .* member\.born,income /)
  })

  test('a question of the first page that is hidden now is not named', () => {
    const { errors } = refusal(() => plan('fields=name', { fields: [5, 99] }))
    expect(errors[0]!.detail).toMatch(/^\w+ name, .* income /)
  })
})
