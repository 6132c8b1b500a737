import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseInstantParameter } from '../../../src/domain/values/instant-parameter.ts'
import { earliest, formatMicros, latest } from '../../../src/domain/values/offset-time.ts'

/** The instant in UTC, to the microsecond, or what is wrong. */
function parsed(text: string, timeZone = 'UTC'): string {
  const result = parseInstantParameter(text, timeZone)
  return typeof result === 'number' ? formatMicros(result) : result.error
}

describe('spec: "ISO 8601 date-time with zone, `<YYYY-MM-DDThh:mm:ssZ>`; a date alone is accepted"', () => {
  test.each([
    ['2026-01-31', '2026-01-31T00:00:00.000000Z'],
    ['2026-01-31T09:30', '2026-01-31T09:30:00.000000Z'],
    ['2026-01-31T09:30:15', '2026-01-31T09:30:15.000000Z'],
    ['2026-01-31T09:30:15.5', '2026-01-31T09:30:15.500000Z'],
    ['2026-01-31T09:30:15.123456', '2026-01-31T09:30:15.123456Z'],
    ['2026-01-31T09:30Z', '2026-01-31T09:30:00.000000Z'],
    ['2026-01-31T09:30:15Z', '2026-01-31T09:30:15.000000Z'],
    ['2026-01-31T09:30:15.000001Z', '2026-01-31T09:30:15.000001Z'],
    ['2026-01-31T09:30+05:30', '2026-01-31T04:00:00.000000Z'],
    ['2026-01-31T09:30:15-08:00', '2026-01-31T17:30:15.000000Z'],
    ['2026-01-31T00:00:00.25+00:00', '2026-01-31T00:00:00.250000Z'],
    ['2026-01-31T00:00:00-00:00', '2026-01-31T00:00:00.000000Z'],
    ['2026-01-31T00:00:00+23:59', '2026-01-30T00:01:00.000000Z'],
    ['2026-01-31T00:00:00-23:59', '2026-01-31T23:59:00.000000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000000Z'],
    ['2000-02-29T23:59:59.999999Z', '2000-02-29T23:59:59.999999Z'],
  ])('%s is %s', (text, instant) => {
    expect(parsed(text)).toBe(instant)
  })

  test('any instant written in UTC is read as the platform writes it', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date('1700-01-01'), max: new Date('2200-01-01'), noInvalidDate: true }), date => {
        expect(parseInstantParameter(date.toISOString(), 'America/New_York')).toBe(date.getTime() * 1000)
      }),
    )
  })

  test('any offset moves the instant by exactly itself, whatever the zone of the instance', () => {
    const offset = fc.record({ sign: fc.constantFrom(1, -1), hours: fc.nat(23), minutes: fc.nat(59) })
    fc.assert(
      fc.property(offset, ({ sign, hours, minutes }) => {
        const two = (n: number): string => String(n).padStart(2, '0')
        const text = `2026-05-05T12:00:00${sign < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`
        const utc = Date.UTC(2026, 4, 5, 12) - sign * (hours * 60 + minutes) * 60_000
        expect(parseInstantParameter(text, 'Asia/Kolkata')).toBe(utc * 1000)
      }),
    )
  })
})

