// Every form in which CiviForm stores an answer, and what is exported of it in each profile. What is numbered follows the list of
// cases by which the decoding was specified.

import { describe, expect, test } from 'bun:test'
import { civiformQuestionKey } from '../../src/civiform/definitions/civiform-question-key.ts'
import type { ExportProfile } from '../../src/domain/questions/key-map.ts'
import { type RenderCase, rendered } from '../support/civiform/rendered.ts'
import type { SimulatedQuestion } from '../support/civiform/simulated-civiform.ts'

const both: readonly ExportProfile[] = ['contract', 'origin']
const options = [[1, 'rent'], [2, 'own'], [5, 'shelter']] as const // biome-ignore format: one line

/** The question object of the only question, in one profile. */
function answer(
  type: string,
  stored: unknown,
  profile: ExportProfile = 'contract',
  more: Partial<SimulatedQuestion & RenderCase> = {},
) {
  const { options: own, withdrawn, tags, ...given } = more
  const question = { name: 'q', type, options: own ?? options, withdrawn, tags }
  const { question_type, ...fields } = rendered(
    { questions: [question], answers: stored === undefined ? {} : { q: stored }, ...given },
    profile,
  ).application.application.q
  expect(typeof question_type).toBe('string')
  return fields
}

/** The same in both profiles. */
function always(
  type: string,
  stored: unknown,
  expected: unknown,
  more: Partial<SimulatedQuestion & RenderCase> = {},
): void {
  for (const profile of both) expect(answer(type, stored, profile, more)).toEqual(expected as never)
}

const noAddress = {
  street: null, line2: null, city: null, state: null, zip: null, corrected: null, latitude: null, longitude: null, well_known_id: null,
  service_area: null,
} // biome-ignore format: side by side

describe('an address', () => {
  test('1: always has all ten parts', () => {
    const stored = {
      street: '9 Elm Ct',
      city: 'Lakeview',
      state: 'WA',
      zip: '98001-1234',
      corrected: 'AsEnteredByUser',
      updated_at: 1,
    }
    const { updated_at, ...parts } = stored
    always('ADDRESS', stored, { ...noAddress, ...parts })
    always('ADDRESS', undefined, noAddress)
  })
  test('2, 3: has coordinates with at most eight decimals, rounded half to even, without trailing zeros', () => {
    always('ADDRESS', { latitude: 47.123456789, longitude: -122, well_known_id: 4326 }, {
      ...noAddress, latitude: '47.12345679', longitude: '-122', well_known_id: '4326',
    }) // biome-ignore format: one object
    always(
      'ADDRESS',
      { latitude: 0.00000123, longitude: 100.1 },
      { ...noAddress, latitude: '0.00000123', longitude: '100.1' },
    )
    always(
      'ADDRESS',
      { latitude: 0.001953125, longitude: 0.005859375 },
      { ...noAddress, latitude: '0.00195312', longitude: '0.00585938' },
    )
  })
  test('4, 5: has its service areas as one text, and none of them if one record is invalid', () => {
    const good = { service_area_id: 'north_end', service_area_state: 'FAILED', timestamp: 1700000000 }
    always('ADDRESS', { service_areas: [good] }, { ...noAddress, service_area: 'north_end_Failed_1700000000' })
    always('ADDRESS', { service_areas: [good, { ...good, service_area_state: 'SOMEWHERE' }] }, noAddress)
  })
  test('6: has the service area text of old releases as in the manual, but not as in CiviForm’s code (D14)', () => {
    const stored = { service_area: 'east_side_InArea_1650000000' }
    expect(answer('ADDRESS', stored, 'origin').service_area).toBeNull()
    expect(answer('ADDRESS', stored, 'contract').service_area).toBe('east_side_InArea_1650000000')
  })
  test('7: has a ZIP code stored as a number as text', () => {
    always('ADDRESS', { zip: 98101 }, { ...noAddress, zip: '98101' })
  })
})

