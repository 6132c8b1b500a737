// Answers as people read them, type by type.

import { describe, expect, test } from 'bun:test'
import type { AnswerLine } from '../../../src/domain/fields/question-type.ts'
import { exportedTypes, type PlainAnswer, type PlainType, plainType } from '../../../src/domain/questions/question.ts'

const linesOf = (answer: PlainAnswer): readonly AnswerLine[] =>
  plainType(answer.type).lines(answer, id => `Option ${id}`)
const uncorrected = {
  corrected: null,
  latitude: null,
  longitude: null,
  well_known_id: null,
  service_area: null,
} as const
const home = {
  type: 'ADDRESS',
  street: '1 Elm St',
  line2: null,
  city: 'Arden',
  state: 'WA',
  zip: '98104',
  ...uncorrected,
} as const

describe('an answer in lines', () => {
  test.each<[PlainAnswer, (string | AnswerLine)[]]>([
    [{ type: 'NAME', first_name: 'Ada', middle_name: null, last_name: 'King', suffix: null }, ['Ada King']],
    [{ type: 'NAME', first_name: 'Ada', middle_name: 'B.', last_name: 'King', suffix: 'JR' }, ['Ada B. King JR']],
    [{ type: 'CURRENCY', currency_cents: 128_150 }, ['$1,281.50']],
    [{ type: 'CURRENCY', currency_cents: 128_100 }, ['$1,281']],
    [{ type: 'CURRENCY', currency_cents: 5 }, ['$0.05']],
    [{ type: 'CURRENCY', currency_cents: 9_007_199_254_740_991 }, ['$90,071,992,547,409.91']],
    [{ type: 'DATE', date: '1962-08-27' }, ['Aug 27, 1962']],
    [{ type: 'DATE', date: '0007-01-02' }, ['Jan 2, 7']],
    [{ type: 'NUMBER', number: 2026 }, ['2026']],
    [{ type: 'NUMBER', number: -9_007_199_254_740_991 }, ['-9007199254740991']],
    [{ type: 'TEXT', text: ' two\nlines ' }, [' two\nlines ']],
    [{ type: 'EMAIL', email: 'not really one' }, ['not really one']],
    [{ type: 'ID', id: '007' }, [{ text: '007', look: 'code' }]],
    [{ type: 'PHONE', phone_number: '+14045550102' }, [{ text: '+1 404 555 0102', look: 'code' }]],
    [{ type: 'PHONE', phone_number: '+9991' }, [{ text: '+9991', look: 'code' }]],
    [{ type: 'SINGLE_SELECT', selection: 'a' }, ['Option a']],
    [{ type: 'MULTI_SELECT', selections: ['b', 'a'] }, ['Option b', 'Option a']],
    [{ type: 'MAP', selections: ['Old Town'] }, ['Option Old Town']],
    [{ type: 'FILE_UPLOAD', file_urls: ['https://a.example/b'] }, [{ text: 'https://a.example/b', look: 'link' }]],
    [home, ['1 Elm St', 'Arden, WA 98104']],
    [
      { ...home, line2: 'Apt 2', corrected: 'Failed' },
      ['1 Elm St, Apt 2', 'Arden, WA 98104', { text: expect.any(String), look: 'aside' }],
    ],
    [
      {
        ...home,
        corrected: 'Corrected',
        latitude: '1.5',
        longitude: '-2',
        well_known_id: '4326',
        service_area: 'old_town_InArea_1,b_NotInArea_2,c_Failed_3',
      },
      [
        '1 Elm St',
        'Arden, WA 98104',
        ...[/./, / old_town: inside/, / b: outside/, / c: /, /1\.5, -2\..* 4326/].map(text => ({
          text: expect.stringMatching(text),
          look: 'aside' as const,
        })),
      ],
    ],
  ])('%j', (answer, expected) => {
    expect(linesOf(answer)).toEqual(expected.map(line => (typeof line === 'string' ? { text: line } : line)))
  })

  test.each(exportedTypes.filter((type): type is PlainType => type !== 'ENUMERATOR'))(
    '%s: every sample has lines',
    type => {
      const options = [{ admin_id: 'a', text: 'A' }]
      for (const variant of [0, 1]) {
        const lines = linesOf(plainType(type).sample({ options } as object, variant))
        expect(lines.length).toBeGreaterThan(0)
        for (const { text } of lines) expect(text).not.toMatch(/^$|null|undefined|NaN/)
      }
    },
  )
})
