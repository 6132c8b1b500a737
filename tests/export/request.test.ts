import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { KeyMap } from '../../src/domain/questions/key-map.ts'
import { type OpenedToken, sealPageToken } from '../../src/export/page-token.ts'
import { type ExportRequest, parseExportRequest, planWalk } from '../../src/export/request.ts'
import type { PageToken } from '../../src/export/walk.ts'
import { prefersStrictHandling } from '../../src/http/preference.ts'
import { parseQueryString } from '../../src/http/query-string.ts'
import { Problem } from '../../src/problem.ts'
import { refusal } from '../support/refusal.ts'

const limits = { maxPageSize: 1000, timeZone: 'America/New_York' }
const strict = 'handling=strict'
const day = 86_400_000_000
const utc = (text: string): number => Date.parse(text) * 1000

const tokens = { keys: [Buffer.alloc(32, 7)], now: 0, ttlMs: 1000, programId: 1 }

const parse = (query: string, prefer: string | null = null, timeZone = limits.timeZone): ExportRequest =>
  parseExportRequest({ ...parseQueryString(query), strict: prefersStrictHandling(prefer) }, { timeZone }, tokens)

const codes = (attempt: () => unknown): [string | undefined, string][] =>
  refusal(attempt).errors.map(({ parameter, code }) => [parameter, code])

describe('query parameters: "all optional; names are case-sensitive"', () => {
  test('none', () => {
    const request = parse('')
    expect(Object.values(request).every(v => v === undefined)).toBe(true)
  })

  test('all at once, in any order', () => {
    const request = parse('pageSize=7&toDate=2026-02-01&revisionState=OBSOLETE&fromDate=2026-01-01T00:00:00Z')
    expect(request).toEqual({
      from: utc('2026-01-01T00:00:00Z'),
      to: utc('2026-02-01T05:00:00Z'),
      revisionState: 'OBSOLETE',
      pageSize: 7,
      token: undefined,
    })
  })

  test('an escaped spelling of a name or a value is the same name and value', () => {
    expect(parse('from%44ate=2026%2D01%2d01T00%3A00%3A00%5A').from).toBe(utc('2026-01-01T00:00:00Z'))
    expect(codes(() => parse('page%53ize=1&pageSize=1'))).toEqual([['pageSize', 'duplicate_parameter']])
  })
})

describe('fromDate and toDate (contract D12)', () => {
  test.each([
    '2026-01-01T00:00:00+05:00',
    '2026-01-01T00:00:00%2B05:00',
    '2026-01-01T00:00:00%2b05%3A00',
    '2026-01-01T00:00:00%2005:00',
  ])('an offset with its + escaped or not: %s', text => {
    expect(parse(`fromDate=${text}`).from).toBe(utc('2025-12-31T19:00:00Z'))
    expect(parse(`toDate=${text}`).to).toBe(utc('2025-12-31T19:00:00Z'))
  })

  test('"With no timezone the instance\'s local timezone is used"', () => {
    expect(parse('fromDate=2026-07-01T08:00').from).toBe(utc('2026-07-01T12:00:00Z'))
    expect(parse('fromDate=2026-07-01T08:00', null, 'UTC').from).toBe(utc('2026-07-01T08:00:00Z'))
  })

  test('"With no time the beginning of the day is used"', () => {
    expect(parse('toDate=2026-07-01').to).toBe(utc('2026-07-01T04:00:00Z'))
  })

  test('contract D11: fromDate at or after toDate is no error', () => {
    for (const to of ['2026-01-01', '2025-12-31']) {
      const request = parse(`fromDate=2026-01-01&toDate=${to}`)
      expect(request.from).toBeGreaterThanOrEqual(request.to!)
      expect(planWalk(request, limits)).toMatchObject({ from: request.from, to: request.to })
    }
  })

  test('what is no date is refused with what would be right', () => {
    const { errors } = refusal(() => parse('fromDate=2026-02-30&toDate=yesterday'))
    expect(errors).toEqual([
      { parameter: 'fromDate', code: 'invalid_date', detail: 'names 2026-02-30, which is not a day of the calendar.' },
      {
        parameter: 'toDate',
        code: 'invalid_date',
        detail: 'must be a date or a date-time such as 2026-01-31, 2026-01-31T09:30:00Z or 2026-01-31T09:30:00-08:00.',
      },
    ])
  })
})