describe('a choice', () => {
  const cases: [number, unknown, string[]][] = [
    [8, { selections: ['5', '1'] }, ['rent', 'shelter']],
    [9, { selections: [2] }, ['own']],
    [10, { selections: ['2', '2'] }, ['own']],
    [11, { selections: ['2', '77'] }, ['own']],
    [12, { selections: ['2', 'own'] }, []],
    [13, { selections: ['1', null] }, []],
    [14, { selections: '2' }, []],
    [15, { updated_at: 5, program_updated_in: 3 }, []],
    [16, { selections: ['1', '5'] }, ['rent', 'shelter']],
    [17, { selections: ['5'] }, ['shelter']],
  ]
  test.each(cases)(
    '8 to 17: of several options is exported as admin names in the question’s order (%i)',
    (_, stored, selections) => {
      // 16, 17: the order of display and what is not shown any more make no difference.
      always('CHECKBOX', stored, { selections })
      always('CHECKBOX', stored, { selections }, { withdrawn: [5] })
    },
  )
  test('18, 19: of one option is exported as its admin name, or null if there is no such option', () => {
    for (const type of ['RADIO_BUTTON', 'DROPDOWN']) {
      for (const selection of ['2', 2]) always(type, { selection }, { selection: 'own' })
      for (const selection of ['9', '', ['2']]) always(type, { selection }, { selection: null })
    }
  })
  test('20: keeps admin names from before 2024 unchanged', () => {
    always(
      'DROPDOWN',
      { selection: '3' },
      { selection: "Not sure / don't know" },
      { options: [[3, "Not sure / don't know"]] },
    )
  })
  test('21: between yes and no has its own option names', () => {
    for (const [selection, name] of [['0', 'no'], ['1', 'yes'], ['2', 'not-sure'], ['3', 'maybe']] as const) // biome-ignore format: one line
      always('YES_NO', { selection }, { selection: name })
  })
})

describe('money, dates and numbers', () => {
  test('22, 23: cents become dollars exactly', () => {
    for (const [
      currency_cents,
      dollars,
    ] of [[250000, 2500], [1050, 10.5], [0, 0], ['1999', 19.99], [12.9, 0.12], [true, null], [-5, -0.05], [100_000_000_000, 1_000_000_000]]) // biome-ignore format: one line
      always('CURRENCY', { currency_cents }, { currency_dollars: dollars })
    const document = '{"applicant":{"q":{"currency_cents":9007199254740993}}}'
    expect(rendered({ questions: [{ name: 'q', type: 'CURRENCY' }], document }).text).toContain(
      '"currency_dollars":90071992547409.93}',
    )
  })
  test('24, 25, 26, 27: a date is the UTC day of its milliseconds, and a bare number is not a date', () => {
    for (const [
      date,
      day,
    ] of [[951782400000, '2000-02-29'], [951868799999, '2000-02-29'], [-2208988800000, '1900-01-01'], ['-2208988800000', '1900-01-01'], [-62167219200001, null]]) // biome-ignore format: one line
      always('DATE', { date }, { date: day }, { timeZone: 'Pacific/Auckland' })
    always('DATE', 1000000000000, { date: null })
  })
  test('28, 29: a 64-bit number keeps every digit', () => {
    for (const [number, shown] of [
      ['17', 17],
      [-3.9, -3],
      ['12b', null],
      ['', null],
      [true, null],
      ['99999999999999999999', null],
    ])
      always('NUMBER', { number }, { number: shown })
    const document = '{"applicant":{"q":{"number":9007199254740993}}}'
    expect(rendered({ questions: [{ name: 'q', type: 'NUMBER' }], document }).text).toContain(
      '"number":9007199254740993}',
    )
  })
})

describe('answers stored as text', () => {
  test('30 to 34: text is verbatim, numbers and literals become text, and empty or other values are null', () => {
    always('EMAIL', { email: 'not an address' }, { email: 'not an address' })
    always('TEXT', { text: 'línea 1\nlínea 2 "q"' }, { text: 'línea 1\nlínea 2 "q"' })
    for (const text of ['', null, { a: 1 }, ['x']]) always('TEXT', { text }, { text: null })
    always('TEXT', { text: 7 }, { text: '7' })
    always('TEXT', { text: false }, { text: 'false' })
    always('ID', { id: '00042' }, { id: '00042' })
    always('ID', { id: 42 }, { id: '42' })
  })
  test('35: a name suffix is a code as in the manual, or as stored in the profile origin (D2)', () => {
    const stored = { first_name: 'Ada', last_name: 'Byron', name_suffix: 'Jr.' }
    const name = { first_name: 'Ada', middle_name: null, last_name: 'Byron' }
    expect(answer('NAME', stored, 'contract')).toEqual({ ...name, suffix: 'JR' })
    expect(answer('NAME', stored, 'origin')).toEqual({ ...name, suffix: 'Jr.' })
    expect(answer('NAME', { name_suffix: 'Esq.' }, 'contract').suffix).toBe('Esq.')
  })
  test('36 to 39: a phone number is in E.164, and null if it is invalid or has no country', () => {
    always('PHONE', { country_code: 'US', phone_number: '2065550100' }, { phone_number: '+12065550100' })
    always('PHONE', { country_code: 'CA', phone_number: '604-555-0123' }, { phone_number: '+16045550123' })
    always('PHONE', { phone_number: '2065550100' }, { phone_number: null })
    always('PHONE', { country_code: 'US', phone_number: 'call me' }, { phone_number: null })
    const { reports } = rendered({
      questions: [{ name: 'q', type: 'PHONE' }],
      answers: { q: { country_code: 'US', phone_number: 'call me' } },
    })
    expect(reports).toEqual([expect.stringMatching(/^q\b/)])
  })
})

