import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkAnswers } from '../../../../src/core/intake/checking/check-all.ts'
import { unansweredForm } from '../../../../src/domain/questions/key-map.ts'
import { exportedType, type QuestionKind, questionKinds } from '../../../../src/domain/questions/question.ts'
import { anyText } from '../../../support/arbitraries.ts'
import { aVersion, options, type QuestionSpec } from '../../../support/program-version.ts'
import { asJson, checkOne } from './checking.ts'

/** Accepted: what is kept of it. Refused: `field code`, as many as there are errors. */
type Row = [answer: unknown, outcome: object | string | undefined]

function holds(title: string, spec: QuestionSpec, rows: readonly Row[]): void {
  test(title, () => {
    for (const [answer, outcome] of rows) {
      const shown = JSON.stringify(answer).slice(0, 200)
      expect([shown, checkOne(spec, answer)]).toEqual([shown, outcome as never])
    }
  })
}

const manyDigits = '1'.repeat(1000)

describe('CURRENCY', () => {
  const kept = (currency_cents: number) => ({ type: 'CURRENCY', currency_cents })
  holds('"amount in dollars, a JSON number", at most two decimals, kept as whole cents (D18)', { kind: 'CURRENCY' }, [
    [{ currency_dollars: 12.5 }, kept(1250)],
    [{ currency_dollars: 0 }, kept(0)],
    ['{"currency_dollars":1.10}', kept(110)],
    ['{"currency_dollars":1e2}', kept(10_000)],
    ['{"currency_dollars":90071992547409.91}', kept(9007199254740991)],
    ['{"currency_dollars":90071992547409.92}', '/currency_dollars malformed'],
    ['{"currency_dollars":0.001}', '/currency_dollars malformed'],
    ['{"currency_dollars":1e400}', '/currency_dollars malformed'],
    ['{"currency_dollars":-0.01}', '/currency_dollars too_small'],
    [{ currency_dollars: '12.50' }, '/currency_dollars wrong_type'],
    [{ currency_dollars: true }, '/currency_dollars wrong_type'],
  ])
})

describe('NUMBER', () => {
  const kept = (number: number) => ({ type: 'NUMBER', number })
  const title = '"An integer within ±(2^53 − 1) …; anything else is refused at submission" (D19)'
  holds(title, { kind: 'NUMBER' }, [
    [{ number: -3 }, kept(-3)],
    ['{"number":1e3}', kept(1000)],
    ['{"number":1.0}', kept(1)],
    ['{"number":-0}', kept(0)],
    ['{"number":9007199254740991}', kept(9007199254740991)],
    ['{"number":-9007199254740991}', kept(-9007199254740991)],
    ['{"number":9007199254740992}', '/number malformed'],
    ['{"number":-9007199254740992}', '/number malformed'],
    ['{"number":1152921504606846976}', '/number malformed'],
    ['{"number":1e20}', '/number malformed'],
    [`{"number":${manyDigits}}`, '/number malformed'],
    ['{"number":1.5}', '/number malformed'],
    [{ number: '3' }, '/number wrong_type'],
    [{ number: [3] }, '/number wrong_type'],
  ])
  holds('"Min and max values set on the question are enforced for new answers"', { kind: 'NUMBER', min: -1, max: 5 }, [
    [{ number: -1 }, kept(-1)],
    [{ number: 5 }, kept(5)],
    [{ number: -2 }, '/number too_small'],
    [{ number: 6 }, '/number too_large'],
  ])
})

describe('DATE', () => {
  holds('"ISO 8601 date without timezone, `<YYYY-MM-DD>`": days that exist', { kind: 'DATE' }, [
    [{ date: '2024-02-29' }, { type: 'DATE', date: '2024-02-29' }],
    [{ date: '2023-02-29' }, '/date malformed'],
    [{ date: '2024-02-30' }, '/date malformed'],
    [{ date: '2024-13-01' }, '/date malformed'],
    [{ date: '24-01-01' }, '/date malformed'],
    [{ date: '2024-1-1' }, '/date malformed'],
    [{ date: '2024-01-01T00:00:00Z' }, '/date malformed'],
    [{ date: '2024-01-01\n' }, '/date malformed'],
    [{ date: '٢٠٢٤-٠١-٠١' }, '/date malformed'],
    [{ date: 20240101 }, '/date wrong_type'],
    [{ date: '' }, '/date empty'],
  ])
})

