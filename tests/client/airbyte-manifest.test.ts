// The manifest for Airbyte against the service: what it requests is documented, what it reads is there, and the view of its document equals a walk.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { annotate } from '../../src/upkeep/annotate.ts'
import { eraseApplication } from '../../src/upkeep/erase.ts'
import { ExportClient } from '../support/export-client.ts'
import { useDatabase, useService } from '../support/fixtures.ts'
import { FrontEnd } from '../support/front-end.ts'
import { createTestKey } from '../support/keys.ts'
import { publish, q } from '../support/programs.ts'

const folder = join(import.meta.dir, '../../src/client/airbyte')
const slug = 'extracted'
const database = await useDatabase()
const { sql } = database
const service = await useService(database)
const asked = { optional: true }
const questions = [q.text('words', asked), q.enumerator('child', [q.date('born', asked)], asked)]
const { program_id } = await publish(sql, { slug, statuses: ['Received'], questions })
const key = await createTestKey(sql, { programs: [slug], maySubmit: true })
const frontEnd = new FrontEnd(service, key, slug)
const apply = async (applicant: number, text: string) =>
  (await frontEnd.apply(applicant, { words: { text }, child: { entities: [{ entity_name: text }] } })).application_id
const [ada, ben, eve] = [await frontEnd.register(), await frontEnd.register(), await frontEnd.register()]
const first = await apply(ada, 'first')
const erased = await apply(ben, 'erased')
const third = await apply(eve, 'third')
const place = { program_id, application_id: first, actor: 'admin:test', timeZone: service.config.timeZone }
await annotate(sql, { ...place, status: 'Received', note: 'both at once', now: Date.now() * 1000 })

interface Stream {
  name: string
  primary_key: string
  incremental_sync?: { cursor_field: string; start_value: number }
  retriever: {
    requester: { url_base: string; path: string; http_method: string; request_parameters?: Record<string, string> }
    record_selector: { extractor: { field_path: string[] }; record_filter?: { condition: string } }
    paginator: {
      page_token_option?: { inject_into: string; field_name: string }
      pagination_strategy: { cursor_value: string; stop_condition: string }
    }
  }
  transformations?: { fields: { path: [string]; value: string }[] }[]
  schema_loader: { schema: { properties: Record<string, unknown> } }
}
type Row = Record<string, unknown> & { application_id: number; change: number; kind: string }

/** As Airbyte reads it: a text or a `$ref` that begins with `#/` is another part of the document, with the members next to it. */
function resolved(value: unknown, document: unknown): unknown {
  if (typeof value === 'string' && value.startsWith('#/')) {
    const part = value
      .slice(2)
      .split('/')
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document)
    if (part === undefined) throw new Error(`the manifest has no ${value}`)
    return resolved(part, document)
  }
  if (Array.isArray(value)) return value.map(item => resolved(item, document))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...own } = value as Record<string, unknown>
  const members = Object.entries(own).map(([name, member]) => [name, resolved(member, document)])
  return { ...($ref === undefined ? {} : (resolved($ref, document) as object)), ...Object.fromEntries(members) }
}

const source = Bun.YAML.parse(await Bun.file(join(folder, 'manifest.yaml')).text())
const manifest = resolved(source, source) as {
  check: { stream_names: string[] }
  streams: Stream[]
  spec: { connection_specification: object & { properties: Record<string, unknown> } }
}
const streamOf = (name: string): Stream => manifest.streams.find(stream => stream.name === name)!
const schemas = new Ajv({ strict: true, allowUnionTypes: true, keywords: ['airbyte_secret', 'order'] })
formats.default(schemas)

const get = async (path: string): Promise<Record<string, unknown>> => {
  const response = await service.get(path, { headers: { Authorization: key.authorization } })
  expect(response.status).toBe(200)
  return (await response.json()) as Record<string, unknown>
}
/** A page of the stream after a change, which is 0 in a first run. */
const pageOf = (
  { retriever: { requester } }: Stream,
  pageSize: number,
  change = 0,
): Promise<Record<string, unknown>> => {
  const { after, ...rest } = requester.request_parameters ?? {}
  const start: Record<string, string> = after === undefined ? {} : { after: `${change}` }
  const query = new URLSearchParams({ ...rest, ...start, pageSize: `${pageSize}` })
  return get(`/api/v1/admin/programs/${slug}/${requester.path}?${query}`)
}
/** Rows of one run, filtered and with what is added: the conditions are those of the manifest, written out. */
async function runOf(stream: Stream, change: number): Promise<Row[]> {
  const { payload } = (await pageOf(stream, 1000, change)) as { payload: Row[] }
  const isKept: Record<string, (row: Row) => boolean> = {
    "{{ record['kind'] == 'erased' or 'application' in record }}": row => row.kind === 'erased' || 'application' in row,
    "{{ record['kind'] == 'superseded' }}": row => row.kind === 'superseded',
  }
  const values: Record<string, (row: Row) => unknown> = {
    "{{ record['kind'] == 'erased' }}": row => row.kind === 'erased',
    "{{ record['time'] if record['kind'] == 'erased' else None }}": row => (row.kind === 'erased' ? row.time : null),
  }
  const condition = stream.retriever.record_selector.record_filter?.condition
  const added = stream.transformations?.flatMap(({ fields }) => fields) ?? []
  return payload.filter(condition === undefined ? () => true : isKept[condition]!).map(row => ({
    ...row,
    ...Object.fromEntries(added.map(({ path: [name], value }) => [name, values[value]!(row)])),
  }))
}
const incremental = manifest.streams.filter(stream => stream.incremental_sync !== undefined)
const firstRun = new Map<Stream, Row[]>()
for (const stream of incremental) firstRun.set(stream, await runOf(stream, 0))