describe('files, maps and texts to read', () => {
  const url = 'https://forms.example.test/admin/applicant-files/applicant-7%252Fprogram-31%252Fblock-2%252Fpay+stub.pdf'
  test('40: a file is its URL as CiviForm encodes it, with file_key as in the manual (D1)', () => {
    const stored = { file_key_list: ['applicant-7/program-31/block-2/pay stub.pdf'] }
    expect(answer('FILEUPLOAD', stored, 'origin')).toEqual({ file_urls: [url] })
    expect(answer('FILEUPLOAD', stored, 'contract')).toEqual({ file_key: url, file_urls: [url] })
  })
  test('41, 42: a file may have the single key of old releases (D15), or none', () => {
    const stored = { file_key: 'dev/k1' }
    const old = 'https://forms.example.test/admin/applicant-files/dev%252Fk1'
    expect(answer('FILEUPLOAD', stored, 'origin')).toEqual({ file_urls: [] })
    expect(answer('FILEUPLOAD', stored, 'contract')).toEqual({ file_key: old, file_urls: [old] })
    for (const none of [{ file_key_list: [] }, { updated_at: 1 }]) {
      expect(answer('FILEUPLOAD', none, 'contract')).toEqual({ file_key: null, file_urls: [] })
      expect(answer('FILEUPLOAD', none, 'origin')).toEqual({ file_urls: [] })
    }
  })
  test('43: map features are their IDs, or the applicant’s current ones as in CiviForm’s code (D3)', () => {
    const stored = { selections: ['{"featureId":"f-12","locationName":"Site 12"}', 'oops'] }
    expect(answer('MAP', stored, 'contract')).toEqual({ selections: ['f-12'] })
    const object = JSON.stringify({ applicant: { q: { selections: ['{"featureId":"f-9"}'] } } })
    expect(answer('MAP', stored, 'origin', { live: { object } })).toEqual({ selections: ['f-9'] })
  })
  test('44: static text has no key', () => {
    for (const profile of both)
      expect(rendered({ questions: [{ name: 'q', type: 'STATIC' }] }, profile).application.application).toEqual({})
  })
})

describe('entities', () => {
  const pets: SimulatedQuestion = {
    name: 'pets',
    type: 'ENUMERATOR',
    repeated: [
      { name: 'pet food', type: 'TEXT' },
      { name: 'vet visits', type: 'ENUMERATOR', repeated: [{ name: 'cost', type: 'CURRENCY' }] },
    ],
  }
  const entitiesOf = (stored: unknown, answers: object = {}) =>
    rendered({ questions: [pets], answers: { pets: stored, ...answers } }).application.application.pets.entities
  const noVisits = { question_type: 'ENUMERATOR', entities: [] }
  const noFood = { question_type: 'TEXT', text: null }

  test('45, 49, 50: are in stored order with their repeated questions, at every depth, and may have equal names', () => {
    const visits = [{ entity_name: 'May', cost: { currency_cents: 4500 } }]
    expect(
      entitiesOf([
        { entity_name: 'Mochi', pet_food: { text: 'kelp' }, vet_visits: visits },
        { entity_name: 'Bao' },
        { entity_name: 'Bao' },
      ]),
    ).toEqual([
      {
        entity_name: 'Mochi',
        pet_food: { question_type: 'TEXT', text: 'kelp' },
        vet_visits: {
          ...noVisits,
          entities: [{ entity_name: 'May', cost: { question_type: 'CURRENCY', currency_dollars: 45 } }],
        },
      },
      { entity_name: 'Bao', pet_food: noFood, vet_visits: noVisits },
      { entity_name: 'Bao', pet_food: noFood, vet_visits: noVisits },
    ])
  })
  test('46, 47: are an empty list for an object, an empty list or nothing', () => {
    for (const stored of [{ updated_at: 1, program_updated_in: 31 }, [], undefined, 'x', null])
      expect(entitiesOf(stored)).toEqual([])
  })
  test('48: may lack a name or be null', () => {
    const nameless = { entity_name: null, pet_food: noFood, vet_visits: noVisits }
    expect(entitiesOf([{ entity_name: '' }, null])).toEqual([nameless, nameless])
  })
  test('52: do not include another program’s top-level answer with the key of a repeated question', () => {
    const { application } = rendered({ questions: [pets], answers: { pet_food: { text: 'elsewhere' } } })
    expect(Object.keys(application.application)).toEqual(['pets'])
  })
})

