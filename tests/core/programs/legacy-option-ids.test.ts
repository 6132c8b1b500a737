// Contract D32: "Option ids: `^[a-z0-9_-]+$` for new ones; what older questions had is kept, loaded and exported as it is."
// Spec: "Admin IDs contain only lowercase letters, digits, underscores and dashes (questions created before March 2024 may differ)."

import { describe, expect, test } from 'bun:test'
import { loadLines } from '../../../src/core/load/load-lines.ts'
import { exportProgram, importProgram } from '../../../src/core/programs/program-transport.ts'
import { publishDefinition } from '../../../src/core/programs/publish.ts'
import { findActiveVersion, findProgram } from '../../../src/db/programs/programs.ts'
import type { ProgramDefinition } from '../../../src/domain/definitions/program-definition.ts'
import { describeForEditing } from '../../../src/domain/definitions/version-definition.ts'
import type { JsonSchema } from '../../../src/domain/fields/field-schema.ts'
import { ExportClient } from '../../support/export-client.ts'
import { exportLines } from '../../support/export-lines.ts'
import { endWithTest, useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aDefinition, q } from '../../support/programs.ts'
import { rejection } from '../../support/refusal.ts'
import { schemaErrors } from '../../support/response-schema.ts'

const slug = 'legacy'
/** Upper case, spaces, letters of other scripts (decomposed too), quotes, separators, markup, beyond the basic plane. */
const ids = [
  'Rent',
  'rent aid',
  'Müll',
  'Mu\u0308ll',
  '住宅',
  `it's "so"`,
  'a,b;c\\d/e',
  '<b>&amp;',
  '🏠',
  ' ',
  '__proto__',
  'new-id',
]

const database = await useDatabase()
const service = await useService(database)
const document = aDefinition({
  slug,
  questions: [q.radio('legacy one', ids), q.checkbox('legacy many', ids)],
})
for (const { options } of document.questions) for (const option of options!) option.legacy_id = true
await publishDefinition(database.sql, document, 'admin:test')
const key = await createTestKey(database.sql, { programs: [slug], maySubmit: true })

const shown = async (): Promise<ProgramDefinition> => {
  const { program_id } = (await findProgram(database.sql, slug))!
  return describeForEditing((await findActiveVersion(database.sql, program_id))!)
}

describe('option IDs from before the rule', () => {
  test('are refused in a document that does not mark them, each at its pointer', async () => {
    const unsaid = aDefinition({ slug: 'unsaid', questions: [q.radio('unsaid', ids)] })
    const { errors } = await rejection(publishDefinition(database.sql, unsaid, 'admin:test'))
    expect(errors.map(({ path, code }) => `${code} ${path}`)).toEqual(
      ids.slice(0, -2).map((_, i) => `wrong_characters /questions/0/options/${i}/admin_id`),
    )
    expect(errors[0]!.detail).toContain('"legacy_id": true')
  })

  test('are marked as legacy in documents, published again unchanged, and stored without the mark', async () => {
    const again = await shown()
    for (const { options } of again.questions)
      expect(options!.map(({ admin_id, legacy_id }) => [admin_id, legacy_id])).toEqual(
        ids.map(id => [id, id === 'new-id' || id === '__proto__' ? undefined : true]),
      )
    expect(await publishDefinition(database.sql, again, 'admin:test')).toMatchObject({ published: false })
    const published = await publishDefinition(database.sql, { ...again, display_name: 'Again' }, 'admin:test')
    expect(published.changes.map(({ code }) => code)).toEqual(['display_name_changed'])
    const stored = await database.sql<{ settings: string }[]>`select settings::text from question_version`
    for (const { settings } of stored) expect(settings).not.toContain('legacy_id')
  })

  test('are answered, exported, documented, moved to another database and loaded there unchanged', async () => {
    const desk = new FrontEnd(service, key, slug)
    for (const id of ids)
      await desk.apply(await desk.register(), {
        legacy_one: { selection: id },
        legacy_many: { selections: [id, ids[0]].slice(0, id === ids[0] ? 1 : 2) },
      })
    const exported = await new ExportClient(service, key, slug).walkAll()
    expect(exported.map(({ application }) => application.legacy_one!.selection)).toEqual(ids)
    expect(exported.map(({ application }) => (application.legacy_many!.selections as string[])[0])).toEqual(ids)

    const get = (path: string, accept: string) =>
      service.get(`/docs/api/programs/${slug}${path}`, {
        headers: { Authorization: key.authorization, Accept: accept },
      })
    const schema = (await (await get('/versions/active/response.schema.json', '*/*')).json()) as JsonSchema
    expect(schemaErrors(schema, { payload: exported, nextPageToken: null })).toEqual([])
    const docs = (await (await get('', 'application/json')).json()) as {
      versions: { questions: { options: { id: string }[] }[] }[]
    }
    for (const { options } of docs.versions[0]!.questions) expect(options.map(({ id }) => id)).toEqual(ids)
    expect(await (await get('', 'text/html')).text()).toContain('<code>&lt;b>&amp;amp;</code>')

    const bundle = JSON.parse(JSON.stringify(await exportProgram(database.sql, slug)))
    const there = await useDatabase({}, endWithTest)
    await importProgram(there.sql, bundle, 'operator:test')
    expect(JSON.stringify(await exportProgram(there.sql, slug))).toBe(JSON.stringify(bundle))
    const lines = await exportLines(database.sql, slug)
    const pieces = async function* () {
      yield Buffer.from(`${lines.join('\n')}\n`)
    }
    const now = (Date.now() + 60_000) * 1000
    await loadLines(there.sql, pieces(), {
      now,
      timeZone: 'UTC',
      actor: 'operator:test',
      programSlug: slug,
    })
    expect(await exportLines(there.sql, slug)).toEqual(lines)
  })
})