describe('revisionState: "string, `CURRENT` or `OBSOLETE`"', () => {
  test.each(['CURRENT', 'OBSOLETE'] as const)('%s', state => {
    expect(parse(`revisionState=${state}`).revisionState).toBe(state)
  })

  test('"When omitted, all revision states are returned"', () => {
    expect(planWalk(parse(''), limits).revisionState).toBeUndefined()
  })

  test.each(['current', 'Current', 'ALL', 'CURRENT,OBSOLETE', '%20CURRENT', 'CURRENT%00', 'null', '*', '__proto__'])(
    '%s is refused',
    value => {
      expect(codes(() => parse(`revisionState=${value}`))).toEqual([['revisionState', 'invalid_revision_state']])
    },
  )
})

describe('pageSize: "positive integer", "A value above the maximum page size is replaced by the maximum"', () => {
  const effective = (query: string): number => planWalk(parse(query), limits).pageSize

  test('contract D2: without one it is the maximum', () => {
    expect(effective('')).toBe(1000)
  })

  test.each([
    ['1', 1],
    ['7', 7],
    ['999', 999],
    ['1000', 1000],
    ['1001', 1000],
    ['007', 7],
    ['0000000000000000000000000000000000000005', 5],
    ['9007199254740993', 1000],
    ['99999999999999999999', 1000],
    ['9'.repeat(5000), 1000],
  ])('%s', (text, size) => {
    expect(effective(`pageSize=${text}`)).toBe(size)
  })

  test.each([
    '0',
    '00',
    '-1',
    '%2B5',
    '+5',
    '5+',
    '1.0',
    '1.5',
    '1e3',
    '0x10',
    '1_000',
    '1,000',
    ' 5',
    '%D9%A3',
    '%EF%BC%95',
    'ten',
    'NaN',
    'Infinity',
    '5%00',
  ])('%s is refused', text => {
    expect(codes(() => parse(`pageSize=${text}`))).toEqual([['pageSize', 'invalid_page_size']])
  })
})

describe('contract D3: "All bad parameters are named at once"', () => {
  test('each with its own code', () => {
    const query = 'fromDate=x&toDate=&revisionState=old&pageSize=0&nextPageToken=a&nextPageToken=b&broken=%'
    expect(codes(() => parse(query))).toEqual([
      ['broken', 'malformed_encoding'],
      ['fromDate', 'invalid_date'],
      ['toDate', 'missing_value'],
      ['revisionState', 'invalid_revision_state'],
      ['pageSize', 'invalid_page_size'],
      ['nextPageToken', 'duplicate_parameter'],
    ])
    expect(refusal(() => parse(query)).detail).toBe('6 parameters cannot be used.')
    expect(refusal(() => parse('pageSize=0')).detail).toBe('A parameter cannot be used.')
  })

  test('with a token that cannot be opened among them', () => {
    const expired = sealed({ issuedAt: -1_000_001 })
    const problem = refusal(() => parse(`pageSize=0&nextPageToken=${expired}`))
    expect(problem.errors.map(e => e.code)).toEqual(['invalid_page_size', 'page_token_expired'])
    expect(problem.internal).toBe('token_expired')
  })

  test('with those that differ from the first page among them', () => {
    const attempt = () => parse(`pageSize=0&revisionState=CURRENT&nextPageToken=${sealed()}`)
    expect(codes(attempt)).toEqual([
      ['pageSize', 'invalid_page_size'],
      ['revisionState', 'differs_from_first_page'],
    ])
  })

  test('a failure of another kind while opening is not swallowed', () => {
    const query = { ...parseQueryString(`pageSize=0&nextPageToken=${sealed()}`), strict: false }
    const keys = [null as never]
    expect(() => parseExportRequest(query, limits, { ...tokens, keys })).toThrow(TypeError)
  })

  test.each(['fromDate', 'toDate', 'revisionState', 'pageSize', 'nextPageToken'])(
    '%s without a value, with and without =',
    name => {
      for (const query of [name, `${name}=`]) expect(codes(() => parse(query))).toEqual([[name, 'missing_value']])
    },
  )
})

describe('contract D10: "A known name sent twice: 400"', () => {
  test.each(['fromDate', 'toDate', 'revisionState', 'pageSize', 'nextPageToken'])(
    '%s, even with equal values',
    name => {
      expect(codes(() => parse(`${name}=1&other=2&${name}=1`))).toEqual([[name, 'duplicate_parameter']])
      expect(codes(() => parse(`${name}=&${name}=`))).toEqual([[name, 'duplicate_parameter']])
    },
  )
})

