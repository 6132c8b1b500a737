// Screens of a followed program and when they are shown, as far as programs here can express it; the rest is reported.

import { describe, expect, test } from 'bun:test'
import { readFindings } from '../../src/civiform/db/follow-state.ts'
import { KeyMaps } from '../../src/core/derived/program-key-map.ts'
import type { Sql } from '../../src/db/client.ts'
import type { Screen } from '../../src/domain/questions/program-version.ts'
import { useFollowing } from '../support/civiform/following.ts'
import type { SimulatedQuestion } from '../support/civiform/simulated-civiform.ts'

const program = 'rent relief'

/** The only active version there is: its screens, and the questions kept here by their names. */
async function readActiveVersion(sql: Sql): Promise<{ screens: Screen[]; idOf: (name: string) => number }> {
  const [version] = await sql<{ screens: Screen[] }[]>`
    select screens from program_version v join program p using (program_id) where state = 'ACTIVE' order by program_id`
  const rows = await sql<{ name: string; id: number }[]>`select admin_name as name, question_id as id from question`
  const ids = new Map(rows.map(row => [row.name, row.id]))
  return { screens: version!.screens, idOf: name => ids.get(name)! }
}

/** A leaf of a predicate as CiviForm stores it: the value is a text of JSON. */
const leaf = (questionId: number | undefined, scalar: string, operator: string, value: unknown) => ({
  node: { type: 'leaf', questionId, scalar, operator, value: { type: 'STRING', value: JSON.stringify(value) } },
})
const both = (kind: 'and' | 'or', ...children: object[]) => ({ node: { type: kind, children } })
const asked = (
  name: string,
  type: string,
  action: string,
  root: (idOf: (name: string) => number | undefined) => object,
  more: object = {},
): SimulatedQuestion => ({
  name,
  type,
  block: idOf => ({ hidePredicate: { action, rootNode: root(idOf) }, ...more }),
})

test('in the profile origin, a cached view gets the questions of the current draft', async () => {
  const { civiform, sql, catchUp } = await useFollowing()
  await civiform.publish({ [program]: ['job', 'pay'].map(name => ({ name, type: 'TEXT' })) })
  await catchUp()
  const [published] = await sql<{ program_id: number; published_at: number }[]>`
    select program_id, published_at from program_version where state = 'ACTIVE'`
  const { program_id, published_at } = published!
  const [pay] = await sql<{ question_id: number }[]>`select question_id from question where admin_name = 'pay'`
  const keyMaps = new KeyMaps(10, 'origin')
  const seen = async () => {
    const view = { hidden: new Set([pay!.question_id]), chosen: undefined }
    return (await keyMaps.loadVisible(sql, program_id, published_at, view)).keyMap.map(node => node.question_key)
  }
  expect(await seen()).toEqual(['job'])
  await civiform.saveDraft(
    program,
    ['job', 'pay', 'pets'].map(name => ({ name, type: 'TEXT' })),
  )
  await catchUp()
  expect(await seen()).toEqual(['job', 'pets'])
})