describe('contract D12: "fraction of up to 9 digits"', () => {
  test.each([
    ['2026-01-01T00:00:00.000000001Z', '2026-01-01T00:00:00.000001Z'],
    ['2026-01-01T00:00:00.000001000Z', '2026-01-01T00:00:00.000001Z'],
    ['2026-01-01T00:00:00.0000010Z', '2026-01-01T00:00:00.000001Z'],
    ['2026-01-01T00:00:00.000001001Z', '2026-01-01T00:00:00.000002Z'],
    ['2025-12-31T23:59:59.999999001Z', '2026-01-01T00:00:00.000000Z'],
    ['1969-12-31T23:59:59.999998999Z', '1969-12-31T23:59:59.999999Z'],
    ['1969-12-31T23:59:59.999998001', '1969-12-31T23:59:59.999999Z'],
  ])('finer than a microsecond, %s rounds up to %s', (text, instant) => {
    expect(parsed(text)).toBe(instant)
  })

  test('a submission at a whole microsecond is on the same side of the rounded bound as of the exact one', () => {
    const nanosOf = (micros: number): bigint => BigInt(micros) * 1000n
    fc.assert(
      fc.property(fc.nat(999_999_999), fc.integer({ min: -2000, max: 2000 }), (nanos, micros) => {
        const second = Date.UTC(2026, 0, 1) * 1000
        const bound = parseInstantParameter(`2026-01-01T00:00:00.${String(nanos).padStart(9, '0')}Z`, 'UTC')
        const submitted = second + Math.floor(nanos / 1000) + micros
        const exact = nanosOf(second) + BigInt(nanos)
        expect(submitted >= Number(bound)).toBe(nanosOf(submitted) >= exact)
        expect(submitted < Number(bound)).toBe(nanosOf(submitted) < exact)
      }),
    )
  })
})

describe('contract D12: "A space where an unescaped `+` stood is accepted"', () => {
  test.each([
    ['2026-01-01T00:00:00 05:00', '2025-12-31T19:00:00.000000Z'],
    ['2026-01-01T00:00 05:00', '2025-12-31T19:00:00.000000Z'],
    ['2026-01-01T00:00:00.5 00:00', '2026-01-01T00:00:00.500000Z'],
  ])('%s', (text, instant) => {
    expect(parsed(text, 'America/New_York')).toBe(instant)
  })
})

describe('spec: "With no timezone the instance\'s local timezone is used"', () => {
  test.each([
    ['America/New_York', '2026-01-15T09:00', '2026-01-15T14:00:00.000000Z'],
    ['America/New_York', '2026-07-15T09:00', '2026-07-15T13:00:00.000000Z'],
    ['Asia/Kolkata', '2026-07-15T09:00:00.5', '2026-07-15T03:30:00.500000Z'],
    ['UTC', '2026-07-15T09:00', '2026-07-15T09:00:00.000000Z'],
  ])('in %s, %s is %s', (zone, text, instant) => {
    expect(parsed(text, zone)).toBe(instant)
  })

  test.each([
    // Clocks go from 02:00 -05:00 to 03:00 -04:00.
    ['America/New_York', '2026-03-08T01:59:59.999999', '2026-03-08T06:59:59.999999Z'],
    ['America/New_York', '2026-03-08T02:00', '2026-03-08T07:00:00.000000Z'],
    ['America/New_York', '2026-03-08T02:30', '2026-03-08T07:30:00.000000Z'],
    ['America/New_York', '2026-03-08T03:30', '2026-03-08T07:30:00.000000Z'],
    // From 01:00 +00:00 to 02:00 +01:00.
    ['Europe/London', '2026-03-29T01:15', '2026-03-29T01:15:00.000000Z'],
    ['Europe/London', '2026-03-29T02:15', '2026-03-29T01:15:00.000000Z'],
    // By half an hour, from 02:00 +10:30 to 02:30 +11:00.
    ['Australia/Lord_Howe', '2026-10-04T02:10', '2026-10-03T15:40:00.000000Z'],
    ['Australia/Lord_Howe', '2026-10-04T02:40', '2026-10-03T15:40:00.000000Z'],
    // A whole day, 30 December, was left out.
    ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T22:00:00.000000Z'],
    ['Pacific/Apia', '2011-12-31T12:00', '2011-12-30T22:00:00.000000Z'],
  ])('a time in a gap moves forward by the gap: in %s, %s is %s', (zone, text, instant) => {
    expect(parsed(text, zone)).toBe(instant)
  })

  test.each([
    // 01:00 to 02:00 comes twice, first at -04:00.
    ['America/New_York', '2026-11-01T00:59', '2026-11-01T04:59:00.000000Z'],
    ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30:00.000000Z'],
    ['America/New_York', '2026-11-01T02:00', '2026-11-01T07:00:00.000000Z'],
    ['Europe/London', '2026-10-25T01:30', '2026-10-25T00:30:00.000000Z'],
    // Midnight to 23:00 of the day before comes twice.
    ['America/Sao_Paulo', '2019-02-16T23:30', '2019-02-17T01:30:00.000000Z'],
    // 01:30 to 02:00 comes twice, first at +11:00.
    ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45:00.000000Z'],
    ['Australia/Lord_Howe', '2026-04-05T02:00', '2026-04-04T15:30:00.000000Z'],
  ])('a time in an overlap takes the earlier offset: in %s, %s is %s', (zone, text, instant) => {
    expect(parsed(text, zone)).toBe(instant)
  })
})