describe('contract D10: "Unknown query names, wrong case: Ignored; with `Prefer: handling=strict`, 400 naming them"', () => {
  const query = 'PageSize=5&from_date=2026-01-01&utm=1&utm=2&=x&__proto__=1&pageSize=3'

  test('ignored', () => {
    expect(parse(query)).toMatchObject({ pageSize: 3, from: undefined })
    expect(parse(query, 'handling=lenient').pageSize).toBe(3)
  })

  test('named once each under the strict preference, with what was meant where only the case is wrong', () => {
    const { errors } = refusal(() => parse(query, strict))
    expect(errors.map(e => [e.parameter, e.code])).toEqual([
      ['PageSize', 'unknown_parameter'],
      ['from_date', 'unknown_parameter'],
      ['utm', 'unknown_parameter'],
      ['', 'unknown_parameter'],
      ['__proto__', 'unknown_parameter'],
    ])
    expect(errors[0]!.detail).toEndWith('Did you mean pageSize?')
    expect(errors[1]!.detail).toEndWith('Known are fromDate, toDate, revisionState, pageSize, fields, nextPageToken.')
  })

  test('a query of known names alone is read under the strict preference, too', () => {
    expect(parse('pageSize=3', strict).pageSize).toBe(3)
  })

  test('thousands of unknown names, or one very long one, make no large answer', () => {
    const many = Array.from({ length: 2000 }, (_, i) => `x${i}`)
      .join('&')
      .slice(0, 8192)
    const { errors } = refusal(() => parse(many, strict))
    expect(errors.length).toBe(51)
    expect(errors.at(-1)!.detail).toMatch(/^stands for \d+ more names/)
    expect(JSON.stringify(refusal(() => parse('x'.repeat(8000), strict)).errors).length).toBeLessThan(500)
  })
})

describe('section 3: "invalid UTF-8", "`%00`", "Everything has a bound and a name": a clear 400, never a 500', () => {
  test.each(['fromDate=%', 'other=%zz', '%FF=1', 'nextPageToken=%C0%AF', 'x=%ED%A0%80'])('%s', query => {
    expect(codes(() => parse(query))[0]![1]).toBe('malformed_encoding')
  })

  test('a query over 8192 characters is refused, one of them is read', () => {
    expect(parse(`pageSize=3&x=${'y'.repeat(8192 - 13)}`).pageSize).toBe(3)
    expect(codes(() => parse(`pageSize=3&x=${'y'.repeat(8192 - 12)}`))).toEqual([['?', 'query_too_long']])
  })

  test('no query and no preference whatever makes it fail in another way', () => {
    const name = fc.constantFrom('fromDate', 'toDate', 'revisionState', 'pageSize', 'nextPageToken', 'x')
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('%', '%00', '%ff', '1', '2026-01-01', 'CURRENT'),
    )
    const query = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.tuple(name, value)).map(pairs => pairs.map(pair => pair.join('=')).join('&')),
    )
    fc.assert(
      fc.property(query, fc.option(fc.constantFrom(strict, 'x')), (raw, prefer) => {
        try {
          parse(raw, prefer)
        } catch (error) {
          expect(error).toBeInstanceOf(Problem)
          expect((error as Problem).kind).toBe('invalid_request')
          for (const item of (error as Problem).errors)
            expect(item).toEqual({
              parameter: expect.any(String),
              code: expect.stringMatching(/^[a-z_]+$/),
              detail: expect.stringMatching(/\.$|\?$/),
            })
        }
      }),
      { numRuns: 1000 },
    )
  })
})

function token(changes: Partial<OpenedToken> = {}): OpenedToken {
  return {
    programId: 1,
    walkId: '00000000000000aa',
    horizon: 10,
    lastApplication: { submit_time: 1, submit_seq: 1 },
    questionsAsOf: 1,
    after: { submit_time: 1, submit_seq: 1 },
    from: undefined,
    to: undefined,
    revisionState: undefined,
    pageSize: 1000,
    pageSizeMax: 1000,
    applications: 1000,
    issuedAt: 0,
    ...changes,
  }
}

const sealed = (changes: Partial<PageToken> = {}): string =>
  sealPageToken({ ...token(), questionsAsOf: 1, ...changes }, tokens.keys)