await apply(ada, 'newer')
await annotate(sql, { ...place, application_id: third, status: 'Received', now: Date.now() * 1000 })
await eraseApplication(sql, { program_id, application_id: erased }, { actor: 'operator:test', reason: undefined })

/** Rows of two runs, of which the second begins after the last change of the first; a full refresh has no first one. */
async function rowsOf(stream: Stream): Promise<Row[]> {
  const before = firstRun.get(stream) ?? []
  return [...before, ...(await runOf(stream, before.at(-1)?.change ?? 0))]
}

test('every request of the manifest is one of the service, with parameters that are documented', async () => {
  const { paths } = (await get('/docs/api/openapi.json')) as {
    paths: Record<string, { get: { parameters: { name: string; in: string }[] } }>
  }
  expect(manifest.streams.map(({ name }) => name)).toEqual(['applications', 'changed_applications', 'superseded'])
  expect(manifest.check.stream_names.map(name => streamOf(name).name)).toEqual(['applications'])
  for (const { name, retriever } of manifest.streams) {
    const { url_base, path, request_parameters = {}, http_method } = retriever.requester
    expect(http_method).toBe('GET')
    const address = `${url_base}/${path}`
      .replace("{{ config['base_url'] }}", '')
      .replace("{{ config['program'] }}", '{programSlug}')
    const documented = paths[address]!.get.parameters.filter(parameter => parameter.in === 'query')
    const { page_token_option } = retriever.paginator
    const sent = [...Object.keys(request_parameters), ...(page_token_option ? [page_token_option.field_name] : [])]
    expect([name, sent]).toEqual([name, sent.filter(one => documented.some(parameter => parameter.name === one))])
    expect(new Set(sent).size).toBe(sent.length)
  }
})

test('what the manifest reads of a page is there, from the first page to the last', async () => {
  for (const stream of manifest.streams) {
    const { record_selector, paginator } = stream.retriever
    expect(record_selector.extractor.field_path).toEqual(['payload'])
    const { cursor_value, stop_condition } = paginator.pagination_strategy
    const read = [...`${cursor_value}${stop_condition}`.matchAll(/response\['(\w+)'\]/g)].map(([, name]) => name!)
    expect(read).toHaveLength(2)
    for (const page of [await pageOf(stream, 1), await pageOf(stream, 1000)])
      expect([...read, 'payload'].filter(name => !(name in page))).toEqual([])
    const stops = read.at(-1)!
    expect([(await pageOf(stream, 1))[stops], (await pageOf(stream, 1000))[stops]].map(Boolean)).toEqual([true, false])
  }
})

test('each stream has rows, which its schema describes to the last field, with its keys', async () => {
  for (const stream of manifest.streams) {
    const rows = await rowsOf(stream)
    const { schema } = stream.schema_loader
    const validate = schemas.compile(schema)
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) {
      expect([stream.name, validate(row), validate.errors]).toEqual([stream.name, true, null])
      expect(Object.keys(row).filter(name => !(name in schema.properties))).toEqual([])
      expect(row).toContainKeys([stream.primary_key, ...(stream.incremental_sync ? ['change'] : [])])
    }
    // Ascending, as a cursor that counts must be.
    if (stream.incremental_sync === undefined) continue
    expect(stream.incremental_sync).toMatchObject({ cursor_field: 'change', start_value: 0 })
    const changes = rows.map(({ change }) => change)
    expect(changes).toEqual(changes.toSorted((a, b) => a - b))
    // A run begins after the last change of the one before: nothing comes twice.
    expect(await runOf(stream, changes.at(-1)!)).toEqual([])
  }
})

test('its settings are a JSON Schema that takes what it must and nothing else, and hides the password', () => {
  const { connection_specification } = manifest.spec
  const validate = schemas.compile(connection_specification)
  const right = { base_url: 'https://apply.example.gov', program: slug, username: 'u', password: 'p' }
  expect(validate(right)).toBe(true)
  for (const wrong of [{ base_url: 'http://apply.example.gov' }, { base_url: 'https://a/' }, { program: 'No Slug' }])
    expect(validate({ ...right, ...wrong })).toBe(false)
  for (const name of Object.keys(right)) expect(validate({ ...right, [name]: undefined })).toBe(false)
  expect(connection_specification.properties.password).toMatchObject({ airbyte_secret: true })
})

test('the view of AIRBYTE.md on the two incremental streams equals a walk', async () => {
  const document = await Bun.file(join(folder, 'AIRBYTE.md')).text()
  const view = document.match(/```sql\n(.*?)```/s)![1]!
  const found = await sql.begin(async tx => {
    await tx`create schema airbyte`
    await tx`set local search_path to airbyte`
    // As "Append + Deduped" leaves a table: of each key the row with the highest cursor.
    for (const name of ['changed_applications', 'superseded']) {
      const rows = await rowsOf(streamOf(name))
      await tx`
        create table ${tx(name)} as
        select distinct on (application_id) * from jsonb_to_recordset(${tx.json(rows as never)})
          as r (application_id bigint, change bigint, deleted boolean, application jsonb)
        order by application_id, change desc`
    }
    await tx.unsafe(view)
    return tx<{ application: { application_id: number } }[]>`
      select application from current_applications order by application_id`
  })
  const walked = await new ExportClient(service, key, slug).walkAll()
  expect(walked.map(({ revision_state }) => revision_state).toSorted()).toEqual(['CURRENT', 'CURRENT', 'OBSOLETE'])
  expect(found.map(({ application }) => application) as unknown[]).toEqual(
    walked.toSorted((a, b) => a.application_id - b.application_id),
  )
})