describe('spec: "With no time the beginning of the day is used"', () => {
  test.each([
    ['America/New_York', '2026-01-15', '2026-01-15T05:00:00.000000Z'],
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000000Z'],
    ['America/New_York', '2026-03-09', '2026-03-09T04:00:00.000000Z'],
    ['Europe/London', '2026-07-01', '2026-06-30T23:00:00.000000Z'],
    // Midnight does not exist; the day begins at 01:00.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000000Z'],
    ['America/Sao_Paulo', '2018-11-03', '2018-11-03T03:00:00.000000Z'],
    ['America/Sao_Paulo', '2018-11-05', '2018-11-05T02:00:00.000000Z'],
    ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00.000000Z'],
    // Half past eleven was followed by half past midnight: the day begins at 00:30, not at the moved midnight, 01:00.
    ['America/Toronto', '1919-03-31', '1919-03-31T04:30:00.000000Z'],
    // Midnight comes twice; the first one begins the day.
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000000Z'],
    // A day that never was begins with the next.
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000000Z'],
  ])('contract D12, "the first instant that exists": in %s, %s begins at %s', (zone, text, instant) => {
    expect(parsed(text, zone)).toBe(instant)
  })

  test('days follow one another without a gap in every zone, so that [day, next day) leaves no application out', () => {
    const zones = ['America/Sao_Paulo', 'Asia/Beirut', 'Australia/Lord_Howe', 'America/Havana', 'Africa/Cairo']
    for (const zone of zones) {
      let before = parseInstantParameter('2016-12-31', zone)
      for (let day = Date.UTC(2017, 0, 1); day < Date.UTC(2019, 0, 1); day += 86_400_000) {
        const begins = parseInstantParameter(new Date(day).toISOString().slice(0, 10), zone)
        const hours = (Number(begins) - Number(before)) / 3_600_000_000
        expect(hours).toBeWithin(23, 25.01)
        before = begins
      }
    }
  })
})

/** What follows the forms that would be right. */
const hintOf = (error: unknown): string => String(error).split('2026-01-31T09:30:00-08:00.')[1]!.trim()