describe('documents and keys', () => {
  test('53: answers to questions of other programs are not exported', () => {
    const { application } = rendered({
      questions: [{ name: 'q', type: 'TEXT' }],
      answers: { other_program_question: { text: 'x' } },
    })
    expect(application.application).toEqual({ q: { question_type: 'TEXT', text: null } })
  })
  test('60: question keys follow CiviForm’s rule', () => {
    const names = ['Household size 2024', 'child-care provider', 'Income (monthly) $', 'Ünïcode Straße', 'tax_id']
    expect(names.map(civiformQuestionKey)).toEqual([
      'household_size_',
      'childcare_provider',
      'income_monthly_',
      'ncode_strae',
      'taxid',
    ])
  })
  test('61: a question whose name has no letters is left out and reported', () => {
    const { application, findings } = rendered({
      questions: [{ name: '2024', type: 'TEXT' }],
      answers: { '': { text: 'x' } },
    })
    expect(application.application).toEqual({})
    expect(findings).toMatchObject([{ kind: 'empty_key' }])
  })
  test('62: the last of two questions with the same key in block order is exported, and both are reported', () => {
    const questions = [
      { name: 'unit 1', type: 'NUMBER' },
      { name: 'unit 2', type: 'TEXT' },
    ]
    const { application, findings } = rendered({ questions, answers: { unit_: { number: 4, text: 'b' } } })
    expect(application.application).toEqual({ unit_: { question_type: 'TEXT', text: 'b' } })
    expect(findings).toMatchObject([{ kind: 'key_collision' }])
  })
  test('63, 64: an empty, truncated or missing document is exported as unanswered, and only a broken one is reported', () => {
    const questions = [{ name: 'job', type: 'TEXT' }]
    const unanswered = { job: { question_type: 'TEXT', text: null } }
    for (const [document, renderedAs] of [
      ['{}', 0],
      ['{"applicant":', 1],
      ['null', 1],
      ['[]', 1],
      ['"text"', 1],
      ['{"applicant":[1]}', 0],
    ] as const) {
      // biome-ignore format: one line
      const { application, reports } = rendered({ questions, document })
      expect(application.application).toEqual(unanswered)
      expect(reports).toHaveLength(renderedAs)
    }
    const twice = '{"applicant":{"job":{"text":"first","text":"last"}}}'
    expect(rendered({ questions, document: twice }).application.application.job.text).toBe('last')
  })
  test('an answer may contain anything that JSON can', () => {
    const text = '\u0000\u0001\u0002 \ud800 </script> __proto__ \u2028'
    const document = `{"applicant":{"proto":{"text":${JSON.stringify(text)}},"__proto__":{"text":"x"}}}`
    expect(
      rendered({ questions: [{ name: 'proto', type: 'TEXT' }], document }).application.application.proto.text,
    ).toBe(text)
  })
  test('a question of an unknown type is exported with only its type, and reported', () => {
    const { application, findings } = rendered({
      questions: [{ name: 'q', type: 'HOLOGRAM' }],
      answers: { q: { beam: 1 } },
    })
    expect(application.application).toEqual({ q: { question_type: 'HOLOGRAM' } })
    expect(findings).toMatchObject([{ kind: 'unknown_question_type' }])
  })
})

