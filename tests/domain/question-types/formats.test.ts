import { describe, expect, test } from 'bun:test'
import {
  coordinatePattern,
  serviceAreaPattern,
  stateCodes,
  zipPattern,
} from '../../../src/domain/question-types/address.ts'
import { dayText, isCalendarDate } from '../../../src/domain/question-types/date.ts'
import { idPattern } from '../../../src/domain/question-types/id.ts'
import { phonePattern } from '../../../src/domain/question-types/phone.ts'

describe('answer formats', () => {
  test('"two-letter capitalized USPS code (50 states, DC, 8 territories)"', () => {
    expect(stateCodes.size).toBe(59)
    for (const code of stateCodes) expect(code).toMatch(/^[A-Z]{2}$/)
    expect(stateCodes.has('DC') && stateCodes.has('PR') && stateCodes.has('WA')).toBe(true)
    expect(stateCodes.has('wa') || stateCodes.has('XX')).toBe(false)
  })

  test.each([
    ['zip', zipPattern, ['98104', '98104-1234'], ['9810', '981041234', '98104-', '٩٨١٠٤', '98104\n']],
    ['coordinate', coordinatePattern, ['47.60357', '-122.32945', '+1', '0', '-1e-7'], ['', 'north', '1,5', '.', '1.']],
    [
      'service area',
      serviceAreaPattern,
      ['seattle_InArea_1767225600', 'king_county_NotInArea_1,seattle_Failed_2'],
      ['', 'seattle_Inside_1', 'seattle_InArea', 'seattle_InArea_1,', '_InArea_'],
    ],
    ['id', idPattern, ['', '007'], ['7a', '٧', ' 7']],
    ['phone', phonePattern, ['+12065550143', '+442079460000'], ['2065550143', '+0123', '+1234567890123456', '+1 206']],
  ] as const)('%s: takes what the specification names and nothing else', (_, pattern, good, bad) => {
    for (const text of good) expect([text, pattern.test(text)]).toEqual([text, true])
    for (const text of bad) expect([text, pattern.test(text)]).toEqual([text, false])
  })

  test('a long list of service areas with an error at its end is refused at once', () => {
    expect(serviceAreaPattern.test(`a_InArea_1${', a_InArea_1'.repeat(10_000)}`)).toBe(true)
    expect(serviceAreaPattern.test(`a_InArea_1${', a_InArea_1'.repeat(10_000)}!`)).toBe(false)
  })

  test('a date must exist', () => {
    for (const text of ['2024-02-29', '1900-02-28', '2000-02-29', '0001-01-01', '9999-12-31'])
      expect([text, isCalendarDate(text)]).toEqual([text, true])
    for (const text of [
      '2023-02-29',
      '1900-02-29',
      '2024-04-31',
      '2024-13-01',
      '2024-00-10',
      '0000-01-01',
      '24-1-1',
      '2024-01-01T00:00',
    ])
      expect([text, isCalendarDate(text), dayText(text)]).toEqual([text, false, text])
  })
})