describe('EMAIL', () => {
  holds('"it must be treated as arbitrary text"', { kind: 'EMAIL' }, [
    [{ email: 'a@example.org' }, { type: 'EMAIL', email: 'a@example.org' }],
    [{ email: 'not an address \u0000' }, { type: 'EMAIL', email: 'not an address \u0000' }],
    [{ email: '' }, '/email empty'],
    [{ email: 7 }, '/email wrong_type'],
  ])
})

describe('ID', () => {
  const spec: QuestionSpec = { kind: 'ID', min_length: 2, max_length: 4 }
  holds('"digits only"; "Min and max lengths set on the question are enforced for new answers"', spec, [
    [{ id: '007' }, { type: 'ID', id: '007' }],
    [{ id: '7' }, '/id too_short'],
    [{ id: '12345' }, '/id too_long'],
    [{ id: '12a' }, '/id malformed'],
    [{ id: '٠١٢' }, '/id malformed'],
    [{ id: '０１２' }, '/id malformed'],
    [{ id: ' 12' }, '/id malformed'],
    [{ id: 123 }, '/id wrong_type'],
  ])
})

describe('TEXT', () => {
  const spec: QuestionSpec = { kind: 'TEXT', min_length: 2, max_length: 3 }
  holds('"any Unicode characters"; lengths in code points', spec, [
    [{ text: '🏳🌈' }, { type: 'TEXT', text: '🏳🌈' }],
    [{ text: '🏳🌈🏳' }, { type: 'TEXT', text: '🏳🌈🏳' }],
    [{ text: '🏳' }, '/text too_short'],
    [{ text: 'four' }, '/text too_long'],
    [{ text: '' }, '/text empty'],
    [{ text: { toString: 'x' } }, '/text wrong_type'],
    [{ text: [] }, '/text wrong_type'],
  ])
  test('every well-formed text is kept exactly, and lone surrogates are refused', () => {
    fc.assert(
      fc.property(anyText, text => expect(checkOne({ kind: 'TEXT' }, { text })).toEqual({ type: 'TEXT', text })),
    )
    expect(checkOne({ kind: 'TEXT' }, '{"text":"a\\ud800"}')).toBe('/text ill_formed_text')
    expect(checkOne({ kind: 'TEXT' }, '{"text":"\\udc00b"}')).toBe('/text ill_formed_text')
  })
})

describe('NAME', () => {
  const kept = { type: 'NAME', first_name: 'Ada', middle_name: null, last_name: 'L', suffix: null }
  holds('"when the question is answered, only `middle_name` and `suffix` are optional"', { kind: 'NAME' }, [
    [{ first_name: 'Ada', last_name: 'L' }, kept],
    [
      { first_name: 'Ada', middle_name: 'B', last_name: 'L', suffix: 'III' },
      { ...kept, middle_name: 'B', suffix: 'III' },
    ],
    [{ first_name: 'Ada' }, '/last_name required'],
    [{ middle_name: 'B' }, '/first_name required, /last_name required'],
    [{ suffix: 'JR' }, '/first_name required, /last_name required'],
    [{ first_name: 'Ada', last_name: '' }, '/last_name empty'],
  ])
  test('"one of `JR`, `SR`, `I`, `II`, `III`, `IV`, `V`"', () => {
    for (const suffix of ['JR', 'SR', 'I', 'II', 'III', 'IV', 'V'])
      expect(checkOne({ kind: 'NAME' }, { first_name: 'Ada', last_name: 'L', suffix })).toEqual({
        ...kept,
        suffix,
      } as never)
    for (const suffix of ['jr', 'Jr.', 'VI', 'PhD'])
      expect(checkOne({ kind: 'NAME' }, { first_name: 'Ada', last_name: 'L', suffix })).toBe('/suffix not_allowed')
  })
})

