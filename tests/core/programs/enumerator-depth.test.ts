// Contract D29: "One bound for enumerators within enumerators (`ENUMERATOR_DEPTH_MAX`, default 20), the same at publication, intake,
// load, schema and docs."

import { expect, test } from 'bun:test'
import { loadLines } from '../../../src/core/load/load-lines.ts'
import { exportProgram, importProgram } from '../../../src/core/programs/program-transport.ts'
import { publishDefinition } from '../../../src/core/programs/publish.ts'
import { saveDraft } from '../../../src/core/programs/save-draft.ts'
import { findProgram } from '../../../src/db/programs/programs.ts'
import type { JsonSchema } from '../../../src/domain/fields/field-schema.ts'
import { ExportClient } from '../../support/export-client.ts'
import { exportLines } from '../../support/export-lines.ts'
import { endWithTest, useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aDefinition, aProgram, type QuestionSpec, q } from '../../support/programs.ts'
import { rejection } from '../../support/refusal.ts'
import { schemaErrors } from '../../support/response-schema.ts'

const database = await useDatabase()
const service = await useService(database)

const letters = 'abcdefghijklmnopqrstuvwxyz'
/** So many enumerators in one another; a list of selections lies innermost. Names differ by `prefix`. */
const nested = (prefix: string, depth: number, level = 0): QuestionSpec[] =>
  level === depth
    ? [q.checkbox(`${prefix} pets`, ['cat', 'dog'])]
    : [q.enumerator(`${prefix} ${letters[level]}`, nested(prefix, depth, level + 1))]

const answered = (prefix: string, depth: number, level = 0): Record<string, unknown> =>
  level === depth
    ? { [`${prefix}_pets`]: { selections: ['cat', 'dog'] } }
    : {
        [`${prefix}_${letters[level]}`]: {
          entities: [{ entity_name: `level ${level}`, ...answered(prefix, depth, level + 1) }],
        },
      }

test('20 nested enumerators can be published, answered, exported, loaded and documented', async () => {
  const { slug } = await aProgram(database.sql, { slug: 'deepest', questions: nested('deepest', 20) })
  const key = await createTestKey(database.sql, { programs: [slug], maySubmit: true })
  const desk = new FrontEnd(service, key, slug)
  const answers = answered('deepest', 20)
  await desk.apply(await desk.register(), answers)
  const [application] = await new ExportClient(service, key, slug).walkAll()
  expect(JSON.stringify(application!.application)).toContain('"selections":["cat","dog"]')

  const there = await useDatabase({}, endWithTest)
  await importProgram(there.sql, await exportProgram(database.sql, slug), 'operator:test')
  const lines = await exportLines(database.sql, slug)
  await loadLines(
    there.sql,
    (async function* () {
      yield Buffer.from(`${lines.join('\n')}\n`)
    })(),
    { now: (Date.now() + 60_000) * 1000, timeZone: 'UTC', actor: 'operator:test', programSlug: slug },
  )
  expect(await exportLines(there.sql, slug)).toEqual(lines)

  const get = (path: string) => service.get(path, { headers: { Authorization: key.authorization } })
  const schema = (await (
    await get(`/docs/api/programs/${slug}/versions/active/response.schema.json`)
  ).json()) as JsonSchema
  const page = { payload: [application], nextPageToken: null }
  expect(schemaErrors(schema, page)).toEqual([])
  expect(JSON.stringify(schema)).toContain('"deepest_t"')
})

test('21 nested enumerators are refused by draft and publication, at the first one too many', async () => {
  const document = aDefinition({ slug: 'too-deep', questions: nested('too deep', 24) })
  for (const refused of [
    await rejection(publishDefinition(database.sql, document, 'admin:test')),
    await rejection(saveDraft(database.sql, document, 'admin:test')),
  ]) {
    expect(refused.errors).toEqual([
      {
        path: '/questions/20/enumerator',
        code: 'too_deep',
        detail: expect.stringMatching(/\b20\b.*\bENUMERATOR_DEPTH_MAX\b/) as string,
      },
    ])
  }
  expect(await findProgram(database.sql, 'too-deep')).toBeUndefined()
})

test('another limit applies in the same way, also to questions in the bank and to imported programs', async () => {
  const deeper = aDefinition({ slug: 'deeper', questions: nested('deeper', 21) })
  const { slug } = await publishDefinition(database.sql, deeper, 'admin:test', { enumeratorDepthMax: 21 })
  const left = aDefinition({ slug: 'shallow-too', questions: [q.text('shallow own')] })
  left.screens[0]!.questions.push(...deeper.questions.slice(0, -1).map(({ admin_name }) => ({ question: admin_name })))
  const refused = await rejection(publishDefinition(database.sql, left, 'admin:test'))
  expect(refused.errors).toMatchObject([{ path: '/screens/0/questions/21/question', code: 'too_deep' }])
  await publishDefinition(database.sql, left, 'admin:test', { enumeratorDepthMax: 21 })

  const bundle = await exportProgram(database.sql, slug)
  const there = await useDatabase({}, endWithTest)
  const kept = await rejection(importProgram(there.sql, bundle, 'operator:test'))
  expect(kept.errors).toMatchObject([{ path: '/questions/20/enumerator_id', code: 'too_deep' }])
  await importProgram(there.sql, bundle, 'operator:test', 21)
})

test('a definition longer than its limit is refused before it is parsed', async () => {
  const questions = Array.from({ length: 450 }, (_, i) =>
    q.text(`long ${[...String(i)].map(digit => letters[Number(digit)]).join('')}`, { text: 'x'.repeat(10_000) }),
  )
  const refused = await rejection(saveDraft(database.sql, aDefinition({ slug: 'long', questions }), 'admin:test'))
  expect(refused.errors).toMatchObject([{ path: '', code: 'too_large' }])
  expect(refused.errors[0]!.detail).toContain('4194304')
})

test('circular enumerators are reported briefly, however many they are', async () => {
  const document = aDefinition({ slug: 'round', questions: [q.text('round')] })
  const name = (i: number) => `round ${[...String(i)].map(digit => letters[Number(digit)]).join('')}`
  for (let i = 0; i < 1000; i++) {
    const enumerator = name((i + 1) % 1000)
    document.questions.push({ admin_name: name(i), kind: 'ENUMERATOR', text: 'Round?', enumerator })
    document.screens[0]!.questions.push({ question: name(i) })
  }
  document.screens[0]!.questions.splice(1000)
  const refused = await rejection(saveDraft(database.sql, document, 'admin:test'))
  const cycles = refused.errors.filter(({ code }) => code === 'enumerator_cycle')
  expect(cycles).toHaveLength(1000)
  for (const { detail } of cycles) expect(detail.length).toBeLessThan(400)
})
