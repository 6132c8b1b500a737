import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  earliest,
  formatMicros,
  formatOffsetTime,
  latest,
  type Micros,
  parseOffsetTime,
  parsePostgresInstant,
} from '../../../src/domain/values/offset-time.ts'

const at = (instant: string): Micros => Number(Temporal.Instant.from(instant).epochNanoseconds / 1000n)
/** Any instant an application could have, the first and last of a second among them. */
const instants = fc.oneof(
  fc.integer({ min: at('1800-01-01T00:00:00Z'), max: at('2200-01-01T00:00:00Z') }),
  fc
    .tuple(fc.integer({ min: -5e9, max: 7e9 }), fc.constantFrom(0, 1, 499_999, 500_000, 999_999))
    .map(([seconds, micros]) => seconds * 1_000_000 + micros),
)
const zones = fc.constantFrom('UTC', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia')

describe('contract D13: "Whole seconds (floor), numeric offset valid at that instant in `INSTANCE_TIME_ZONE`; UTC is `+00:00`"', () => {
  test.each([
    ['UTC', '2026-01-02T03:04:05Z', '2026-01-02T03:04:05+00:00'],
    ['UTC', '2026-01-02T03:04:05.999999Z', '2026-01-02T03:04:05+00:00'],
    // Down, not towards zero.
    ['UTC', '1969-12-31T23:59:59.000001Z', '1969-12-31T23:59:59+00:00'],
    ['America/New_York', '2026-01-15T14:00:00Z', '2026-01-15T09:00:00-05:00'],
    ['America/New_York', '2026-07-15T13:00:00Z', '2026-07-15T09:00:00-04:00'],
    // The last second before clocks go forward, and the first after.
    ['America/New_York', '2026-03-08T06:59:59.9Z', '2026-03-08T01:59:59-05:00'],
    ['America/New_York', '2026-03-08T07:00:00Z', '2026-03-08T03:00:00-04:00'],
    // The offset distinguishes the hour that comes twice.
    ['America/New_York', '2026-11-01T05:30:00Z', '2026-11-01T01:30:00-04:00'],
    ['America/New_York', '2026-11-01T06:30:00Z', '2026-11-01T01:30:00-05:00'],
    ['Asia/Kolkata', '2026-07-15T03:30:00Z', '2026-07-15T09:00:00+05:30'],
    ['Australia/Lord_Howe', '2026-07-15T00:00:00Z', '2026-07-15T10:30:00+10:30'],
    ['Australia/Lord_Howe', '2026-01-15T00:00:00Z', '2026-01-15T11:00:00+11:00'],
    ['Europe/London', '2026-01-15T00:00:00Z', '2026-01-15T00:00:00+00:00'],
    // Offsets with seconds have no form in ISO 8601: rounded to the minute, with the local time that fits.
    ['Africa/Monrovia', '1970-01-01T00:00:00Z', '1969-12-31T23:16:00-00:44'],
    ['Africa/Monrovia', '1972-01-07T00:44:29Z', '1972-01-07T00:00:29-00:44'],
    ['Africa/Monrovia', '1972-01-07T00:44:30Z', '1972-01-07T00:44:30+00:00'],
    ['America/New_York', '1883-01-01T00:00:00Z', '1882-12-31T19:04:00-04:56'],
  ])('in %s, %s is %s', (zone, instant, text) => {
    expect(formatOffsetTime(at(instant), zone)).toBe(text)
  })

  test('"ISO 8601 extended offset date-time …, `<YYYY-MM-DDThh:mm:ss+hh:mm>`": the same second, whatever the instant and the zone', () => {
    fc.assert(
      fc.property(instants, zones, (instant, zone) => {
        const text = formatOffsetTime(instant, zone)
        expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)
        const second = Math.floor(instant / 1_000_000)
        expect(Date.parse(text)).toBe(second * 1000)
        expect(parseOffsetTime(text)).toBe(second * 1_000_000)
      }),
    )
  })
})

