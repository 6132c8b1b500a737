// An application for people to read: in the questions' words, nothing left out, nothing shown that was not asked.

import { describe, expect, test } from 'bun:test'
import type { ExportedObject } from '../../../src/domain/readable/exported-answers.ts'
import {
  applicantInList,
  type ReadableRow,
  readableApplication,
  rowsMax,
} from '../../../src/domain/readable/readable-application.ts'
import { aVersion, options } from '../../support/program-version.ts'

const version = aVersion(
  {
    notice: { kind: 'STATIC' },
    name: { kind: 'NAME' },
    tenure: { kind: 'RADIO', options: [{ admin_id: 'rent', text: 'Renting' }] },
    landlord: { kind: 'TEXT', when: { question_id: 3, operator: 'equal', field: 'selection', value: 'rent' } },
    child: { kind: 'ENUMERATOR' },
    school: { kind: 'RADIO', under: 'child', options: options('yes', 'no') },
    grade: {
      kind: 'NUMBER',
      under: 'child',
      when: { question_id: 6, operator: 'equal', field: 'selection', value: 'yes' },
    },
    pet: { kind: 'TEXT', under: 'child', unplaced: true },
    last: { kind: 'TEXT' },
    unplaced: { kind: 'TEXT', unplaced: true },
  },
  [
    { questions: ['notice', 'name', 'tenure', 'landlord', 'child', 'school', 'grade'] },
    { when: { not: { question_id: 3, operator: 'answered' } }, questions: ['last'] },
  ],
)
const text = (value: string | null) => ({ question_type: 'TEXT', text: value })
const single = (selection: string | null) => ({ question_type: 'SINGLE_SELECT', selection })
const number = (value: number | null) => ({ question_type: 'NUMBER', number: value })
const ada = { question_type: 'NAME', first_name: 'Ada', middle_name: null, last_name: 'King', suffix: null }
const children = (...entities: object[]) => ({ question_type: 'ENUMERATOR', entities })
const application = (more: Record<string, unknown> = {}): ExportedObject => ({
  name: ada,
  tenure: single('gone_by'),
  landlord: text(null),
  child: children(),
  last: text(null),
  unplaced: text(null),
  from_another_version: text(null),
  ...more,
})
const rowsOf = (now: ExportedObject, before?: ExportedObject): Record<string, ReadableRow> =>
  Object.fromEntries(
    readableApplication(version, now, before).screens.flatMap(({ rows }) => rows.map(row => [row.question_key, row])),
  )