describe('spec, "Pagination rules"', () => {
  const first = token({
    from: utc('2026-01-01T05:00:00Z'),
    to: utc('2026-02-01T05:00:00Z'),
    revisionState: 'CURRENT',
    pageSize: 7,
  })
  const filters = {
    from: first.from,
    to: first.to,
    revisionState: 'CURRENT',
    pageSize: 7,
    pageSizeMax: 1000,
  } as const
  const plan = (query: string, of: OpenedToken = first) => planWalk({ ...parse(query), token: of }, limits)

  test('3. "When `nextPageToken` is sent, the other query parameters may be omitted"', () => {
    expect(plan('')).toEqual(filters)
    expect(plan('pageSize=7')).toEqual(filters)
    expect(plan('toDate=2026-02-01')).toEqual(filters)
  })

  test('4. "they must equal the values of the initial request": by effective value, in any spelling', () => {
    expect(plan('fromDate=2026-01-01&toDate=2026-02-01&revisionState=CURRENT&pageSize=7')).toEqual(filters)
    for (const spelling of [
      '2026-01-01T00:00',
      '2026-01-01T05:00:00.000Z',
      '2026-01-01T06:00+01:00',
      '2025-12-31T23:59:59.9999999-05:00',
    ]) {
      expect(plan(`fromDate=${spelling}&pageSize=0007`)).toEqual(filters)
    }
  })

  test('4. "Otherwise the request is rejected as invalid": every parameter that differs is named, with both values', () => {
    const problem = refusal(() => plan('fromDate=2026-01-02&toDate=2026-02-02&revisionState=OBSOLETE&pageSize=8'))
    expect(problem.detail).toBe('4 parameters cannot be used.')
    expect(problem.errors.every(e => e.code === 'differs_from_first_page')).toBe(true)
    expect(problem.errors.map(e => [e.parameter, e.detail.split(' on the first page')[0]])).toEqual([
      ['fromDate', 'is 2026-01-02T05:00:00.000000Z, but was 2026-01-01T05:00:00.000000Z'],
      ['toDate', 'is 2026-02-02T05:00:00.000000Z, but was 2026-02-01T05:00:00.000000Z'],
      ['revisionState', 'is OBSOLETE, but was CURRENT'],
      ['pageSize', 'is 8, but was 7'],
    ])
  })

  test('a bound that differs by one microsecond differs', () => {
    expect(codes(() => plan('fromDate=2026-01-01T05:00:00.000001Z'))).toEqual([['fromDate', 'differs_from_first_page']])
  })

  test('contract D9: "Absent on page 1 and present later with another effective value: 400"', () => {
    const { errors } = refusal(() => plan('fromDate=2026-01-01&revisionState=CURRENT&pageSize=10', token()))
    expect(errors.map(e => e.detail)).toEqual([
      'is 2026-01-01T05:00:00.000000Z, but was not given on the first page. Leave it out, or start again without nextPageToken.',
      'is CURRENT, but was not given on the first page. Leave it out, or start again without nextPageToken.',
      'is 10, but was 1000 on the first page. Leave it out, or start again without nextPageToken.',
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

  test('what the first page was asked, repeated or left out in part, is always accepted; any other value never is', () => {
    const asked = fc.record({
      fromDate: fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }),
      toDate: fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }),
      revisionState: fc.option(fc.constantFrom('CURRENT', 'OBSOLETE'), { nil: undefined }),
      pageSize: fc.option(fc.integer({ min: 1, max: 1500 }), { nil: undefined }),
    })
    type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never
    const queryOf = (a: Partial<Asked>): string =>
      Object.entries(a)
        .filter(([, value]) => value !== undefined)
        .map(
          ([name, value]) =>
            `${name}=${name.endsWith('Date') ? new Date(Number(value) * (day / 1000)).toISOString() : value}`,
        )
        .join('&')
    fc.assert(
      fc.property(
        asked,
        asked,
        fc.subarray(['fromDate', 'toDate', 'revisionState', 'pageSize'] as const),
        (onFirst, other, names) => {
          const walk = planWalk(parse(queryOf(onFirst)), limits)
          const contents = token(walk)
          const repeated = Object.fromEntries(names.map(name => [name, onFirst[name]]))
          expect(planWalk({ ...parse(queryOf(repeated)), token: contents }, limits)).toEqual(walk)

          const size = (asked: number | undefined): number => Math.min(asked ?? 1000, 1000)
          const differing = (['fromDate', 'toDate', 'revisionState'] as const).filter(
            name => other[name] !== undefined && other[name] !== onFirst[name],
          ) as string[]
          if (other.pageSize !== undefined && size(other.pageSize) !== size(onFirst.pageSize))
            differing.push('pageSize')
          const attempt = () => planWalk({ ...parse(queryOf(other)), token: contents }, limits)
          if (differing.length === 0) expect(attempt()).toEqual(walk)
          else expect(codes(attempt).map(([parameter]) => parameter)).toEqual(differing)
        },
      ),
    )
  })
})