describe('formatOffsetTime', () => {
  test('denotes the instant, with the offset of its zone to the minute, in any order of asking, at every change of clocks', () => {
    const changes = fc
      .tuple(instants, zones, fc.constantFrom(-1_000_000, -1, 0, 1, 1_000_000))
      .map(([instant, zone, besides]) => {
        const local = Temporal.Instant.fromEpochMilliseconds(Math.floor(instant / 1000)).toZonedDateTimeISO(zone)
        const change = local.getTimeZoneTransition('next')?.epochMilliseconds ?? 0
        return [change * 1000 + besides, zone] as const
      })
    fc.assert(
      fc.property(fc.oneof(fc.tuple(instants, zones), changes), ([instant, zone]) => {
        const second = Math.floor(instant / 1_000_000)
        const text = formatOffsetTime(instant, zone)
        const offsetSeconds =
          Temporal.Instant.fromEpochMilliseconds(second * 1000).toZonedDateTimeISO(zone).offsetNanoseconds / 1e9
        const [, sign, hours, minutes] = /([+-])([0-9]{2}):([0-9]{2})$/.exec(text)!
        const written = (sign === '-' ? -60 : 60) * (Number(hours) * 60 + Number(minutes))
        expect(Temporal.Instant.from(text).epochMilliseconds).toBe(second * 1000)
        expect(Math.abs(written - offsetSeconds)).toBeLessThanOrEqual(30)
        if (offsetSeconds % 60 === 0) expect(written).toBe(offsetSeconds)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('formatMicros', () => {
  test('keeps every microsecond, and PostgreSQL and Temporal read it as it was', () => {
    fc.assert(
      fc.property(fc.oneof(instants, fc.constantFrom(earliest, latest)), instant => {
        const text = formatMicros(instant)
        expect(at(text)).toBe(instant)
        expect(parsePostgresInstant(text.replace('T', ' ').replace('Z', '+00'))).toBe(instant)
      }),
    )
  })
})

describe('parsePostgresInstant', () => {
  test.each([
    ['1970-01-01 00:00:00+00', 0],
    ['1970-01-01 00:00:00.000001+00', 1],
    ['1969-12-31 23:59:59.5+00', -500_000],
    ['2026-01-02 03:04:05.12+00', at('2026-01-02T03:04:05.12Z')],
  ])('%s', (text, instant) => {
    expect(parsePostgresInstant(text)).toBe(instant)
  })

  test.each(['infinity', '-infinity', '0044-03-15 00:00:00+00 BC', '2026-01-02 03:04:05-05', '9999-12-31 00:00:00+00'])(
    '%s is refused and never silently read as another instant',
    text => {
      expect(() => parsePostgresInstant(text)).toThrow()
    },
  )
})

describe('parseOffsetTime', () => {
  test.each([
    ['2026-01-02T03:04:05+00:00', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05.000006-08:00', '2026-01-02T11:04:05.000006Z'],
    ['2026-01-02T03:04+05:30', '2026-01-01T21:34:00Z'],
    ['2026-01-02T03:04:05.123456000Z', '2026-01-02T03:04:05.123456Z'],
  ])('%s is %s', (text, instant) => {
    expect(parseOffsetTime(text)).toBe(at(instant))
  })

  test.each([
    ...['2026-02-30T00:00:00Z', '2026-01-02', '2026-01-02T03:04:05', '2026-01-02T24:00:00Z', '2026-01-02T03:04:60Z'],
    ...[
      '2026-01-02T03:04:05.0000001Z',
      '2026-01-02T03:04:05+24:00',
      '9999-01-01T00:00:00Z',
      '0026-01-02T00:00:00Z',
      '',
    ],
    ...['2026-13-01T00:00:00Z', '2026-00-01T00:00:00Z', '2026-01-00T00:00:00Z', ' 2026-01-02T03:04:05Z'],
  ])('%p is refused', text => {
    expect(parseOffsetTime(text)).toBeUndefined()
  })
})