describe('an application for people', () => {
  test('has the screens of its version in order without static text, and questions on no screen at the end', () => {
    const { screens, applicant, cut } = readableApplication(version, application())
    expect(screens.map(({ name, rows }) => [name, rows.map(row => row.text)])).toEqual([
      ['Screen 1', ['name?', 'tenure?', 'landlord?', 'child?']],
      ['Screen 2', []],
      [undefined, ['unplaced?']],
    ])
    expect([applicant, cut]).toEqual(['Ada King', false])
  })

  test('distinguishes questions hidden by a condition from unanswered ones, with the reason', () => {
    const rows = rowsOf(application())
    expect(rows.landlord!.answer).toEqual({ state: 'not_asked', when: '“tenure?” is “Renting”' })
    expect(rowsOf(application({ tenure: single('rent') })).landlord!.answer).toEqual({ state: 'unanswered' })
    expect(readableApplication(version, application()).screens[1]!.notAsked).toBe('not (“tenure?” was answered)')
    expect(readableApplication(version, application({ tenure: single(null) })).screens[1]!.notAsked).toBeUndefined()
  })

  test('shows an answer even if its condition does not hold, as loaded applications may have it', () => {
    expect(rowsOf(application({ landlord: text('Mo') })).landlord!.answer).toEqual({
      state: 'answered',
      lines: [{ text: 'Mo' }],
    })
    expect(rowsOf(application({ last: text('Mo') })).last!.answer).toEqual({
      state: 'answered',
      lines: [{ text: 'Mo' }],
    })
  })

  test('shows options by label, and a removed option by its ID', () => {
    expect(rowsOf(application({ tenure: single('rent') })).tenure!.answer).toEqual({
      state: 'answered',
      lines: [{ text: 'Renting' }],
    })
    expect(rowsOf(application()).tenure!.answer).toEqual({ state: 'answered', lines: [{ text: 'gone_by' }] })
  })

  test('decides for each entity by its own answers what was not asked', () => {
    const { answer } = rowsOf(
      application({
        child: children(
          { entity_name: 'Bo', school: single('yes'), grade: number(3) },
          { entity_name: 'Cy', school: single('no'), grade: number(null) },
          { entity_name: 'Di', school: single('yes'), grade: number(null) },
        ),
      }),
    ).child!
    if (answer.state !== 'entities') throw new Error(answer.state)
    expect(answer.entities.map(({ name, change, rows }) => [name, change, rows.map(row => row.answer.state)])).toEqual([
      ['Bo', undefined, ['answered', 'answered', 'unanswered']],
      ['Cy', undefined, ['answered', 'not_asked', 'unanswered']],
      ['Di', undefined, ['answered', 'unanswered', 'unanswered']],
    ])
  })

  test('shows values of an unknown form as they are exported', () => {
    const odd = { question_type: 'NUMBER', number: 'many' }
    const strange = application({
      unplaced: { question_type: 'TEXT', words: 'x' },
      child: children({ entity_name: 'Bo', school: single(null), grade: odd }),
    })
    expect(rowsOf(strange).unplaced!.answer).toEqual({
      state: 'answered',
      lines: [{ text: '{"question_type":"TEXT","words":"x"}', look: 'code' }],
    })
    expect(JSON.stringify(rowsOf(strange).child)).toContain(JSON.stringify(JSON.stringify(odd)).slice(1, -1))
  })

  test('allows a key named like a member of every object', () => {
    const proto = aVersion({ '  proto  ': { kind: 'TEXT' }, constructor: { kind: 'TEXT' as const } })
    const object = JSON.parse('{"__proto__":{"question_type":"TEXT","text":"mine"}}') as ExportedObject
    const [first, second] = readableApplication(proto, object).screens[0]!.rows
    expect(first!.answer).toEqual({ state: 'answered', lines: [{ text: 'mine' }] })
    expect(second!.answer).toEqual({ state: 'unanswered' })
  })

  test('in a list has the first name that was answered, or an email address, or a phone number', () => {
    const kinds = { alias: 'NAME', name: 'NAME', phone: 'PHONE', mail: 'EMAIL' } as const
    const listed = aVersion(Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, { kind }])))
    const phone = { question_type: 'PHONE', phone_number: '+12065550100' }
    const both = { name: ada, phone, mail: { question_type: 'EMAIL', email: 'ada@example.org' } }
    expect(applicantInList(listed, both)).toEqual({
      name: 'Ada King',
      email: 'ada@example.org',
      phone: '+1 206 555 0100',
    })
    expect(applicantInList(listed, { phone })).toEqual({ name: undefined, email: undefined, phone: '+1 206 555 0100' })
  })

  test('is limited in rows, and says so', () => {
    const many = application({
      child: children(
        ...Array.from({ length: rowsMax }, (_, i) => ({
          entity_name: `${i}`,
          school: single('no'),
          grade: number(null),
        })),
      ),
    })
    const { screens, cut } = readableApplication(version, many)
    expect(cut).toBe(true)
    const count = (rows: readonly ReadableRow[]): number =>
      rows.reduce(
        (sum, { answer }) =>
          sum + 1 + (answer.state === 'entities' ? answer.entities.reduce((n, { rows }) => n + 1 + count(rows), 0) : 0),
        0,
      )
    expect(screens.reduce((sum, { rows }) => sum + count(rows), 0)).toBe(rowsMax)
  })
})

describe('against the application before', () => {
  const changes = (now: ExportedObject, before: ExportedObject) =>
    Object.fromEntries(
      Object.entries(rowsOf(now, before))
        .map(([key, row]) => [key, row.change])
        .filter(([, change]) => change !== undefined),
    )

  test('marks exactly the new, changed and removed answers', () => {
    const before = application({ landlord: text('Mo'), unplaced: text('old') })
    expect(changes(application({ unplaced: text('new'), last: text('said') }), before)).toEqual({
      landlord: 'gone',
      unplaced: 'changed',
      last: 'new',
    })
    expect(changes(application(), application())).toEqual({})
    const more = application({ unplaced: { ...text('old'), more: 1 } })
    expect(changes(application({ unplaced: text('old') }), more)).toEqual({ unplaced: 'changed' })
    expect(Object.values(rowsOf(application())).every(row => row.change === undefined)).toBe(true)
  })

  test('does not count the order of members, which depends on the version', () => {
    const bo = { entity_name: 'Bo', school: single('no'), grade: number(null) }
    const turned = { grade: number(null), school: single('no'), entity_name: 'Bo' }
    expect(changes(application({ child: children(bo) }), application({ child: children(turned) }))).toEqual({})
  })

  test('matches entities by name, and those of one name in order', () => {
    const child = (entity_name: string, grade: number) => ({
      entity_name,
      school: single('yes'),
      grade: number(grade),
    })
    const now = application({ child: children(child('Bo', 1), child('Bo', 3), child('New', 9)) })
    const before = application({ child: children(child('Old', 7), child('Bo', 1), child('Bo', 2)) })
    const { answer } = rowsOf(now, before).child!
    if (answer.state !== 'entities') throw new Error(answer.state)
    expect(answer.entities.map(({ name, change, rows }) => [name, change, rows.map(row => row.change)])).toEqual([
      ['Bo', undefined, [undefined, undefined, undefined]],
      ['Bo', undefined, [undefined, 'changed', undefined]],
      ['New', 'new', [undefined, undefined, undefined]],
    ])
    expect(answer.gone).toEqual(['Old'])
    const none = rowsOf(application(), before).child!
    expect(none).toMatchObject({
      answer: { state: 'entities', entities: [], gone: ['Old', 'Bo', 'Bo'] },
      change: 'gone',
    })
  })
})
