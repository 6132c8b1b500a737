// How each question changed from version to version, for its docs.

import { expect, test } from 'bun:test'
import type { VersionQuestion } from '../../../src/domain/questions/question.ts'
import { historySince, questionHistories } from '../../../src/domain/samples/question-history.ts'
import { type DocumentableVersion, versionDocs } from '../../../src/domain/samples/version-docs.ts'

const names = ['pet', 'name', 'age', 'colour', 'name again']

interface Asked {
  name: string
  /** Its key, if not the usual one. */
  key?: string
  kind?: VersionQuestion['kind']
  settings?: Partial<VersionQuestion['settings']>
  optional?: boolean
  screen?: string
}

let versions = 0
function version(...request: Asked[]): DocumentableVersion {
  const questions = request.map(({ name, key = name, kind = 'TEXT', settings }): VersionQuestion => {
    const id = names.indexOf(name) + 1
    const common = { question_id: id, question_version_id: id, enumerator_id: null, admin_name: name, kind }
    return { ...common, question_key: key, settings: { text: `What ${name}?`, ...settings } }
  })
  const screens = Map.groupBy(request, ({ screen = 'pet' }) => screen)
  return {
    program_version_id: ++versions * 10,
    slug: 'logged',
    display_name: 'Logged',
    statuses: [],
    questions,
    screens: [...screens].map(([name, all]) => ({
      name,
      // The condition of a screen that has the name of a question changes in every version.
      visible_when: {
        question_id: questions[0]!.question_id,
        operator: 'equal',
        field: 'text',
        value: String(versions),
      },
      questions: all.map(asked => ({
        question_id: names.indexOf(asked.name) + 1,
        optional: asked.optional ?? false,
        visible_when: null,
      })),
    })),
  }
}

const codesOf = (all: readonly DocumentableVersion[], ...group: string[]) => {
  const [history] = questionHistories(all, [group])
  return history!.changes.map(({ version, program_version_id, code }) => {
    expect(program_version_id).toBe(all[version - 1]!.program_version_id)
    return [version, code]
  })
}

const options = (...ids: string[]) => ids.map(admin_id => ({ admin_id, text: `Option ${admin_id}` }))
const choice = (...ids: string[]): Asked => ({ name: 'colour', kind: 'RADIO', settings: { options: options(...ids) } })

test('each kind of change to a question is in its history, newest version first, and the first version is not', () => {
  const all = [
    version({ name: 'pet' }, choice('red')),
    version({ name: 'pet', settings: { text: 'Which pet?', max_length: 20 } }, choice('red')),
    version({ name: 'pet', settings: { text: 'Which pet?', max_length: 20 }, optional: true }, choice('blue')),
    version({ name: 'name' }, { name: 'pet', settings: { text: 'Which pet?', max_length: 20 }, screen: 'Other' }),
  ]
  expect(codesOf(all, 'pet')).toEqual([
    [4, 'optional_changed'],
    [4, 'question_moved'],
    [3, 'optional_changed'],
    [2, 'text_changed'],
    [2, 'bounds_changed'],
  ])
  expect(codesOf(all, 'colour')).toEqual([
    [4, 'question_removed'],
    [3, 'option_added'],
    [3, 'option_removed'],
  ])
  expect(codesOf(all, 'name')).toEqual([])
  const { questions } = versionDocs(all.at(-1)!, all.slice(0, -1), { timeZone: 'UTC' })
  const lives = questions.map(({ question_key, first_version, last_version, history }) => {
    return [question_key, first_version, last_version, history.changes.length]
  })
  expect(lives).toEqual([
    ['pet', 1, null, 5],
    ['colour', 1, 3, 3],
    ['name', 4, null, 0],
  ])
})

test('a question that returns is compared with the last version that asked it', () => {
  const other: Asked = { name: 'pet' }
  const all = [version(other, choice('red', 'blue')), version(other), version(other), version(other, choice('red'))]
  expect(codesOf(all, 'colour')).toEqual([
    [4, 'question_added'],
    [4, 'option_removed'],
    [2, 'question_removed'],
  ])
})

test('when another question takes over a key, the history of the key continues with its type', () => {
  const all = [
    version({ name: 'pet' }, { name: 'name' }),
    version({ name: 'pet' }, { ...choice('red'), name: 'name again', key: 'name' }),
  ]
  const { questions } = versionDocs(all[1]!, all.slice(0, 1), { timeZone: 'UTC' })
  const { history, ...docs } = questions.find(({ question_key }) => question_key === 'name')!
  expect(docs).toMatchObject({
    asked: true,
    last_version: null,
    screen: 'pet',
    options: [{ id: 'red', retired: false }],
  })
  expect(history.changes.map(({ code, detail }) => [code, detail.includes('SINGLE_SELECT')]).sort()).toEqual([
    ['question_added', true],
    ['question_removed', false],
  ])
})

test('a history has the newest 20 changes of the newest 100 versions, and counts the older ones', () => {
  const all = Array.from({ length: 130 }, (_, i) => version({ name: 'pet', settings: { text: `Text ${i}` } }))
  expect([historySince(1), historySince(100), historySince(130)]).toEqual([1, 1, 31])
  const [history] = questionHistories(all, [['pet']])
  expect(history!.changes.map(change => change.version)).toEqual(Array.from({ length: 20 }, (_, i) => 130 - i))
  expect(history!.earlier).toBe(80)
})