describe('PHONE', () => {
  const kept = (phone_number: string) => ({ type: 'PHONE', phone_number })
  const refused = '/phone_number malformed'
  holds('"Checked for the E.164 pattern, never for being dialable" (D27)', { kind: 'PHONE' }, [
    [{ phone_number: '+15555550100' }, kept('+15555550100')],
    [{ phone_number: '+1 (555) 555-0100' }, kept('+15555550100')],
    [{ phone_number: '+1206555' }, kept('+1206555')],
    [{ phone_number: '+1 206 555' }, kept('+1206555')],
    [{ phone_number: '+11065550100' }, kept('+11065550100')],
    [{ phone_number: '+999123456789' }, kept('+999123456789')],
    [{ phone_number: '+999 123 456 789' }, kept('+999123456789')],
    [{ phone_number: '+44 (0)20 7946 0958' }, kept('+442079460958')],
    [{ phone_number: '+440207946095' }, kept('+440207946095')],
    [{ phone_number: '+0123456789' }, refused],
    [{ phone_number: '+1234567890123456' }, refused],
    [{ phone_number: '+1' }, refused],
    [{ phone_number: [] }, '/phone_number wrong_type'],
    [{ phone_number: '+12065550100' }, kept('+12065550100')],
    [{ phone_number: '+1 (206) 555-0100' }, kept('+12065550100')],
    [{ phone_number: '+44 20 7946 0958' }, kept('+442079460958')],
    [{ phone_number: '+52 55 1234 5678' }, kept('+525512345678')],
    [{ phone_number: '+80012345678' }, kept('+80012345678')],
    [{ phone_number: '2065550100' }, refused],
    [{ phone_number: '(206) 555-0100' }, refused],
    [{ phone_number: '0012065550100' }, refused],
    [{ phone_number: '+1 206 555 0100 ext. 7' }, refused],
    [{ phone_number: 'call +12065550100' }, refused],
    [{ phone_number: '+١٢٠٦٥٥٥٠١٠٠' }, refused],
    [{ phone_number: '＋１２０６５５５０１００' }, refused],
    [{ phone_number: `+1${manyDigits}` }, refused],
    [{ phone_number: 12065550100 }, '/phone_number wrong_type'],
  ])
  holds('"national forms are converted when a country is given" (D27)', { kind: 'PHONE' }, [
    [{ phone_number: '(555) 555-0100', country: 'US' }, kept('+15555550100')],
    [{ phone_number: '1 206 555 0100', country: 'US' }, kept('+12065550100')],
    [{ phone_number: '020 7946 0958', country: 'GB' }, kept('+442079460958')],
    [{ phone_number: '06 1234567', country: 'IT' }, kept('+39061234567')],
    [{ phone_number: '+1 206 555 0100', country: 'GB' }, kept('+12065550100')],
    [{ phone_number: '+12065550100', country: null }, kept('+12065550100')],
    [{ phone_number: '555-0100', country: 'US' }, refused],
    [{ phone_number: '911', country: 'US' }, refused],
    [{ phone_number: 'x', country: 'US' }, refused],
    [{ phone_number: '(555) 555-0100', country: 'us' }, '/country not_allowed'],
    [{ phone_number: '(555) 555-0100', country: 'XX' }, '/country not_allowed'],
    [{ phone_number: '(555) 555-0100', country: 'constructor' }, '/country not_allowed'],
    [{ phone_number: '(555) 555-0100', country: 1 }, '/country wrong_type'],
    [{ country: 'US' }, undefined],
    [{ phone_number: null, country: 'US' }, undefined],
  ])
})

describe('SINGLE_SELECT', () => {
  for (const kind of ['RADIO', 'DROPDOWN'] as const) {
    holds(`${kind}: "admin ID of the selected option"`, { kind, options: options('yes', 'no') }, [
      [{ selection: 'yes' }, { type: 'SINGLE_SELECT', selection: 'yes' }],
      [
        { question_type: 'SINGLE_SELECT', selection: 'no' },
        { type: 'SINGLE_SELECT', selection: 'no' },
      ],
      [{ selection: 'YES' }, '/selection not_an_option'],
      [{ selection: '__proto__' }, '/selection not_an_option'],
      [{ selection: ['yes'] }, '/selection wrong_type'],
      [{ selections: ['yes'] }, '/selections unknown_field'],
    ])
  }
})

describe('MULTI_SELECT', () => {
  const spec: QuestionSpec = { kind: 'CHECKBOX', options: options('a', 'b', 'c', 'd'), min_count: 2, max_count: 3 }
  holds('"admin IDs of the selected options", each once, as many as allowed', spec, [
    [{ selections: ['c', 'a'] }, { type: 'MULTI_SELECT', selections: ['c', 'a'] }],
    [{ selections: ['a'] }, '/selections too_few'],
    [{ selections: ['a', 'b', 'c', 'd'] }, '/selections too_many'],
    [{ selections: ['a', 'a'] }, '/selections/1 duplicate'],
    [{ selections: ['x', 'a', 'y'] }, '/selections/0 not_an_option, /selections/2 not_an_option'],
    [{ selections: ['a', null, 7] }, '/selections/1 wrong_type, /selections/2 wrong_type'],
    [{ selections: 'a' }, '/selections wrong_type'],
    [{ selections: { 0: 'a' } }, '/selections wrong_type'],
  ])
})