describe('fields', () => {
  const node = (question_id: number, question_key: string, children: KeyMap = []): KeyMap[number] => {
    const type = children.length > 0 ? ('ENUMERATOR' as const) : ('TEXT' as const)
    return { question_id, question_key, type, option_ids: [], children }
  }
  const seen = [node(1, 'name'), node(2, 'member', [node(3, 'born'), node(4, 'pay')]), node(5, 'income')]
  const plan = (query: string, of?: Partial<OpenedToken>) =>
    planWalk({ ...parse(query), token: of && token(of) }, limits, seen)

  test.each([
    ['name', [1]],
    ['income,name,income', [1, 5]],
    ['member', [2]],
    ['member.pay', [4]],
    ['member.pay,member', [2]],
    ['member%2Epay%2Cname', [1, 4]],
  ])('%s are the questions %j', (value, chosen) => {
    expect(plan(`fields=${value}`).fields).toEqual(chosen)
  })

  test('D3 "All bad parameters are named at once": with what is no question, and what there is', () => {
    const attempt = () => plan('fields=nmae,name.first,member.born&pageSize=0&fromDate=x')
    expect(codes(attempt)).toEqual([
      ['fromDate', 'invalid_date'],
      ['pageSize', 'invalid_page_size'],
      ['fields', 'unknown_field'],
    ])
    expect(refusal(attempt).errors[2]!.detail).toBe(
      'names what is no question of this program: "nmae", "name.first". Known are name, member, member.born, member.pay, income. ' +
        'Whatever stands beside application is always sent.',
    )
  })

  test('malformed lists are refused', () => {
    for (const value of [',', 'name,', 'name,,income'])
      expect(codes(() => plan(`fields=${value}`))).toEqual([['fields', 'empty_field']])
    expect(codes(() => plan('fields='))).toEqual([['fields', 'missing_value']])
    expect(codes(() => plan('fields=name&fields=income'))).toEqual([['fields', 'duplicate_parameter']])
    const many = Array.from({ length: 101 }, (_, i) => `q${i}`).join(',')
    expect(codes(() => plan(`fields=${many}`))).toEqual([['fields', 'too_many_fields']])
  })

  test('a refusal is bounded, whatever is sent and however many questions there are', () => {
    const all = Array.from({ length: 5000 }, (_, i) => node(i, `key${i}`))
    const names = Array.from({ length: 100 }, (_, i) => `${'x'.repeat(70)}${i}`).join(',')
    const { errors } = refusal(() => planWalk(parse(`fields=${names}`), limits, all))
    expect(errors[0]!.detail).toContain(', and 4900 more, which its docs list.')
    expect(errors[0]!.detail.length).toBeLessThan(15_000)
  })

  test('contract D9: with a token, compared by what they show', () => {
    const of = (fields: readonly number[] | undefined) => ({ fields })
    expect(plan('', of([3])).fields).toEqual([3])
    expect(plan('fields=member.pay,member.born', of([2])).fields).toEqual([2])
    expect(plan('fields=income,member,name', of(undefined)).fields).toBeUndefined()
    expect(codes(() => plan('fields=name', of(undefined)))).toEqual([['fields', 'differs_from_first_page']])
    const { errors } = refusal(() => plan('fields=name&pageSize=8', of([3, 5])))
    expect(errors.map(({ parameter }) => parameter)).toEqual(['pageSize', 'fields'])
    expect(errors[1]!.detail).toBe(
      'are name, but were member.born,income on the first page. Leave it out, or start again without nextPageToken.',
    )
  })

  test('a question of the first page that is not seen any more is not named', () => {
    const { errors } = refusal(() => plan('fields=name', { fields: [5, 99] }))
    expect(errors[0]!.detail).toStartWith('are name, but were income on the first page.')
  })
})
