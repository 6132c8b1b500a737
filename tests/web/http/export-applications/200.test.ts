// What a successful export looks like: every field and every question type of the specification, over HTTP.

import { describe, expect, test } from 'bun:test'
import { type ExportedType, exportedTypes } from '../../../../src/domain/questions/question.ts'
import { ExportClient, type ExportedApplication } from '../../../support/export-client.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { FrontEnd } from '../../../support/front-end.ts'
import { createTestKey } from '../../../support/keys.ts'
import { aDraft, aProgram, everyKind, q } from '../../../support/programs.ts'
import { until } from '../../../support/until.ts'

const slug = 'every-kind'
const timeZone = 'America/New_York'
const minimal = { applicant_name: { first_name: 'Ana', last_name: 'Núñez' } }

/** An answer to each kind, and the question object the specification makes of it. */
const golden: Record<string, { sent: object; exported?: object; unanswered: { question_type: ExportedType; [field: string]: unknown } }> = {
  home_address: {
    sent: { street: '700 5th Ave', city: 'Seattle', state: 'WA', zip: '98104-5000', corrected: 'Corrected', latitude: '47.6038', longitude: '-122.3301', well_known_id: '4326', service_area: 'Seattle_InArea_1709069741,Bellevue_NotInArea_1709069741' },
    exported: { question_type: 'ADDRESS', street: '700 5th Ave', line2: null, city: 'Seattle', state: 'WA', zip: '98104-5000', corrected: 'Corrected', latitude: '47.6038', longitude: '-122.3301', well_known_id: '4326', service_area: 'Seattle_InArea_1709069741,Bellevue_NotInArea_1709069741' },
    unanswered: { question_type: 'ADDRESS', street: null, line2: null, city: null, state: null, zip: null, corrected: null, latitude: null, longitude: null, well_known_id: null, service_area: null },
  },
  monthly_rent: {
    sent: { currency_dollars: 1250.5 },
    unanswered: { question_type: 'CURRENCY', currency_dollars: null },
  },
  date_of_birth: {
    sent: { date: '1984-02-29' },
    unanswered: { question_type: 'DATE', date: null },
  },
  contact_email: {
    sent: { email: 'not really an address' },
    unanswered: { question_type: 'EMAIL', email: null },
  },
  contact_phone: {
    sent: { phone_number: '+12064386161' },
    unanswered: { question_type: 'PHONE', phone_number: null },
  },
  proof_of_income: {
    sent: { file_urls: ['https://files.example.org/a.pdf', 'https://files.example.org/b.pdf'] },
    exported: { question_type: 'FILE_UPLOAD', file_key: 'https://files.example.org/a.pdf', file_urls: ['https://files.example.org/a.pdf', 'https://files.example.org/b.pdf'] },
    unanswered: { question_type: 'FILE_UPLOAD', file_key: null, file_urls: [] },
  },
  case_number: {
    sent: { id: '0042' },
    unanswered: { question_type: 'ID', id: null },
  },
  service_location: {
    sent: { selections: ['Old Town', 'north-1'] },
    unanswered: { question_type: 'MAP', selections: [] },
  },
  household_size: {
    sent: { number: 4 },
    unanswered: { question_type: 'NUMBER', number: null },
  },
  utilities: {
    sent: { selections: ['power', 'gas'] },
    unanswered: { question_type: 'MULTI_SELECT', selections: [] },
  },
  county: {
    sent: { selection: 'king' },
    unanswered: { question_type: 'SINGLE_SELECT', selection: null },
  },
  owns_home: {
    sent: { selection: 'no' },
    unanswered: { question_type: 'SINGLE_SELECT', selection: null },
  },
  anything_else: {
    sent: { text: 'Ünïcode, "quotes", \\ and \u0000\u0001\u0002 too 🏠' },
    unanswered: { question_type: 'TEXT', text: null },
  },
  household_member: {
    sent: {
      entities: [
        { entity_name: 'Bo', member_name: { first_name: 'Bo', middle_name: 'J', last_name: 'Li', suffix: 'JR' }, member_job: { entities: [{ entity_name: 'Baker', employer: { text: 'The Mill' }, monthly_pay: { currency_dollars: 900 } }, { entity_name: 'Courier' }] } },
        { entity_name: 'Cy' },
      ],
    },
    exported: {
      question_type: 'ENUMERATOR',
      entities: [
        {
          entity_name: 'Bo',
          member_name: { question_type: 'NAME', first_name: 'Bo', middle_name: 'J', last_name: 'Li', suffix: 'JR' },
          member_birthday: { question_type: 'DATE', date: null },
          member_job: {
            question_type: 'ENUMERATOR',
            entities: [
              { entity_name: 'Baker', employer: { question_type: 'TEXT', text: 'The Mill' }, monthly_pay: { question_type: 'CURRENCY', currency_dollars: 900 } },
              { entity_name: 'Courier', employer: { question_type: 'TEXT', text: null }, monthly_pay: { question_type: 'CURRENCY', currency_dollars: null } },
            ],
          },
        },
        {
          entity_name: 'Cy',
          member_name: { question_type: 'NAME', first_name: null, middle_name: null, last_name: null, suffix: null },
          member_birthday: { question_type: 'DATE', date: null },
          member_job: { question_type: 'ENUMERATOR', entities: [] },
        },
      ],
    },
    unanswered: { question_type: 'ENUMERATOR', entities: [] },
  },
} // biome-ignore format: side by side