describe('contract D12: a text in another form is refused with the accepted forms', () => {
  test('a likely mistake gets a hint after the forms, and each mistake its own', () => {
    const mistakes = [
      ['2026-W05-1', '2026W051'],
      ['2026-031'],
      ['1767225600', '1767225600000', '20260131'],
      ['2026-01-31t09:30:00Z', '2026-01-31 09:30:00Z'],
      ['2026-01-31T09:30:00z'],
      ['2026-01-31Z', '2026-01-31+05:00'],
      ['2026-01-31T09:30:00.1234567890Z'],
      ['2026-01-31T09:30:00+05', '2026-01-31T09:30:00+0500'],
    ]
    const hints = mistakes.map(texts => new Set(texts.map(text => hintOf(parsed(text)))))
    expect(hints.map(ofOneMistake => ofOneMistake.size)).toEqual(mistakes.map(() => 1))
    const all = hints.flatMap(ofOneMistake => [...ofOneMistake])
    expect(new Set(all).size).toBe(mistakes.length)
    for (const hint of all) expect(hint).toMatch(/^[A-Z].*\.$/)
    expect(hintOf(parsed('today'))).toBe('')
  })

  test.each([
    '',
    'now',
    'today',
    // Spaces that are no sign of an offset.
    '2026-01-01 00:00',
    '2026-01-01 05:00',
    ' 2026-01-01',
    '2026-01-01 ',
    '2026-01-01T00:00:00 Z',
    '2026',
    '2026-01',
    '2026-1-1',
    '26-01-31',
    '01/31/2026',
    '2026/01/31',
    '+002026-01-31',
    '-002026-01-31',
    '12026-01-31',
    '2026-01-31T',
    '2026-01-31T09',
    '2026-01-31T0930',
    '20260131T093000Z',
    '2026-01-31T09:30:00,5Z',
    '2026-01-31T09:30:00.Z',
    '2026-01-31T09:30.5Z',
    '2026-01-31T9:30:00Z',
    '2026-01-31T09:30:00+05:00:30',
    '2026-01-31T09:30:00+05:00[Asia/Karachi]',
    '2026-01-31T09:30:00Z[u-ca=hebrew]',
    '2026-01-31[u-ca=hebrew]',
    '2026-01-31T09:30:00 PST',
    '2026-01-31T09:30:00\u221208:00',
    '2026-01-31\n',
    '\n2026-01-31',
    '2026-01-31T09:30:00Z\0',
    '\u0662\u0660\u0662\u0666-\u0660\u0661-\u0663\u0661',
    '\uff12\uff10\uff12\uff16-01-31',
    "2026-01-31'; select 1; --",
    '2026-01-31T09:30:00Z2026-01-31T09:30:00Z',
    'P1D',
    '2026-01-01/2026-02-01',
  ])('%j', text => {
    expect(parsed(text, 'America/New_York')).toContain(' 2026-01-31, 2026-01-31T09:30:00Z ')
  })

  test.each([
    '2026-02-29',
    '2026-02-30T00:00Z',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-01-32',
    '1900-02-29',
  ])('"day 31 in a 30-day month": %s is not a day of the calendar', text => {
    expect(parsed(text)).toMatch(new RegExp(`^\\w+ ${text.slice(0, 10)}, [^0-9]*$`))
  })

  test.each([
    ['2026-01-31T24:00', ['00', '23', '00:00']],
    ['2026-01-31T24:00:00Z', ['00', '23', '00:00']],
    ['2026-01-31T25:00:00Z', ['00', '23', '00:00']],
    ['2026-01-31T09:60:00Z', ['00', '59']],
    ['2016-12-31T23:59:60Z', ['00', '59']],
    ['2016-12-31T23:59:99Z', ['00', '59']],
    ['2026-01-31T09:30:00+24:00', ['-23:59', '+23:59']],
    ['2026-01-31T09:30:00-05:60', ['-23:59', '+23:59']],
    ['2026-01-31T09:30:00 99:99', ['-23:59', '+23:59']],
  ])('%s is refused with the bounds %j', (text, bounds) => {
    expect(Array.from(String(parsed(text)).matchAll(/[+-]?\d\d(:\d\d)?/g), ([bound]) => bound)).toEqual(bounds)
  })

  test('no text whatever makes it throw', () => {
    const nearly = fc.stringMatching(
      /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,10})?)?(Z|[+ -][0-9]{2}:[0-9]{2})?)?$/,
    )
    fc.assert(
      fc.property(
        fc.oneof(nearly, fc.string({ unit: 'binary' })),
        fc.constantFrom('UTC', 'America/New_York', 'Asia/Beirut'),
        (text, zone) => {
          const result = parseInstantParameter(text, zone)
          if (typeof result === 'number') expect(result).toSatisfy(Number.isSafeInteger)
          else expect(result.error).toMatch(/^[a-z].*\.$/)
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('instants that no application can have are held to the bounds, on the right side of every application', () => {
  test.each(['0000-01-01', '0001-01-01T00:00:00+23:59', '1000-06-15T12:00', '1684-01-01'])('%s is earlier', text => {
    expect(parseInstantParameter(text, 'America/New_York')).toBe(earliest)
  })

  test.each(['2256-01-01', '9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59-23:59'])('%s is later', text => {
    expect(parseInstantParameter(text, 'Pacific/Kiritimati')).toBe(latest)
  })
})