describe('MAP', () => {
  holds(
    '"`selections`: array of the selected map features\' ids (strings)" (D14)',
    { kind: 'MAP', options: options('P 1', 'Öst') },
    [
      [{ selections: ['Öst'] }, { type: 'MAP', selections: ['Öst'] }],
      [{ selections: ['P 2'] }, '/selections/0 not_an_option'],
    ],
  )
})

describe('FILE_UPLOAD', () => {
  const url = 'https://files.example.gov/1?x=%20#y'
  const kept = (...file_urls: string[]) => ({ type: 'FILE_UPLOAD', file_urls })
  holds('"URLs of the uploaded files"; `file_key` is the first of them (D17)', { kind: 'FILE_UPLOAD', max_count: 2 }, [
    [{ file_urls: [url] }, kept(url)],
    [{ file_urls: ['HTTP://a.example', url] }, kept('HTTP://a.example', url)],
    [{ file_key: url, file_urls: [url] }, kept(url)],
    [{ file_key: url, file_urls: ['https://other.example/', url] }, '/file_key not_allowed'],
    [{ file_key: url }, '/file_key not_allowed'],
    [{ file_urls: [url, url, url] }, '/file_urls too_many'],
    [{ file_urls: ['/relative'] }, '/file_urls/0 malformed'],
    [{ file_urls: ['//a.example/x'] }, '/file_urls/0 malformed'],
    [{ file_urls: ['ftp://a.example/x'] }, '/file_urls/0 malformed'],
    [{ file_urls: ['javascript:alert(1)'] }, '/file_urls/0 malformed'],
    [{ file_urls: [url, ' https://a.example/'] }, '/file_urls/1 malformed'],
    [{ file_urls: ['https://a.example/\n'] }, '/file_urls/0 malformed'],
    [{ file_urls: ['https://'] }, '/file_urls/0 malformed'],
    [{ file_urls: [''] }, '/file_urls/0 empty'],
    [{ file_urls: url }, '/file_urls wrong_type'],
  ])
})

describe('ADDRESS', () => {
  const given = { street: '700 5th Ave', city: 'Seattle', state: 'WA', zip: '98104' }
  const located = {
    latitude: '47.6',
    longitude: '-122.3',
    well_known_id: '4326',
    service_area: 'king_county_InArea_1700000000',
  }
  const none = { corrected: null, latitude: null, longitude: null, well_known_id: null, service_area: null }
  const kept = { type: 'ADDRESS', ...given, line2: null, ...none }
  holds(
    '"if any of `street`, `line2`, `city`, `state`, `zip` is provided, all of them except `line2` are required"',
    { kind: 'ADDRESS' },
    [
      [given, kept],
      [
        { ...given, line2: 'Apt 4' },
        { ...kept, line2: 'Apt 4' },
      ],
      [{ line2: 'Apt 4' }, '/street required, /city required, /state required, /zip required'],
      [{ ...given, city: null }, '/city required'],
      [{ ...given, street: '' }, '/street empty'],
    ],
  )
  holds('"two-letter capitalized USPS code"; "5 digits, or 5 digits, a dash and 4 digits"', { kind: 'ADDRESS' }, [
    [
      { ...given, state: 'PW', zip: '96940-1234' },
      { ...kept, state: 'PW', zip: '96940-1234' },
    ],
    [{ ...given, state: 'wa' }, '/state malformed'],
    [{ ...given, state: 'Washington' }, '/state malformed'],
    [{ ...given, state: 'XX' }, '/state malformed'],
    [{ ...given, zip: '9810' }, '/zip malformed'],
    [{ ...given, zip: '98104-12' }, '/zip malformed'],
    [{ ...given, zip: '９８１０４' }, '/zip malformed'],
    [{ ...given, zip: 98104 }, '/zip wrong_type'],
  ])
  holds('`corrected` is null where "address correction is not enabled"', { kind: 'ADDRESS' }, [
    [{ ...given, ...none }, kept],
    [{ ...given, corrected: 'Failed' }, '/corrected not_allowed'],
    [{ ...given, latitude: '1' }, '/latitude not_allowed'],
  ])
  holds(
    'results of address correction; a location is only of what was `Corrected`',
    { kind: 'ADDRESS', correct_addresses: true },
    [
      [given, kept],
      [
        { ...given, corrected: 'Failed' },
        { ...kept, corrected: 'Failed' },
      ],
      [
        { ...given, corrected: 'AsEnteredByUser' },
        { ...kept, corrected: 'AsEnteredByUser' },
      ],
      [
        { ...given, ...located, corrected: 'Corrected' },
        { ...kept, ...located, corrected: 'Corrected' },
      ],
      [
        { ...given, ...located, corrected: 'Corrected', service_area: null },
        { ...kept, ...located, corrected: 'Corrected', service_area: null },
      ],
      [{ ...given, corrected: 'Corrected' }, '/latitude required, /longitude required, /well_known_id required'],
      [{ ...given, corrected: 'Failed', latitude: '1' }, '/latitude not_allowed'],
      [{ ...given, longitude: '1', service_area: 'a_InArea_1' }, '/longitude not_allowed, /service_area not_allowed'],
      [{ ...given, corrected: 'corrected' }, '/corrected not_allowed'],
      [{ ...given, ...located, corrected: 'Corrected', latitude: 47.6 }, '/latitude wrong_type'],
      [{ ...given, ...located, corrected: 'Corrected', latitude: '47,6' }, '/latitude malformed'],
      [{ ...given, ...located, corrected: 'Corrected', latitude: '1e999' }, '/latitude malformed'],
      [{ ...given, ...located, corrected: 'Corrected', well_known_id: 'EPSG:4326' }, '/well_known_id malformed'],
      [{ ...given, ...located, corrected: 'Corrected', service_area: 'king_Inside_1' }, '/service_area malformed'],
      [{ corrected: 'Failed' }, '/street required, /city required, /state required, /zip required'],
    ],
  )
  test('a final answer has the outcome of the correction, without the result of one that is now disabled', () => {
    const corrects: QuestionSpec = { kind: 'ADDRESS', correct_addresses: true }
    expect(checkOne(corrects, given, 'submit')).toBe('/corrected required')
    expect(checkOne({ kind: 'ADDRESS' }, { ...given, ...located, corrected: 'Corrected' }, 'submit')).toEqual(
      kept as never,
    )
  })
})