const goldenOf = (form: (item: (typeof golden)[string]) => object) =>
  Object.fromEntries(Object.entries(golden).map(([name, item]) => [name, form(item)]))

const database = await useDatabase({ timeZone })
await aProgram(database.sql, { slug, questions: everyKind, statuses: ['Approved', 'In review'] })
const service = await useService(database, { timeZone })
const key = await createTestKey(database.sql, { programs: [slug], maySubmit: true })
const client = new ExportClient(service, key, slug)
const frontEnd = new FrontEnd(service, key, slug)
const applicant = await frontEnd.register('es-US')
const bare = await frontEnd.apply(applicant, minimal)
const sent = goldenOf(item => item.sent)
const full = await frontEnd.apply(
  applicant,
  { ...minimal, ...sent },
  { type: 'TRUSTED_INTERMEDIARY', email: 'ti@example.org', organization: 'Häuser & Co' },
)

const idsOf = async (parameters: Record<string, string>): Promise<number[]> =>
  (await client.page(parameters)).page.payload.map(a => a.application_id)
const exported = async (id: number): Promise<ExportedApplication> => {
  const found = (await client.walkAll()).find(a => a.application_id === id)
  if (found === undefined) throw new Error(`application ${id} was not exported`)
  return found
}

/** "When the question is answered, only `middle_name` and `suffix` are optional" (D16: suffix null). */
const applicant_name = { question_type: 'NAME', first_name: 'Ana', middle_name: null, last_name: 'Núñez', suffix: null }
const unanswered = goldenOf(item => item.unanswered)
const answered = goldenOf(item => item.exported ?? { question_type: item.unanswered.question_type, ...item.sent })

describe('an exported application', () => {
  test('has an example of every type here', () => {
    const shown = Object.values(golden).map(({ unanswered }) => unanswered.question_type)
    expect([...new Set<ExportedType>([...shown, 'NAME'])].sort()).toEqual([...exportedTypes])
  })

  test('has exactly the fields and questions of the specification: "Static text questions do not appear", and "repeated questions of an enumerator question are nested inside that enumerator\'s entities and not at the top level"', async () => {
    const application = await exported(full.application_id)
    const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-0[45]:00$/
    expect(application).toEqual({
      applicant_id: applicant,
      application_id: full.application_id,
      create_time: expect.stringMatching(iso),
      language: 'es-US',
      program_name: slug,
      program_version_id: full.program_version_id,
      revision_state: 'CURRENT',
      status: null,
      status_last_modified_time: null,
      application_note: null,
      submit_time: expect.stringMatching(iso),
      submitter_type: 'TRUSTED_INTERMEDIARY',
      ti_email: 'ti@example.org',
      ti_organization: 'Häuser & Co',
      application: { applicant_name, ...answered },
    })
  })

  test('"Unanswered questions carry `null` values (or empty arrays where stated)"; "`null` when the applicant submitted": ti_email and ti_organization; "superseded by a newer submission": OBSOLETE', async () => {
    expect(await exported(bare.application_id)).toMatchObject({
      application: { applicant_name, ...unanswered },
      revision_state: 'OBSOLETE',
      submitter_type: 'APPLICANT',
      ti_email: null,
      ti_organization: null,
    })
  })
})

