// Docs that are kept, by the worker or in memory, for readers who see different things: each way to read them, byte for byte as a process
// makes them that has nothing kept.

import { expect, test } from 'bun:test'
import { refreshDocsExample } from '../../../src/core/derived/program-docs.ts'
import { publishDraft } from '../../../src/core/programs/publish.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { aDraft, aProgram, q } from '../../support/programs.ts'
import type { TestService } from '../../support/service.ts'

const slug = 'seen-differently'
const database = await useDatabase()
const { sql } = database
/** All make docs at one time, so that they differ in nothing but what they show. */
const now = () => 1_790_000_000_000_000
const serve = () => useService(database, {}, { now })

const optional = { optional: true }
/** Each version puts something new in the middle; the second one takes something away. */
const versionOf = (version: number) => ({
  slug,
  questions: [
    q.text('plain words', optional),
    ...(version > 1 ? [q.number('zyxone middle', optional)] : []),
    q.radio('zyxone choice', ['zyxone-a', `zyxone-${version}`], optional),
    q.enumerator(
      'pet',
      [
        q.text('pet name', optional),
        ...(version > 2 ? [q.text('pet colour', optional)] : []),
        q.text('zyxtwo chip', optional),
        q.enumerator('visit', [q.text('zyxone note', optional), q.text('zyxtwo price', optional)], optional),
      ],
      optional,
    ),
    ...(version === 1 ? [q.text('zyxtwo retired', optional)] : []),
    q.text('asked on condition', {
      ...optional,
      visible_when: { question: 'zyxone choice', operator: 'answered' },
    }),
  ],
})
const hiddenFrom = {
  one: ['zyxone middle', 'zyxone choice', 'zyxone note'],
  two: ['zyxtwo chip', 'zyxtwo price', 'zyxtwo retired'],
}
await aProgram(sql, versionOf(1))
await aProgram(sql, versionOf(2))
await aDraft(sql, versionOf(3))

const keys = {
  whole: await createTestKey(sql, { programs: [slug] }),
  one: await createTestKey(sql, { programs: [slug], hiddenQuestions: hiddenFrom.one }),
  two: await createTestKey(sql, { programs: [slug], hiddenQuestions: hiddenFrom.two }),
}
type Reader = keyof typeof keys
const readers: Reader[] = ['whole', 'one', 'two']

const program = `/docs/api/programs/${slug}`
const ways: [string, string, string][] = ['text/html', 'application/json'].flatMap(accept => [
  [`index as ${accept}`, '/docs/api/programs', accept],
  [`program as ${accept}`, program, accept],
  ...['active', 'draft'].map((version): [string, string, string] => [
    `${version} version as ${accept}`,
    `${program}/versions/${version}`,
    accept,
  ]),
])
for (const version of ['active', 'draft'])
  for (const file of ['response.schema.json', 'openapi.json'])
    ways.push([`${file} of the ${version} version`, `${program}/versions/${version}/${file}`, 'application/json'])
for (const version of ['active', 'draft'])
  ways.push([`changes to the ${version} version`, `${program}/versions/${version}/changes`, 'text/html'])
ways.push(['part of the schema', `${program}/versions/active/response.schema.json?fields=pet`, 'application/json'])

/** Status and body, but for the address of the service, and when the worker made what it keeps. */
async function read(of: TestService, reader: Reader, path: string, accept: string): Promise<string> {
  const headers = { Authorization: keys[reader].authorization, Accept: accept }
  const response = await of.get(path, { headers })
  // A refusal has the request's own id in it.
  if (response.status !== 200) return String(response.status)
  return (await response.text()).replaceAll('<wbr/>', '').replaceAll(of.baseUrl, 'BASE').replaceAll(madeAt, 'MADE')
}
const madeAt = /"generated_at":"[^"]*"|<time[^>]*>[^<]*<\/time>/g

/** A process that has been up all the time, and one that begins with what the first made in the database. */
const old = await serve()

async function readAll(of: TestService): Promise<Map<string, string>> {
  const all = new Map<string, string>()
  for (const [way, path, accept] of ways)
    for (const reader of readers) all.set(`${way}, for ${reader}`, await read(of, reader, path, accept))
  return all
}

/** Each answer has what its reader may see, and nothing of what is hidden. */
function checkMarks(all: ReadonlyMap<string, string>): void {
  const mayHave = { whole: ['zyxone', 'zyxtwo'], one: ['zyxtwo'], two: ['zyxone'] }
  for (const [way, text] of all) {
    if (text === '404') continue
    const found = ['zyxone', 'zyxtwo'].filter(mark => text.toLowerCase().includes(mark))
    expect([way, found]).toEqual([way, mayHave[way.slice(way.lastIndexOf(' ') + 1) as Reader]])
  }
}

async function differing(of: TestService, truth: ReadonlyMap<string, string>): Promise<string[]> {
  const shown = await readAll(of)
  return [...truth].filter(([way, text]) => shown.get(way) !== text).map(([way]) => way)
}

/** One after the other, each from the state that the one before leaves. */
const changes: [string, () => Promise<unknown>][] = [
  ['of an active version and a draft', async () => {}],
  ['after the draft was published', async () => publishDraft(sql, slug, 'admin:test')],
  ['after another draft was saved', async () => aDraft(sql, versionOf(4))],
  ['after that was saved differently', async () => aDraft(sql, versionOf(2))],
  [
    'after a publication from which questions are gone',
    async () => aProgram(sql, { slug, questions: [q.text('plain words', optional)] }),
  ],
]

test('docs are the same, stored or generated, in every form, for every reader, after each change of a program', async () => {
  for (const [state, change] of changes) {
    await change()
    await sql`delete from docs_example`
    const truth = await readAll(await serve())
    checkMarks(truth)
    expect(truth.size).toBe(15 * 3)
    expect([state, await differing(old, truth)]).toEqual([state, []])
    const versions = await sql<{ program_version_id: number }[]>`select program_version_id from program_version`
    for (const { program_version_id } of versions) await refreshDocsExample(sql, program_version_id, old.config)
    const young = await serve()
    for (const of of [old, young, old, young]) expect([state, await differing(of, truth)]).toEqual([state, []])
  }
}, 240_000)
