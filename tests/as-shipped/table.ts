// The table: one row for each thing that a client can get of a program. Every row is crossed with the formats and codings that it has and
// with what may be seen, and each cell is compared with what is true, value by value. A new way to read is a row of `ways`; a new format of
// pages joins those that have formats; a new output of `tributary pull`, of `outputs`; a new view, of `views` in `truth.ts`.

import { beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { TributaryClient } from '../../src/clients/client/tributary-client.ts'
import { changesFormats } from '../../src/core/export/changes/feed-framings.ts'
import { acceptedFormats, type ExportFormat, exportFormats } from '../../src/core/export/framings/all-framings.ts'
import type { Sql } from '../../src/db/client.ts'
import type { ExportedApplication } from '../support/export-client.ts'
import { createTestKey, type TestKey } from '../support/keys.ts'
import { lineEnds } from '../support/ndjson-page.ts'
import { asPulled, walkFeed } from '../support/odata-feed.ts'
import { type Format, formats } from '../support/page-formats.ts'
import { schemaErrors } from '../support/response-schema.ts'
import { callTool, runTool } from '../support/tributary-tool.ts'
import { documentedPaths, schemaPaths } from './documented-paths.ts'
import { expectedTables, outputs, type Tables } from './pulled-tables.ts'
import { expectedApplications, pathsOf, seenQuestions, type Truth, type View, type ViewName, views } from './truth.ts'

/** An installation in which everything has happened and is kept. */
export interface Shipped {
  /** As the owner of its database: for keys. */
  sql: Sql
  /** Where its processes are, the one that was started last at the end: requests go to each in turn, so that a walk goes through all of them. */
  processes: readonly string[]
  truth: Truth
}

const codings = {
  identity: (body: Buffer) => body,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
} as const satisfies Record<string, (body: Buffer) => Buffer>
type Coding = keyof typeof codings
const allCodings = Object.keys(codings) as Coding[]

interface Cell {
  shipped: Shipped
  /** Those that are asked, the first of them first. */
  processes: readonly string[]
  view: View
  /** What the view makes of the truth. */
  applications: readonly ExportedApplication[]
  format: Format
  coding: Coding
  output: string
  key: TestKey
  /** Asks one of the processes, which must answer with 200 and in this coding if in any. */
  ask(path: string, accept?: string, prefer?: string): Promise<{ text: string; head: Headers; coded: boolean }>
  /** `fields=…` of the view, if it has any. */
  fields: string
}

interface Way {
  formats?: readonly ExportFormat[]
  codings?: readonly Coding[]
  views?: readonly ViewName[]
  /** What is written by `tributary pull`. */
  outputs?: readonly string[]
  /** Whether what is true is known of it in this installation. */
  applies?(truth: Truth): boolean
  /** Fails unless what came is what is true. */
  check(cell: Cell): Promise<void>
}

interface FeedEnd {
  nextCursor: string
  hasMore: boolean
}
interface Feed extends FeedEnd {
  payload: { kind: string; application_id: number; application?: ExportedApplication }[]
}

/** A page of the change feed, in JSON or in lines. */
function readFeed(text: string): Feed {
  if (text.startsWith('{"payload"')) return JSON.parse(text) as Feed
  const lines = text.trimEnd().split(lineEnds)
  return { payload: lines.slice(0, -1).map(line => JSON.parse(line)), ...(JSON.parse(lines.at(-1)!) as FeedEnd) }
}

const setName = (table: string): string => (table === '' ? 'Applications' : table.replaceAll('.', '__'))
const exported = (slug: string): string => `/api/v1/admin/programs/${slug}/applications`
const query = (...parts: string[]): string => {
  const given = parts.filter(part => part !== '')
  return given.length === 0 ? '' : `?${given.join('&')}`
}
/** A document has no choice of questions: what a key sees of it. */
const ofKeys: readonly ViewName[] = ['all', 'hidden']

const ways: Record<string, Way> = {
  'a walk': {
    formats: acceptedFormats,
    codings: allCodings,
    check: async ({ shipped, applications, format, ask, fields, coding }) => {
      const items: unknown[] = []
      let next: string | null = null
      do {
        const parameters = next === null ? ['pageSize=5', fields] : [`nextPageToken=${next}`]
        const { text, coded, head } = await ask(`${exported(shipped.truth.slug)}${query(...parameters)}`, format.accept)
        expect(coded).toBe(coding !== 'identity')
        const page = format.read(text, head)
        items.push(...page.items)
        next = page.nextPageToken
      } while (next !== null)
      expect(items).toEqual(applications.map(format.itemOf))
    },
  },
  'a walk in the format of its URL': {
    formats: exportFormats,
    codings: allCodings,
    check: async ({ shipped, applications, format, ask, fields }) => {
      const items: unknown[] = []
      let next: string | null = null
      do {
        const parameters = next === null ? ['pageSize=5', `format=${format.name}`, fields] : [`nextPageToken=${next}`]
        const { text, head } = await ask(`${exported(shipped.truth.slug)}${query(...parameters)}`, 'text/html')
        const page = format.read(text, head)
        items.push(...page.items)
        next = page.nextPageToken
      } while (next !== null)
      expect(items).toEqual(applications.map(format.itemOf))
    },
  },
  'one application': {
    codings: allCodings,
    check: async ({ shipped, applications, ask, fields }) => {
      for (const application of applications) {
        const { text } = await ask(`${exported(shipped.truth.slug)}/${application.application_id}${query(fields)}`)
        expect(JSON.parse(text)).toEqual(application)
      }
    },
  },
  revisions: {
    codings: allCodings,
    check: async ({ shipped, applications, ask, fields }) => {
      for (const { applicant_id, application_id } of applications) {
        const { text } = await ask(`${exported(shipped.truth.slug)}/${application_id}/revisions${query(fields)}`)
        const theirs = applications.filter(application => application.applicant_id === applicant_id)
        expect(JSON.parse(text)).toEqual({
          payload: theirs,
          supersededBy: [...theirs.slice(1).map(application => application.application_id), null],
          nextAfter: null,
        })
      }
    },
  },
  changes: {
    codings: allCodings,
    views: ofKeys,
    applies: ({ changes }) => changes !== undefined,
    check: async ({ shipped, ask }) => {
      const { slug, changes } = shipped.truth
      const reported: { kind: string; application_id: number }[] = []
      let [after, hasMore] = [changes!.cursor, true]
      while (hasMore) {
        const { text } = await ask(`/api/v1/admin/programs/${slug}/changes?pageSize=4&after=${after}`)
        const page = JSON.parse(text) as { payload: typeof reported; nextCursor: string; hasMore: boolean }
        reported.push(...page.payload.map(({ kind, application_id }) => ({ kind, application_id })))
        ;({ nextCursor: after, hasMore } = page)
      }
      expect(reported).toEqual(changes!.happened as typeof reported)
    },
  },
  'changes with applications': {
    formats: changesFormats,
    codings: allCodings,
    check: async ({ shipped, applications, format, ask, fields, coding }) => {
      const kept = new Map<number, ExportedApplication>()
      let [after, hasMore] = ['0', true]
      while (hasMore) {
        const asked = query('include=application', 'pageSize=3', `after=${after}`, fields)
        const { text, coded } = await ask(`/api/v1/admin/programs/${shipped.truth.slug}/changes${asked}`, format.accept)
        expect(coded).toBe(coding !== 'identity')
        const { payload, ...end } = readFeed(text)
        for (const { kind, application_id: id, application } of payload) {
          if (kind === 'erased') kept.delete(id)
          else if (kind === 'superseded') kept.set(id, { ...kept.get(id)!, revision_state: 'OBSOLETE' })
          else kept.set(id, application!)
        }
        ;({ nextCursor: after, hasMore } = end)
      }
      const byId = (all: Iterable<ExportedApplication>) => [...all].sort((a, b) => a.application_id - b.application_id)
      expect(byId(kept.values())).toEqual(byId(applications))
    },
  },
  'a receipt': {
    codings: allCodings,
    check: async ({ shipped, applications, ask, fields }) => {
      const { slug } = shipped.truth
      const { head } = await ask(`${exported(slug)}${query('pageSize=1', fields)}`)
      const { text } = await ask(`/api/v1/admin/programs/${slug}/receipt?walk=${head.get('Walk-Token')}`)
      const ids = applications.map(application => `${application.application_id}\n`).join('')
      const sha256 = createHash('sha256').update(ids).digest('hex')
      expect(JSON.parse(text)).toMatchObject({ applications: applications.length, sha256, erased_application_ids: [] })
    },
  },
  OData: {
    codings: allCodings,
    check: async ({ shipped: { truth }, applications, view, ask }) => {
      const root = `/odata/v1/${truth.slug}`
      const tables = expectedTables('odata', applications, seenQuestions(truth.questions, view)) as Tables
      const { text } = await ask(root)
      const sets = (JSON.parse(text) as { value: { name: string }[] }).value.map(({ name }) => name)
      const isWhole = view.fields === undefined
      if (isWhole)
        expect(sets.sort()).toEqual(
          Object.keys(tables)
            .map(name => setName(name))
            .sort(),
        )
      for (const [name, rows] of Object.entries(tables)) {
        const columns = Object.keys(rows[0] ?? {}).filter(column => column !== 'parent_path')
        const keys = name === '' ? [] : ['entity_key', 'parent_key']
        const select = isWhole
          ? ''
          : `$select=${[...keys, ...columns.map(column => column.replaceAll('.', '__'))].join()}`
        const read = async (path: string) => (await ask(path, undefined, 'odata.maxpagesize=4')).text
        if (isWhole || rows.length > 0)
          expect(asPulled(await walkFeed(read, `${root}/${setName(name)}${query(select)}`))).toEqual(rows)
      }
    },
  },
  'an OData count': {
    codings: allCodings,
    views: ofKeys,
    check: async ({ shipped, applications, ask }) => {
      const table = `/odata/v1/${shipped.truth.slug}/Applications`
      const current = applications.filter(application => application.revision_state === 'CURRENT')
      const filter = encodeURIComponent("revision_state eq 'CURRENT'")
      expect((await ask(`${table}/$count`)).text).toBe(String(applications.length))
      expect((await ask(`${table}/$count?$filter=${filter}`)).text).toBe(String(current.length))
      const { text } = await ask(`${table}?$count=true&$top=0`)
      expect(JSON.parse(text)).toMatchObject({ '@odata.count': applications.length })
    },
  },
  docs: {
    codings: allCodings,
    views: ofKeys,
    check: async ({ shipped, view, ask }) => {
      const { slug, questions } = shipped.truth
      const { text } = await ask(`/docs/api/programs/${slug}/versions/active`)
      expect(documentedPaths(JSON.parse(text)).sort()).toEqual(pathsOf(seenQuestions(questions, view)).sort())
    },
  },
  'JSON Schema': {
    codings: allCodings,
    check: async ({ shipped, applications, view, ask, fields }) => {
      const { slug, questions } = shipped.truth
      const { text } = await ask(`/docs/api/programs/${slug}/versions/active/response.schema.json${query(fields)}`)
      const schema = JSON.parse(text)
      expect(schemaErrors(schema, { payload: applications, nextPageToken: null })).toEqual([])
      expect(schemaPaths(schema, schema).sort()).toEqual(pathsOf(seenQuestions(questions, view)).sort())
    },
  },
  OpenAPI: {
    codings: allCodings,
    views: ofKeys,
    check: async ({ shipped, view, ask }) => {
      const { slug, questions } = shipped.truth
      const { text } = await ask(`/docs/api/programs/${slug}/versions/active/openapi.json`)
      const document = JSON.parse(text)
      const page = document.paths[exported(slug)].get.responses['200'].content['application/json'].schema
      expect(schemaPaths(document, page).sort()).toEqual(pathsOf(seenQuestions(questions, view)).sort())
    },
  },
  'the typed client': {
    check: async ({ shipped, processes, applications, view, key }) => {
      const { username, password } = key
      const client = new TributaryClient({ baseUrl: processes[0]!, username, password, retriesMax: 0 })
      const options = { pageSize: 4, ...(view.fields === undefined ? {} : { fields: view.fields.join(',') }) }
      const walked: unknown[] = []
      for await (const application of client.applications(shipped.truth.slug, options)) walked.push(application)
      expect(walked).toEqual([...applications])
    },
  },
  'tributary pull': {
    outputs: Object.keys(outputs),
    check: async ({ shipped: { truth }, processes, applications, view, key, output }) => {
      const folder = mkdtempSync(join(tmpdir(), 'tributary-pulled-'))
      try {
        const { to, read } = await outputs[output]!(folder)
        const chosen = view.fields === undefined ? [] : ['--fields', view.fields.join(',')]
        const command = [
          'pull',
          processes[0]!,
          '--program',
          truth.slug,
          ...to,
          '--page-size',
          '5',
          '--retries',
          '0',
          '--quiet',
          ...chosen,
        ]
        // A process in one view; in the others the same command in this process, which saves its start.
        const run = view.hidden.length === 0 && view.fields === undefined ? runTool : callTool
        expect(await run(key, command)).toMatchObject({ code: 0, err: '' })
        expect(await read(truth.slug)).toEqual(
          expectedTables(output, applications, seenQuestions(truth.questions, view)),
        )
      } finally {
        rmSync(folder, { recursive: true })
      }
    },
  },
}

/** Runs the whole table against an installation. */
export function describeShipped(name: string, open: () => Promise<Shipped>): void {
  describe(`G16: ${name}`, () => {
    const opened: { shipped?: Shipped; keys: Map<string, TestKey> } = { keys: new Map() }
    beforeAll(async () => {
      opened.shipped = await open()
    }, 120_000)
    for (const [way, row] of Object.entries(ways)) {
      for (const viewName of row.views ?? (Object.keys(views) as ViewName[])) {
        const kinds = row.formats ?? row.outputs ?? ['json']
        test.each(kinds.flatMap(kind => (row.codings ?? ['identity' as const]).map(coding => [kind, coding] as const)))(
          `${way}, ${viewName}: %s, %s`,
          async (kind, coding) => {
            const shipped = opened.shipped!
            if (row.applies?.(shipped.truth) === false) return
            const view = views[viewName](shipped.truth)
            // A key for each row, so that none comes near its limits.
            const keyName = `${way} ${view.hidden.length}`
            const key =
              opened.keys.get(keyName) ??
              (await createTestKey(shipped.sql, { programs: [shipped.truth.slug], hiddenQuestions: view.hidden }))
            opened.keys.set(keyName, key)
            const cell = {
              shipped,
              view,
              applications: expectedApplications(shipped.truth, view),
              format: row.formats === undefined ? formats.json : formats[kind as ExportFormat],
              coding,
              output: kind,
              key,
              fields: view.fields === undefined ? '' : `fields=${view.fields.join(',')}`,
            }
            // Each process is the first to be asked once. A pull goes to the last alone: it is a process of its own, and costs one.
            const { processes } = shipped
            const last = processes.at(-1)!
            const turns = processes.map((_, i) => [...processes.slice(i), ...processes.slice(0, i)])
            for (const order of row.outputs === undefined ? turns : [[last]])
              await row.check({ ...cell, processes: order, ask: askIn(order, key, coding) })
          },
          60_000,
        )
      }
    }
  })
}

function askIn(processes: readonly string[], { authorization }: TestKey, coding: Coding): Cell['ask'] {
  let turn = 0
  return async (path, accept = 'application/json', prefer = '') => {
    const url = `${processes[turn++ % processes.length]}${path}`
    const response = await fetch(url, {
      headers: { Authorization: authorization, Accept: accept, Prefer: prefer, 'Accept-Encoding': coding },
      decompress: false,
    } as RequestInit)
    const sent = Buffer.from(await response.arrayBuffer())
    const encoding = (response.headers.get('Content-Encoding') ?? 'identity') as Coding
    expect(['identity', coding]).toContain(encoding)
    const text = codings[encoding](sent).toString()
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text}`)
    return { text, head: response.headers, coded: encoding !== 'identity' }
  }
}
