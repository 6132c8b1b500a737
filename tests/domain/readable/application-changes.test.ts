// What changed between two applications, for people to read.

import { describe, expect, test } from 'bun:test'
import { applicationChanges, changesMax } from '../../../src/domain/readable/application-changes.ts'
import type { ExportedObject } from '../../../src/domain/readable/exported-answers.ts'
import { aVersion } from '../../support/program-version.ts'

const version = aVersion({
  reason: { kind: 'TEXT' },
  child: { kind: 'ENUMERATOR' },
  born: { kind: 'DATE', under: 'child' },
  job: { kind: 'ENUMERATOR', under: 'child' },
  pay: { kind: 'CURRENCY', under: 'job' },
})
const text = (value: string | null) => ({ question_type: 'TEXT', text: value })
const list = (...entities: object[]) => ({ question_type: 'ENUMERATOR', entities })
const born = (date: string | null) => ({ question_type: 'DATE', date })
const pay = (currency_dollars: number) => ({ question_type: 'CURRENCY', currency_dollars })
const child = (entity_name: string, date: string | null, ...jobs: object[]) => ({
  entity_name,
  born: born(date),
  job: list(...jobs),
})

const between = (before: ExportedObject, now: ExportedObject, versions = { before: version, now: version }) =>
  applicationChanges({ version: versions.now, application: now }, { version: versions.before, application: before })
const changesOf = (...given: Parameters<typeof between>) =>
  between(...given).changes.map(({ path, isEntity, before, now }) => [
    path.join(' / ') + (isEntity ? ' (whole)' : ''),
    before.map(line => line.text),
    now.map(line => line.text),
  ])

describe('changes between two applications', () => {
  test('identical applications have no changes', () => {
    const item = { reason: text('a'), child: list(child('Bo', '2020-01-02')) }
    expect(changesOf(item, structuredClone(item))).toEqual([])
  })

  test('are reported at each answer, at every depth', () => {
    expect(
      changesOf(
        { reason: text('a'), child: list(child('Bo', '2020-01-02', { entity_name: 'Bakery', pay: pay(10) })) },
        { reason: text(null), child: list(child('Bo', '2020-01-03', { entity_name: 'Bakery', pay: pay(12.5) })) },
      ),
    ).toEqual([
      ['reason?', ['a'], []],
      ['child? / Bo / born?', ['Jan 2, 2020'], ['Jan 3, 2020']],
      ['child? / Bo / job? / Bakery / pay?', ['$10'], ['$12.50']],
    ])
  })

  test('report a new or removed entity as a whole', () => {
    expect(
      changesOf(
        { reason: text(null), child: list(child('Old', '2001-02-03')) },
        {
          reason: text(null),
          child: list(child('New', null, { entity_name: 'Bakery', pay: pay(10) }, { entity_name: 'Mill' })),
        },
      ),
    ).toEqual([
      ['child? / New (whole)', [], ['New', 'job? Bakery', 'job? pay? $10', 'job? Mill']],
      ['child? / Old (whole)', ['Old', 'born? Feb 3, 2001'], []],
    ])
  })

  test('report a question that only one version asks as new or removed', () => {
    const narrow = aVersion({ reason: { kind: 'TEXT' } })
    const wide = aVersion({ reason: { kind: 'TEXT' }, more: { kind: 'TEXT' } })
    const [less, more] = [
      { reason: text('a'), more: text(null) },
      { reason: text('a'), more: text('b') },
    ]
    expect(changesOf(less, more, { before: narrow, now: wide })).toEqual([['more?', [], ['b']]])
    expect(changesOf(more, less, { before: wide, now: narrow })).toEqual([['more?', ['b'], []]])
  })

  test('show each answer in the words of the version that it was given to', () => {
    const worded = (word: string) => {
      const asked = { kind: 'RADIO' as const, options: ['a', 'b'].map(id => ({ admin_id: id, text: `${word} ${id}` })) }
      return aVersion({ pet: asked, child: { kind: 'ENUMERATOR' }, toy: { ...asked, under: 'child' } })
    }
    const [old, now] = ['a', 'b'].map(selection => {
      const answer = { question_type: 'SINGLE_SELECT', selection }
      return { pet: answer, child: list({ entity_name: 'Bo', toy: answer }) }
    })
    const versions = { before: worded('Old'), now: worded('New') }
    expect(changesOf(old!, now!, versions)).toEqual([
      ['pet?', ['Old a'], ['New b']],
      ['child? / Bo / toy?', ['Old a'], ['New b']],
    ])
  })

  test.each([0, 1, 5])('are limited in number, and the rest is counted: %d more', further => {
    const many = (date: string) => ({
      reason: text(null),
      child: list(...Array.from({ length: changesMax + further }, (_, i) => child(`${i}`, date))),
    })
    const { changes, more } = between(many('2020-01-02'), many('2020-01-03'))
    expect([changes.length, more]).toEqual([changesMax, further > 0])
  })
})