describe('every type', () => {
  const kinds = questionKinds.filter(kind => kind !== 'STATIC')
  const spec = (kind: QuestionKind): QuestionSpec => ({ kind, options: options('a') })

  test.each(kinds)("%s: null, {} and the export's own unanswered form do not count as an answer", kind => {
    for (const answer of ['null', '{}', unansweredForm({ type: exportedType(kind)! })]) {
      expect([answer, checkOne(spec(kind), answer)]).toEqual([answer, undefined])
      const required = checkOne({ ...spec(kind), optional: false }, answer, 'submit')
      expect([answer, required]).toEqual([answer, 'required'])
    }
  })

  test.each(kinds)(
    '%s: non-objects, another question_type and unknown fields are refused with their pointers',
    kind => {
      for (const answer of ['"x"', '7', 'true', '[]']) expect(checkOne(spec(kind), answer)).toBe('wrong_type')
      for (const type of ['"CHECKBOX"', 'null', '1']) {
        expect(checkOne(spec(kind), `{"question_type":${type}}`)).toBe('/question_type wrong_question_type')
      }
      expect(checkOne(spec(kind), '{"__proto__":1,"a/b":null}')).toBe('/__proto__ unknown_field, /a~1b unknown_field')
    },
  )

  test.each(kinds)('%s: any JSON is accepted or refused, and nothing is thrown', kind => {
    fc.assert(fc.property(fc.json(), answer => void checkOne(spec(kind), answer)))
  })
})

test('degrees of latitude are from -90 to 90 and of longitude from -180 to 180, while other coordinate systems have no such bounds', () => {
  const place = { street: '1 A', city: 'B', state: 'WA', zip: '98101', corrected: 'Corrected' }
  const located = (latitude: string, longitude: string, well_known_id = '4326') =>
    checkOne({ kind: 'ADDRESS', correct_addresses: true }, { ...place, latitude, longitude, well_known_id })
  expect(located('91', '-181')).toBe('/latitude malformed, /longitude malformed')
  expect(located('-90', '180')).toMatchObject({ latitude: '-90', longitude: '180' })
  expect(located('1200000.5', '300000', '2926')).toMatchObject({ latitude: '1200000.5' })
})

test('a phone number with its country does not require the country again', () => {
  const detail = (answer: object) => {
    const checked = checkAnswers(aVersion({ q: { kind: 'PHONE' } }), asJson({ q: answer }), 'save')
    return 'errors' in checked ? checked.errors[0]!.detail : ''
  }
  const withCountry = detail({ phone_number: '206-555-0100 ext. 5', country: 'US' })
  expect(withCountry).not.toBe(detail({ phone_number: '206-555-0100 ext. 5' }))
  expect(withCountry).toContain('extension')
})
