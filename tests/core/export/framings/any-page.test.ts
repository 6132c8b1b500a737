// Several applications to several versions of a program on one page, in each format, for any view of the questions, in buffers of any size:
// where a buffer ends, and which applications come before, changes nothing of what each has on a page of its own. That is what the plain
// renderer makes of it.

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { framingOfChanges } from '../../../../src/core/export/changes/feed-framings.ts'
import { type ExportFormat, exportFormats, framingOf } from '../../../../src/core/export/framings/all-framings.ts'
import type { PageFraming } from '../../../../src/core/export/framings/page-framing.ts'
import { feedFraming } from '../../../../src/core/export/odata/feed-page.ts'
import { feedTables } from '../../../../src/core/export/odata/feed-tables.ts'
import { PagePacker } from '../../../../src/core/export/pages/pack-page.ts'
import { PageOutlet } from '../../../../src/core/export/pages/page-outlet.ts'
import { Exports, PageBuffers } from '../../../../src/core/export/servers/exports.ts'
import { renderAnnotations, renderSnapshot } from '../../../../src/domain/questions/application.ts'
import { buildKeyMap } from '../../../../src/domain/questions/key-map.ts'
import { type QuestionView, visiblePart, visibleShape } from '../../../../src/domain/questions/question-view.ts'
import { planFill } from '../../../../src/domain/questions/version-fill.ts'
import { anyView, idsOf } from '../../../support/arbitraries.ts'
import { readCsvPage } from '../../../support/csv-page.ts'
import type { ExportedApplication } from '../../../support/export-client.ts'
import { formats, tables } from '../../../support/page-formats.ts'
import { plainApplication } from '../../../support/plain-renderer.ts'
import { storedRow } from '../../../support/stored-row.ts'
import { type StoredScenario, storedScenarios } from '../../../support/stored-scenarios.ts'
import { limits, planOf, Reader } from '../page-reader.ts'

const wholeView: QuestionView = { hidden: new Set(), chosen: undefined }
const zone = 'America/Los_Angeles'

/** As in what is copied from elsewhere, where an entity may have no name: here none has one that is short. */
const withNameless = (text: string): string =>
  text.replaceAll(/\{"entity_name":"(?:[^"\\]|\\.){1,9}"/gu, '{"entity_name":null')

/** What a view shows of a program, as `core/derived/program-key-map` makes it. */
function questionsOf({ versions }: StoredScenario, view: QuestionView) {
  const stored = new Map(versions.map(version => [version.program_version_id, buildKeyMap([version])]))
  const keyMap = visiblePart(buildKeyMap(versions), view)
  const shapes = new Map([...stored].map(([id, shape]) => [id, visibleShape(shape, keyMap)]))
  const fills = new Map([...shapes].map(([id, shape]) => [id, planFill(keyMap, shape)]))
  return { keyMap, shapes, fills, ...(view !== wholeView && { stored }) }
}

type Questions = ReturnType<typeof questionsOf>

/** How a page is written: how long its buffers are, and after which application a client that took nothing has the cursor released. */
interface Manner {
  bytes: number
  releasedAfter?: number
}
const amply: Manner = { bytes: 1024 * 1024 }

/** A page of these applications. Nothing is read for it: the rows are handed over as a cursor hands them. */
async function written(of: readonly StoredScenario[], { fills }: Questions, framing: PageFraming, manner: Manner) {
  const taken = Promise.withResolvers<boolean>()
  const [reader, buffers] = [new Reader(write => write > 1 || taken.promise), new PageBuffers(manner.bytes, 4)]
  const plan = planOf({ program_id: 1 } as never, 1, of.length)
  const outlet = new PageOutlet(reader, buffers, undefined, framing.isDigested)
  const exports = new Exports(undefined as never, 1)
  const packer = new PagePacker({ plan, fills, framing, limits, exports, buffers }, outlet)
  for (let i = 0; i < of.length; i++) {
    const { shape, submission, annotations, isCurrent } = of[i]!
    const snapshot = withNameless(renderSnapshot(submission, shape, zone))
    const row = storedRow(snapshot, renderAnnotations(annotations, zone), isCurrent)
    packer.take({ ...row, programVersionId: submission.program_version_id, submitTime: 0, submitSeq: i + 1 })
    if (i !== manner.releasedAfter) continue
    await packer.catchUp(0, () => 0)
    taken.resolve(true)
    await outlet.settle(60_000)
    // The next cursor begins after what was handed over.
    i = packer.applications - 1
  }
  packer.finish('next')
  taken.resolve(true)
  await outlet.settle(60_000)
  expect(buffers.inUse).toBe(0)
  return reader.text
}

type Rows = (of: readonly StoredScenario[], questions: Questions, manner: Manner) => Promise<unknown[]>

/** A page of applications, and its rows as a client has them. */
const rowsIn =
  (format: ExportFormat): Rows =>
  async (of, questions, manner) => {
    const text = await written(of, questions, framingOf(format, questions), manner)
    const announced = new Headers({ 'Application-Count': String(of.length), 'Next-Page-Token': 'next' })
    return formats[format].read(text, announced).items
  }

/** Of each format, of CSV with its apostrophes, and of the change feed. */
const allRows: Record<string, Rows> = {
  ...Object.fromEntries(exportFormats.map(format => [format, rowsIn(format)])),
  'csv as it is': async (of, questions, manner) =>
    readCsvPage(await written(of, questions, framingOf('csv', questions), manner)).records,
  changes: async (of, questions, manner) => {
    const payload = of.map(() => ({ change: 1, kind: 'submitted' as const, application_id: 1, time: null }))
    const page = { payload, nextCursor: '', hasMore: false, snapshotTime: '', changeCursor: '', questionsAsOf: null }
    return JSON.parse(await written(of, questions, framingOfChanges('json', page, questions), manner)).payload
  },
}

