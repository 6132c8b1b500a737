import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Problem } from '../../../../src/base/problem.ts'
import { exportParameterNames, parseExportRequest, planWalk } from '../../../../src/core/export/requests/request.ts'
import { noFilters, reportedName } from '../../../../src/db/walks/walk-filters.ts'
import { parseQueryString } from '../../../../src/web/http/headers/sent-text.ts'
import { choices } from '../../../support/any-filters.ts'
import { codes, limits, parse, sealed, tokens, utc } from '../../../support/export-request.ts'
import { refusal } from '../../../support/refusal.ts'

const strict = 'handling=strict'

describe('query parameters: "all optional; names are case-sensitive"', () => {
  test('an empty query selects the defaults', () => {
    const request = parse('')
    expect(request).toEqual({ filters: noFilters, pageSize: undefined, token: undefined })
  })

  test('all parameters are read at once, in any order', () => {
    const request = parse('pageSize=7&toDate=2026-02-01&revisionState=OBSOLETE&fromDate=2026-01-01T00:00:00Z')
    expect(request).toEqual({
      filters: { from: utc('2026-01-01T00:00:00Z'), to: utc('2026-02-01T05:00:00Z'), revisionState: 'OBSOLETE' },
      pageSize: 7,
      token: undefined,
    })
  })

  test('an escaped spelling of a name or a value is the same name and value', () => {
    expect(parse('from%44ate=2026%2D01%2d01T00%3A00%3A00%5A').filters.from).toBe(utc('2026-01-01T00:00:00Z'))
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
    expect(parse(`fromDate=${text}`).filters.from).toBe(utc('2025-12-31T19:00:00Z'))
    expect(parse(`toDate=${text}`).filters.to).toBe(utc('2025-12-31T19:00:00Z'))
  })

  test('"With no timezone the instance\'s local timezone is used"', () => {
    expect(parse('fromDate=2026-07-01T08:00').filters.from).toBe(utc('2026-07-01T12:00:00Z'))
    expect(parse('fromDate=2026-07-01T08:00', null, 'UTC').filters.from).toBe(utc('2026-07-01T08:00:00Z'))
  })

  test('contract D11: fromDate at or after toDate is no error', () => {
    for (const to of ['2026-01-01', '2025-12-31']) {
      const request = parse(`fromDate=2026-01-01&toDate=${to}`)
      expect(request.filters.from).toBeGreaterThanOrEqual(request.filters.to!)
      expect(planWalk(request, limits).filters).toEqual(request.filters)
    }
  })

  test('an invalid date is refused with the valid forms', () => {
    const { errors } = refusal(() => parse('fromDate=2026-02-30&toDate=yesterday'))
    expect(errors).toEqual([
      { parameter: 'fromDate', code: 'invalid_date', detail: expect.stringContaining('2026-02-30') },
      {
        parameter: 'toDate',
        code: 'invalid_date',
        detail: expect.stringMatching(/2026-01-31, 2026-01-31T09:30:00Z .* 2026-01-31T09:30:00-08:00/),
      },
    ])
  })
})

describe.each([...choices])('$parameter, which takes one of a few values', ({ parameter, values }) => {
  const filter = parameter as 'revisionState'

  test('accepts each of them, and is undefined if omitted', () => {
    for (const value of values) expect(parse(`${parameter}=${value}`).filters[filter]).toBe(value as 'CURRENT')
    expect(planWalk(parse(''), limits).filters[filter]).toBeUndefined()
  })

  test('an unknown value is rejected', () => {
    const [item, other] = values as [string, string]
    for (const value of [
      item.toLowerCase(),
      `${item},${other}`,
      `%20${item}`,
      `${item}%09`,
      'ALL',
      'null',
      '*',
      '__proto__',
    ])
      expect(codes(() => parse(`${parameter}=${value}`))).toEqual([[parameter, `invalid_${reportedName(filter)}`]])
  })
})

describe('pageSize: "positive integer", "A value above the maximum page size is replaced by the maximum"', () => {
  const effective = (query: string): number => planWalk(parse(query), limits).pageSize

  test('contract D2: defaults to the maximum', () => {
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
    '5%09',
  ])('%s is refused', text => {
    expect(codes(() => parse(`pageSize=${text}`))).toEqual([['pageSize', 'invalid_page_size']])
  })
})