describe('the list endpoint', () => {
  test('returns "Only applications submitted on or after this instant" and "before this instant", to the microsecond', async () => {
    const rows = await database.sql<{ submit_time: number; application_id: number }[]>`
      select submit_time, application_id from application where program_id = (select program_id from program where slug = ${slug}) order by submit_seq`
    const instant = (micros: number) => Temporal.Instant.fromEpochNanoseconds(BigInt(micros) * 1000n).toString()
    const [first, second] = [rows[0]!, rows[1]!]
    const both = rows.map(row => row.application_id)
    expect(await idsOf({ fromDate: instant(second.submit_time) })).toEqual([second.application_id])
    expect(await idsOf({ fromDate: instant(second.submit_time + 1) })).toEqual([])
    expect(await idsOf({ toDate: instant(second.submit_time) })).toEqual([first.application_id])
    expect(await idsOf({ toDate: instant(second.submit_time + 1) })).toEqual(both)
    expect(await idsOf({ fromDate: '0000-01-01', toDate: '9999-12-31' })).toEqual(both)
  })

  test('"With no timezone the instance\'s local timezone is used. With no time the beginning of the day is used."', async () => {
    const { submit_time } = await exported(full.application_id)
    const today = submit_time.slice(0, 10)
    const tomorrow = Temporal.PlainDate.from(today).add({ days: 1 }).toString()
    expect(await idsOf({ fromDate: today, toDate: tomorrow })).toContain(full.application_id)
    // In any other zone both would be hours before, or hours after.
    const [second, next] = [0, 1].map(seconds => Temporal.PlainDateTime.from(submit_time.slice(0, 19)).add({ seconds }))
    expect(await idsOf({ toDate: String(second) })).not.toContain(full.application_id)
    expect(await idsOf({ toDate: String(next) })).toContain(full.application_id)
  })

  test('"Only applications in that revision state. When omitted, all revision states are returned."', async () => {
    expect(await idsOf({ revisionState: 'CURRENT' })).toEqual([full.application_id])
    expect(await idsOf({ revisionState: 'OBSOLETE' })).toEqual([bare.application_id])
    expect(await idsOf({})).toEqual([bare.application_id, full.application_id])
  })

  test('records each export in the audit log: key, walk, filters, count, sequence and address', async () => {
    const key = await createTestKey(database.sql, { programs: [slug] })
    const { response } = await new ExportClient(service, key, slug).page({
      pageSize: '1',
      revisionState: 'CURRENT',
      fromDate: '2026-01-01',
    })
    const event = await until('the event', async () => {
      const [row] = await database.sql`
        select subject, host(address) as address, detail from audit_event
        where actor = ${`key:${key.api_key_id}`} and action = 'applications_exported'`
      return row
    })
    expect(event).toEqual({
      subject: slug,
      address: '127.0.0.1',
      detail: {
        request_id: response.headers.get('X-Request-Id'),
        walk: expect.stringMatching(/^[0-9a-f]{16}$/),
        horizon: 2,
        format: 'json',
        filters: { from: '2026-01-01T05:00:00.000000Z', revision_state: 'CURRENT', page_size: 1 },
        applications: 1,
        applications_before: 0,
        after_micros: Number.MIN_SAFE_INTEGER,
        after_seq: 0,
        last_micros: expect.any(Number),
        last_seq: 2,
        outcome: 'complete',
        last_page: true,
        began_at: expect.stringMatching(/^2\d{3}-.*Z$/),
        ended_at: expect.stringMatching(/^2\d{3}-.*Z$/),
      },
    })
  })
})

describe('a program whose questions change', () => {
  test('"every question that has ever been in the program", at every depth: added and removed ones are in every application (D20), draft ones in none (D21)', async () => {
    const changing = 'changing'
    const child = (...names: string[]) =>
      q.enumerator(
        'pet',
        names.map(name => q.text(name, { optional: true })),
        { optional: true },
      )
    await aProgram(database.sql, { slug: changing, questions: [q.text('first'), child('pet colour')] })
    const key = await createTestKey(database.sql, { programs: [changing], maySubmit: true })
    const desk = new FrontEnd(service, key, changing)
    const reader = new ExportClient(service, key, changing)
    const pet = (key: string) => ({ pet: { entities: [{ entity_name: 'Rex', [key]: { text: 'brown' } }] } })
    await desk.apply(await desk.register(), { first: { text: 'one' }, ...pet('pet_colour') })
    await aProgram(database.sql, { slug: changing, questions: [q.number('second'), child('pet food')] })
    await desk.apply(await desk.register(), { second: { number: 2 }, ...pet('pet_food') })
    await aDraft(database.sql, { slug: changing, questions: [q.text('drafted'), child('pet age')] })
    const text = (value: string | null) => ({ question_type: 'TEXT', text: value })
    const entity = (colour: string | null, food: string | null) => ({
      entity_name: 'Rex',
      pet_colour: text(colour),
      pet_food: text(food),
    })
    const [older, newer] = (await reader.walkAll()).map(a => a.application)
    expect(older).toEqual({
      first: text('one'),
      second: { question_type: 'NUMBER', number: null },
      pet: { question_type: 'ENUMERATOR', entities: [entity('brown', null)] },
    })
    expect(newer).toEqual({
      first: text(null),
      second: { question_type: 'NUMBER', number: 2 },
      pet: { question_type: 'ENUMERATOR', entities: [entity(null, 'brown')] },
    })
  })
})