describe('a block with a condition', () => {
  test('is a screen with that condition, in the values of the export: option names, dollars and days', async () => {
    const { civiform, sql, catchUp } = await useFollowing()
    await civiform.publish({
      [program]: [
        { name: 'housing', type: 'DROPDOWN', options: [[1, 'rent'], [2, 'own']] },
        { name: 'needs', type: 'CHECKBOX', options: [[7, 'food'], [8, 'heat']] },
        { name: 'income', type: 'CURRENCY' },
        { name: 'move in', type: 'DATE' },
        asked('landlord', 'TEXT', 'SHOW_BLOCK', idOf => leaf(idOf('housing'), 'SELECTION', 'IN', ['1'])),
        asked('mortgage', 'TEXT', 'HIDE_BLOCK', idOf => leaf(idOf('housing'), 'SELECTION', 'NOT_IN', ['2'])),
        asked('bills', 'TEXT', 'SHOW_BLOCK', idOf =>
          both(
            'or',
            leaf(idOf('needs'), 'SELECTIONS', 'ANY_OF', ['8']),
            both(
              'and',
              leaf(idOf('income'), 'CURRENCY_CENTS', 'LESS_THAN', 150_050),
              leaf(idOf('move in'), 'DATE', 'IS_ON_OR_AFTER', 951_782_400_000),
            ),
          ),
        ),
      ],
    }) // biome-ignore format: one question a line
    await catchUp()
    const { idOf, screens } = await readActiveVersion(sql)
    expect(screens.map(screen => screen.visible_when)).toEqual([
      null,
      null,
      null,
      null,
      { question_id: idOf('housing'), field: 'selection', operator: 'in', value: ['rent'] },
      { not: { not: { question_id: idOf('housing'), field: 'selection', operator: 'in', value: ['own'] } } },
      {
        any: [
          { question_id: idOf('needs'), field: 'selections', operator: 'includes_any', value: ['heat'] },
          {
            all: [
              { question_id: idOf('income'), field: 'currency_dollars', operator: 'less_than', value: 1500.5 },
              { question_id: idOf('move in'), field: 'date', operator: 'greater_than_or_equal', value: '2000-02-29' },
            ],
          },
        ],
      },
    ])
    expect(await readFindings(sql)).toEqual([])
    // Read again, it is the same: nothing is rendered again for it.
    await civiform.publish({ 'food help': [{ name: 'job', type: 'TEXT' }] })
    await catchUp()
    expect((await readActiveVersion(sql)).screens).toEqual(screens)
  })

  test('is always shown, and reported, if programs here cannot express its condition or it decides eligibility', async () => {
    const { civiform, sql, catchUp } = await useFollowing()
    const odd = (name: string, node: unknown, action = 'SHOW_BLOCK'): SimulatedQuestion =>
      asked(name, 'TEXT', action, () => ({ node }))
    await civiform.publish({
      [program]: [
        { name: 'home', type: 'ADDRESS' },
        odd('area', { type: 'leafAddressServiceArea', questionId: 1, serviceAreaId: 'north' }),
        asked('kin', 'TEXT', 'SHOW_BLOCK', idOf => leaf(idOf('home'), 'LATITUDE', 'LESS_THAN', 1)),
        asked('day', 'TEXT', 'SHOW_BLOCK', idOf => leaf(idOf('home'), 'DATE', 'IS_BEFORE', 'soon')),
        odd('elsewhere', { type: 'leaf', questionId: 999_999, scalar: 'TEXT', operator: 'EQUAL_TO', value: {} }),
        odd('acts', both('and').node, 'ELIGIBLE_BLOCK'),
        odd('broken', 'x'),
        { name: 'eligible', type: 'TEXT', block: () => ({ eligibilityDefinition: { predicate: {} } }) },
      ],
    })
    await catchUp()
    const { screens } = await readActiveVersion(sql)
    expect(screens.map(screen => screen.visible_when)).toEqual(Array.from({ length: 8 }, () => null))
    const reported = (await readFindings(sql)).map(({ kind, subject, detail }) => [
      kind,
      subject.split(', ')[1],
      detail,
    ])
    expect(reported).toEqual(
      [
        ['Screen 2', /"leafAddressServiceArea"/],
        ['Screen 3', /\bLATITUDE\b.*"home".*\bLESS_THAN\b/],
        ['Screen 4', /"home".*\bsoon\b/],
        ['Screen 5', /\b999999\b/],
        ['Screen 6', /"ELIGIBLE_BLOCK"/],
        ['Screen 7', /"undefined"/],
        // Its eligibility condition.
        ['Screen 8', /^[^"\d]+$/],
      ].map(([screen, why]) => ['condition', screen, expect.stringMatching(why!)]),
    )
  })
})
