// What a comparison with CiviForm's own export counts as a difference, in the profile `contract`.

import { describe, expect, test } from 'bun:test'
import {
  differences,
  type Exported,
  isDeliberate,
  summarize,
} from '../../src/civiform/following/compare-applications.ts'

const expected = { slug: 'rent-relief', byApplicant: true, primaryKeys: new Set(['applicant_name']) }
const inAnswer = (key: string, answer: Exported | undefined): Exported => ({
  application: answer === undefined ? {} : { [key]: answer },
})
const left = (theirs: Exported, ours: Exported): string[] =>
  differences(theirs, ours)
    .filter(difference => !isDeliberate(difference, expected))
    .map(difference => difference.place)

const name = (first_name: string | null, suffix: string | null) => ({ question_type: 'NAME', first_name, suffix })
const file = (urls: string[], key?: string | null) => ({
  question_type: 'FILE_UPLOAD',
  ...(key === undefined ? {} : { file_key: key }),
  file_urls: urls,
})
const pets = (...entities: Exported[]) => ({ question_type: 'ENUMERATOR', entities })
const none = { question_type: 'TEXT', text: null }

describe('the profile contract', () => {
  test.each<[string, Exported, Exported]>([
    ['program_name', { program_name: 'Rent relief' }, { program_name: 'rent-relief' }],
    ['the organization of an applicant', { ti_organization: 'Helpers' }, { ti_organization: null }],
    ['file_key', inAnswer('file', file(['a'])), inAnswer('file', file(['a'], 'a'))],
    ['a single old file key', inAnswer('file', file([])), inAnswer('file', file(['a'], 'a'))],
    ['suffix', inAnswer('name', name('A', 'Jr.')), inAnswer('name', name('A', 'JR'))],
    [
      'the record of the applicant',
      inAnswer('applicant_name', name('A', null)),
      inAnswer('applicant_name', name(null, null)),
    ],
    ['a question of a draft', inAnswer('new', none), inAnswer('new', undefined)],
    ['a question of another version', inAnswer('pets', pets({})), inAnswer('pets', pets({ food: none }))],
    [
      'an old service area',
      inAnswer('home', { question_type: 'ADDRESS', service_area: null }),
      inAnswer('home', { question_type: 'ADDRESS', service_area: 'seattle_InArea' }),
    ],
    [
      'selections of a map',
      inAnswer('map', { question_type: 'MAP', selections: ['b'] }),
      inAnswer('map', { question_type: 'MAP', selections: [] }),
    ],
  ])('%s is a deliberate difference', (_, theirs, ours) => {
    expect(differences(theirs, ours).length).toBeGreaterThan(0)
    expect(left(theirs, ours)).toEqual([])
  })

  test.each<[string, Exported, Exported]>([
    ['another program', { program_name: 'Rent relief' }, { program_name: 'bus' }],
    ['a lost answer', inAnswer('job', { question_type: 'TEXT', text: 'x' }), inAnswer('job', none)],
    ['a lost name', inAnswer('other_name', name('A', null)), inAnswer('other_name', name(null, null))],
    ['a lost file', inAnswer('file', file(['a'])), inAnswer('file', file([], null))],
    ['a different file', inAnswer('file', file(['a'])), inAnswer('file', file(['b'], 'b'))],
    ['a lost question', inAnswer('job', { question_type: 'TEXT', text: 'x' }), inAnswer('job', undefined)],
    [
      'an answer in an entity',
      inAnswer('pets', pets({})),
      inAnswer('pets', pets({ food: { question_type: 'TEXT', text: 'x' } })),
    ],
    ['another suffix', inAnswer('name', name('A', 'Jr.')), inAnswer('name', name('A', 'SR'))],
  ])('%s is not a deliberate difference', (_, theirs, ours) => {
    expect(left(theirs, ours)).not.toEqual([])
  })

  test('a lost organization of an intermediary is not a deliberate difference', () => {
    const [lost] = differences({ ti_organization: 'Helpers' }, { ti_organization: null })
    expect(isDeliberate(lost!, { ...expected, byApplicant: false })).toBe(false)
  })
})

test('a place counts each application that differs there once, even if several items of its lists differ', () => {
  const places = (...of: string[]) => of.map(place => ({ place, theirs: 1, ours: 2 }))
  const found = [
    { application_id: 7, differences: places('a[0].b', 'a[1].b', 'c') },
    { application_id: 8, differences: places('a[0].b', 'a[1].b') },
  ]
  expect(summarize(found)).toEqual([
    { place: 'a[].b', applications: 2, example: 7, theirs: 1, ours: 2 },
    { place: 'c', applications: 1, example: 7, theirs: 1, ours: 2 },
  ])
})