describe('contract D3: "All bad parameters are named at once"', () => {
  test('each error has its own code', () => {
    const query = 'fromDate=x&toDate=&revisionState=old&pageSize=0&nextPageToken=a&nextPageToken=b&broken=%'
    expect(codes(() => parse(query))).toEqual([
      ['broken', 'malformed_encoding'],
      ['nextPageToken', 'duplicate_parameter'],
      ['fromDate', 'invalid_date'],
      ['toDate', 'missing_value'],
      ['revisionState', 'invalid_revision_state'],
      ['pageSize', 'invalid_page_size'],
    ])
    expect(refusal(() => parse(query)).detail).toStartWith('6 ')
  })

  test('an unreadable token is listed among the errors', () => {
    const expired = sealed({ issuedAt: -1_000_001 })
    const problem = refusal(() => parse(`pageSize=0&nextPageToken=${expired}`))
    expect(problem.errors.map(e => e.code)).toEqual(['invalid_page_size', 'page_token_expired'])
    expect(problem.internal).toBe('token_expired')
  })

  test('parameters that differ from the first page are among them', () => {
    const attempt = () => parse(`pageSize=0&revisionState=CURRENT&nextPageToken=${sealed()}`)
    expect(codes(attempt)).toEqual([
      ['pageSize', 'invalid_page_size'],
      ['revisionState', 'differs_from_first_page'],
    ])
  })

  test('an unexpected error while opening a token is rethrown', () => {
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

describe('contract D10: "A name that matches a known one …, one of our own members or headers, or a common paging name: 400 naming the right one"', () => {
  test.each([
    ['from_date', 'fromDate'],
    ['FROM-DATE', 'fromDate'],
    ['toDate_', 'toDate'],
    ['revision_state', 'revisionState'],
    ['pagesize', 'pageSize'],
    ['Fields', 'fields'],
    ['next-page-token', 'nextPageToken'],
    ['fields[]', 'fields'],
    ['fields[0]', 'fields'],
    ['field', 'fields'],
    ['amp;fromDate', 'fromDate'],
    ['%20fromDate', 'fromDate'],
    ['fromDate%20', 'fromDate'],
    ['$fromDate', 'fromDate'],
    ['?fromDate', 'fromDate'],
    ['fromDate.', 'fromDate'],
    ['nextCursor', 'nextPageToken'],
    ['cursor', 'nextPageToken'],
    ['pageToken', 'nextPageToken'],
    ['page', 'nextPageToken'],
    ['offset', 'nextPageToken'],
    ['$skip', 'nextPageToken'],
    ['limit', 'pageSize'],
    ['Snapshot-Time', 'fromDate'],
    ['Walk-Token', 'nextPageToken'],
  ])('%s', (sent, meant) => {
    const { errors } = refusal(() => parse(`${sent}=1`))
    expect(errors.map(({ parameter, code }) => [parameter, code])).toEqual([
      [decodeURIComponent(sent), 'unknown_parameter'],
    ])
    expect(errors[0]!.detail).toEndWith(` ${meant}?`)
  })

  test('a common name without a counterpart here is refused too, with the existing names', () => {
    const { errors } = refusal(() => parse('changeCursor=1'))
    expect(errors.map(({ parameter }) => parameter)).toEqual(['changeCursor'])
    expect(errors[0]!.detail).toEndWith(`${exportParameterNames.join(', ')}.`)
  })

  test('a similar name is refused even alongside the right one', () => {
    expect(codes(() => parse('pageSize=2&pagesize=1'))).toEqual([['pagesize', 'unknown_parameter']])
  })
})

describe('contract D10: "Any other unknown name: ignored; with `Prefer: handling=strict`, 400 naming them"', () => {
  const query = 'size=5&from=2026-01-01&utm=1&utm=2&=x&__proto__=1&pageSize=3'

  test('are ignored without the strict preference', () => {
    expect(parse(query)).toMatchObject({ pageSize: 3, filters: { from: undefined } })
    expect(parse(query, 'handling=lenient').pageSize).toBe(3)
  })

  test('are named once each with the strict preference', () => {
    const { errors } = refusal(() => parse(query, strict))
    expect(errors.map(e => [e.parameter, e.code])).toEqual([
      ['size', 'unknown_parameter'],
      ['from', 'unknown_parameter'],
      ['utm', 'unknown_parameter'],
      ['', 'unknown_parameter'],
      ['__proto__', 'unknown_parameter'],
    ])
    expect(errors[1]!.detail).toEndWith(`${exportParameterNames.join(', ')}.`)
  })

  test('a query with only known names is accepted with the strict preference', () => {
    expect(parse('pageSize=3', strict).pageSize).toBe(3)
  })

  test('thousands of unknown names or a very long one make no large response', () => {
    const many = Array.from({ length: 2000 }, (_, i) => `x${i}`)
      .join('&')
      .slice(0, 8192)
    const { errors } = refusal(() => parse(many, strict))
    expect(errors.length).toBe(51)
    expect(errors.at(-1)!.detail).toMatch(/\d{4}/)
    expect(JSON.stringify(refusal(() => parse('x'.repeat(8000), strict)).errors).length).toBeLessThan(500)
  })
})

describe('section 3: "invalid UTF-8", "`%00`", "Everything has a bound and a name": a clear 400, never a 500', () => {
  test.each(['fromDate=%', 'other=%zz', '%FF=1', 'nextPageToken=%C0%AF', 'x=%ED%A0%80', 'x=%00', '%00=1'])(
    '%s',
    query => {
      expect(codes(() => parse(query))[0]![1]).toBe('malformed_encoding')
    },
  )

  test('a query with 8192 characters is accepted, and a longer one refused', () => {
    expect(parse(`pageSize=3&x=${'y'.repeat(8192 - 13)}`).pageSize).toBe(3)
    expect(codes(() => parse(`pageSize=3&x=${'y'.repeat(8192 - 12)}`))).toEqual([['?', 'query_too_long']])
  })

  test('no query and no preference causes any other failure', () => {
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