describe('facts about an application', () => {
  const at = (text: string): number => Date.parse(text) * 1000
  const renderedAs = (row: RenderCase['row'], profile: ExportProfile, timeZone = 'UTC') =>
    rendered({ questions: [], row, timeZone }, profile).application

  test('65, 66: times are whole seconds as in the manual, or have fractions as in CiviForm’s code', () => {
    const zone = 'America/New_York'
    const half = { submit_time: at('2024-03-10T06:59:59.5Z') }
    expect(renderedAs(half, 'origin', zone).submit_time).toBe('2024-03-10T01:59:59.5-05:00')
    expect(renderedAs(half, 'contract', zone).submit_time).toBe('2024-03-10T01:59:59-05:00')
    expect(renderedAs({ submit_time: at('2024-03-10T07:00:00Z') }, 'origin', zone).submit_time).toBe(
      '2024-03-10T03:00:00-04:00',
    )
    expect(renderedAs({ submit_time: at('2024-06-01T00:00:00.12Z') }, 'origin').submit_time).toBe(
      '2024-06-01T00:00:00.12Z',
    )
    expect(renderedAs({ submit_time: at('2024-06-01T00:00:00.12Z') }, 'contract').submit_time).toBe(
      '2024-06-01T00:00:00+00:00',
    )
  })
  test('67: the language tag is canonical, and American English if there is none', () => {
    for (const [
      preferred_locale,
      language,
    ] of [[null, 'en-US'], ['', 'en-US'], ['es-us', 'es-US'], ['not a tag!', 'und'], ['iw', 'he']] as const) // biome-ignore format: one line
      for (const profile of both) expect(renderedAs({ preferred_locale }, profile).language).toBe(language)
  })
  test('68: an empty status or note is null', () => {
    for (const profile of both)
      expect(renderedAs({ status: '', note: '' }, profile)).toMatchObject({ status: null, application_note: null })
  })
  test('69, 70: a submitter with an email address is an intermediary, and an applicant’s organization is exported only as in CiviForm’s code (D6)', () => {
    const row = { submitter_email: 'helper@aid.example', ti_organization: 'North Aid' }
    const intermediary = {
      submitter_type: 'TRUSTED_INTERMEDIARY',
      ti_email: 'helper@aid.example',
      ti_organization: 'North Aid',
    }
    for (const profile of both) expect(renderedAs(row, profile)).toMatchObject(intermediary)
    const own = { submitter_email: null, ti_organization: 'North Aid' }
    expect(renderedAs(own, 'origin')).toMatchObject({
      submitter_type: 'APPLICANT',
      ti_email: null,
      ti_organization: 'North Aid',
    })
    expect(renderedAs(own, 'contract')).toMatchObject({
      submitter_type: 'APPLICANT',
      ti_email: null,
      ti_organization: null,
    })
  })
  test('71, 72: the applicant is the one before a merge, and a missing time is null', () => {
    for (const profile of both) {
      expect(renderedAs({ applicant_id: 90, original_applicant_id: 41 }, profile).applicant_id).toBe(41)
      expect(renderedAs({ submit_time: null }, profile).submit_time).toBeNull()
    }
  })
  test('74: the program name is its slug as in the manual, or its admin name as in CiviForm’s code (D5)', () => {
    expect(renderedAs({}, 'contract').program_name).toBe('rent-relief-2')
    expect(renderedAs({}, 'origin').program_name).toBe('Rent Relief 2')
  })
  test('75: unanswered questions are filled from the applicant’s own record only as in CiviForm’s code (D3)', () => {
    const live = {
      email_address: 'kim@mail.example',
      first_name: 'Kim',
      phone_number: '2065550100',
      country_code: 'US',
      date_of_birth: '2000-01-31',
    }
    for (const [type, tag, field, value] of [
      ['EMAIL', 'PRIMARY_APPLICANT_EMAIL', 'email', 'kim@mail.example'],
      ['NAME', 'PRIMARY_APPLICANT_NAME', 'first_name', 'Kim'],
      ['PHONE', 'PRIMARY_APPLICANT_PHONE', 'phone_number', '+12065550100'],
      ['DATE', 'PRIMARY_APPLICANT_DOB', 'date', '2000-01-31'],
    ] as const) {
      expect(answer(type, {}, 'origin', { live, tags: [tag] })[field]).toBe(value)
      expect(answer(type, {}, 'contract', { live, tags: [tag] })[field]).toBeNull()
      expect(answer(type, {}, 'origin', { live })[field]).toBeNull()
    }
  })
})