/** All rows of a table of the feed, or the first so many, and what the link to the following page asks for. */
async function ofTable(of: readonly StoredScenario[], questions: Questions, at: number, manner: Manner, top?: number) {
  const table = feedTables(questions.keyMap)[at]!
  const linkTo = (token: string, left: number | undefined): string => `${token} ${left}`
  const page = { table, columns: table.columns, rowsMax: top, context: '', count: undefined, linkTo }
  const text = await written(of, questions, feedFraming(page, questions), manner)
  return JSON.parse(text) as { value: unknown[]; '@odata.nextLink'?: string }
}

async function expectAlike(of: readonly StoredScenario[], view: QuestionView, manner: Manner, top: number) {
  const alone = async (rows: Rows) =>
    (await Promise.all(of.map(scenario => rows([scenario], questionsOf(scenario, view), amply)))).flat()
  const questions = questionsOf(of[0]!, view)
  for (const rows of Object.values(allRows)) expect(await rows(of, questions, manner)).toEqual(await alone(rows))
  for (const [at, { name }] of feedTables(questions.keyMap).entries()) {
    const expected = await alone(async (item, own) => (await ofTable(item, own, at, amply)).value)
    const whole = await ofTable(of, questions, at, manner)
    expect([name, whole.value, whole['@odata.nextLink']]).toEqual([name, expected, 'next undefined'])
    const first = await ofTable(of, questions, at, manner, top)
    const left = top - expected.length
    const link = left > 0 ? `next ${left}` : undefined
    expect([name, first.value, first['@odata.nextLink']]).toEqual([name, expected.slice(0, top), link])
  }
}

const viewed = storedScenarios.chain(applications => {
  const view = anyView(idsOf(buildKeyMap(applications[0]!.versions)))
  return fc.record({ applications: fc.constant(applications), view: fc.option(view, { nil: wholeView }) })
})

test('a page of any applications is byte for byte the plain renderer’s with JSON.stringify, and its applications are in every format', async () => {
  await fc.assert(
    fc.asyncProperty(storedScenarios, fc.integer({ min: 1, max: 4000 }), async (applications, bytes) => {
      const questions = questionsOf(applications[0]!, wholeView)
      const payload = applications.map(({ submission, annotations, isCurrent }) =>
        plainApplication(submission, annotations, isCurrent ? 'CURRENT' : 'OBSOLETE', questions.keyMap, zone),
      )
      const text = await written(applications, questions, framingOf('json', questions), { bytes })
      const plain = JSON.parse(withNameless(JSON.stringify({ payload, nextPageToken: 'next' })))
      expect(JSON.parse(text)).toEqual(plain)
      expect(JSON.stringify(JSON.parse(text)) === text).toBe(true)
      const exported = plain.payload as ExportedApplication[]
      for (const format of exportFormats)
        expect(await rowsIn(format)(applications, questions, { bytes })).toEqual(exported.map(formats[format].itemOf))
    }),
    { numRuns: 500 },
  )
})

test('G15, G16: in every format and view, a page of several applications has the same of each as a page of it alone, wherever buffers end and cursors are released', async () => {
  const manner = fc.record({ bytes: fc.integer({ min: 1, max: 4000 }), releasedAfter: fc.nat(8) })
  await fc.assert(
    fc.asyncProperty(viewed, manner, fc.nat(8), ({ applications, view }, manner, top) =>
      expectAlike(applications, view, manner, top),
    ),
  )
})

test('a buffer may end at any byte of a page, including exactly after a row', async () => {
  const pairs = fc.sample(storedScenarios, 200).filter(of => of.length === 2)
  const [applications] = pairs.toSorted((a, b) => Bun.inspect(a).length - Bun.inspect(b).length) as [StoredScenario[]]
  const questions = questionsOf(applications[0]!, wholeView)
  const all = {
    ...allRows,
    feed: async (of: readonly StoredScenario[], _: Questions, manner: Manner) =>
      (await ofTable(of, questions, 0, manner)).value,
  }
  for (const [format, rows] of Object.entries(all)) {
    const expected = JSON.stringify(await rows(applications, questions, amply))
    for (let bytes = 1; bytes < expected.length; bytes++)
      if (JSON.stringify(await rows(applications, questions, { bytes })) !== expected)
        throw new Error(`${format} with buffers of ${bytes} bytes`)
  }
})

test('a list that is longer in tables and in the feed than in JSON is complete, with buffers of any size', async () => {
  const selections = [';'.repeat(30_000), '\\'.repeat(30_000)]
  const question = { question_id: 1, question_version_id: 1, admin_name: 'where', question_key: 'where' }
  const map = { ...question, kind: 'MAP' as const, enumerator_id: null, settings: { text: 'q' } }
  const versions = [{ program_version_id: 50, questions: [map] }]
  const [sample] = fc.sample(storedScenarios, 1)[0]!
  const submission = { ...sample!.submission, program_version_id: 50, answers: new Map([['where', { type: 'MAP' as const, selections }]]) }
  const item = [{ ...sample!, versions, shape: buildKeyMap(versions), submission }]
  const questions = questionsOf(item[0]!, wholeView)
  const list = selections.map(id => id.replaceAll(/[\\;]/g, '\\$&')).join(';')
  for (const { bytes } of [{ bytes: 1 }, amply]) {
    for (const format of tables)
      expect(await rowsIn(format)(item, questions, { bytes })).toEqual([expect.objectContaining({ 'where.selections': list })])
    const { value } = await ofTable(item, questions, 0, { bytes })
    expect(value).toEqual([expect.objectContaining({ where__selections: list })])
  }
}) // biome-ignore format: side by side
