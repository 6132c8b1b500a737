// fromDate and toDate as clients write them (contract D12), over HTTP, on both sides of each instant they name, in three zones
// whose clocks change.

import { describe, expect, test } from 'bun:test'
import { ExportClient } from '../../support/export-client.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'

/** Zone of the instance, the value as it stands in the address, the instant it names, and why. */
const cases: readonly (readonly [zone: string, value: string, instant: string, why: string])[] = [
  ['America/New_York', '2026-01-15', '2026-01-15T05:00:00Z', '"No time: start of that day there"'],
  ['America/New_York', '2026-07-15T09:00', '2026-07-15T13:00:00Z', '"No zone: the instance\'s"'],
  ['America/New_York', '2026-07-15T09:00:30', '2026-07-15T13:00:30Z', 'seconds'],
  ['America/New_York', '2026-07-15T09:00:30.25', '2026-07-15T13:00:30.25Z', 'a fraction'],
  ['America/New_York', '2026-07-15T09:00:30.000000001', '2026-07-15T13:00:30.000001Z', '"fraction of up to 9 digits"'],
  ['America/New_York', '2026-07-15T09:00Z', '2026-07-15T09:00:00Z', 'Z'],
  ['America/New_York', '2026-07-15T09:00:00-07:00', '2026-07-15T16:00:00Z', '"±hh:mm"'],
  ['America/New_York', '2026-07-15T09:00:00%2B05:30', '2026-07-15T03:30:00Z', 'a + that was escaped'],
  ['America/New_York', '2026-07-15T09:00:00+05:30', '2026-07-15T03:30:00Z', 'a + that was not'],
  ['America/New_York', '2026-07-15T09:00:00%2005:30', '2026-07-15T03:30:00Z', '"A space where an unescaped + stood"'],
  ['America/New_York', '2026-03-08', '2026-03-08T05:00:00Z', 'the day clocks go forward'],
  ['America/New_York', '2026-03-09', '2026-03-09T04:00:00Z', 'the day after'],
  ['America/New_York', '2026-03-08T01:59:59', '2026-03-08T06:59:59Z', 'before the gap'],
  ['America/New_York', '2026-03-08T02:30', '2026-03-08T07:30:00Z', '"in a gap moves forward by the gap"'],
  ['America/New_York', '2026-03-08T03:00', '2026-03-08T07:00:00Z', 'behind the gap'],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00:00Z', 'the day clocks go back'],
  ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30:00Z', '"in an overlap takes the earlier offset"'],
  ['America/New_York', '2026-11-01T01:30-05:00', '2026-11-01T06:30:00Z', 'the later one, said so'],
  ['America/New_York', '2026-11-02', '2026-11-02T05:00:00Z', 'the day after'],
  ['Australia/Lord_Howe', '2026-10-04', '2026-10-03T13:30:00Z', 'clocks go forward by half an hour'],
  ['Australia/Lord_Howe', '2026-10-04T02:10', '2026-10-03T15:40:00Z', '"in a gap moves forward by the gap"'],
  ['Australia/Lord_Howe', '2026-10-05', '2026-10-04T13:00:00Z', 'the day after'],
  ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45:00Z', '"in an overlap takes the earlier offset"'],
  ['Australia/Lord_Howe', '2026-04-06', '2026-04-05T13:30:00Z', 'the day after'],
  ['America/Sao_Paulo', '2018-11-03', '2018-11-03T03:00:00Z', 'the day before'],
  [
    'America/Sao_Paulo',
    '2018-11-04',
    '2018-11-04T03:00:00Z',
    '"the first instant that exists, where midnight does not"',
  ],
  ['America/Sao_Paulo', '2018-11-04T00:30', '2018-11-04T03:30:00Z', '"in a gap moves forward by the gap"'],
  ['America/Sao_Paulo', '2018-11-05', '2018-11-05T02:00:00Z', 'the day after'],
  ['America/Sao_Paulo', '2019-02-16T23:30', '2019-02-17T01:30:00Z', '"in an overlap takes the earlier offset"'],
]

const microsOf = (instant: string): number => Number(Temporal.Instant.from(instant).epochNanoseconds / 1000n)
/** An application at each instant that is named, and one a microsecond before it. */
const times = [...new Set(cases.map(([, , instant]) => microsOf(instant)).flatMap(at => [at - 1, at]))].sort(
  (a, b) => a - b,
)

const slug = 'dates'
const clients = new Map<string, ExportClient>()
const database = await useDatabase()
const program = await insertRawProgram(database.sql, slug)
const ids = await insertRawApplications(database.sql, program, times.length, undefined, i => times[i]!)
const key = await createTestKey(database.sql, { programs: [slug] })
for (const zone of new Set(cases.map(([zone]) => zone))) {
  const service = await useService(database, { timeZone: zone })
  clients.set(zone, new ExportClient(service, key, slug))
}

const idsOf = async (zone: string, query: string): Promise<number[]> =>
  (await clients.get(zone)!.page(query)).page.payload.map(a => a.application_id)

test('three zones, and every instant at least a microsecond from every other', () => {
  expect(clients.size).toBe(3)
  expect(new Set(times).size).toBe(ids.length)
})

describe('"Only applications submitted on or after this instant" and "before this instant"', () => {
  test.each(cases)('in %s, %s is %s: %s', async (zone, value, instant) => {
    const from = times.indexOf(microsOf(instant))
    expect(await idsOf(zone, `fromDate=${value}`)).toEqual(ids.slice(from))
    expect(await idsOf(zone, `toDate=${value}`)).toEqual(ids.slice(0, from))
    expect(await idsOf(zone, `fromDate=${value}&toDate=${value}`)).toEqual([])
  })
})

describe('"Week dates, epochs, `24:00`, day 31 in a 30-day month: 400"', () => {
  test.each([
    ...[
      '2026-W05-1',
      '1767225600',
      '2026-01-31T24:00',
      '2026-01-31T24:00:00Z',
      '2026-04-31',
      '2026-02-29',
      '2026-00-01',
    ],
    ...['2026-1-1', '20260131', '2026-031', '2026-01-31Z', '2026-01-31T09', '2026-01-31T09:60', '2026-01-31T09:30:60Z'],
    ...['2026-01-31T09:30:00.0000000001Z', '2026-01-31T09:30z', '2026-01-31 09:30', '2026-01-31T09:30%2B0530', 'today'],
    ...['2026-01-31T09:30:00[America/New_York]', '٢٠٢٦-01-31', '2026-01-31T09:30%2B24:00', '-2026-01-31'],
  ])('%s', async value => {
    for (const name of ['fromDate', 'toDate']) {
      const { status, codes } = await clients.get('America/New_York')!.refusal(`${name}=${value}`)
      expect([status, codes]).toEqual([400, { [name]: 'invalid_date' }])
    }
  })
})
