// One change, seen from every side: a program gains a question of each kind, at the top and within an enumerator, and key map,
// docs, downloadable schema, example and export say the same of it, the worker's kept work included.

import { beforeAll, describe, expect, test } from 'bun:test'
import { refreshDocsExample } from '../../../src/derived/program-docs.ts'
import { refreshKeyMap } from '../../../src/derived/program-key-map.ts'
import { type KeyNode, unansweredForm } from '../../../src/domain/questions/key-map.ts'
import { exportedType, plainType, type QuestionKind, questionKinds } from '../../../src/domain/questions/question.ts'
import { computedKeyMap } from '../../support/computed-key-map.ts'
import { unlimited } from '../../support/config.ts'
import { ExportClient } from '../../support/export-client.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey, type TestKey } from '../../support/keys.ts'
import { aProgram, ofKind, q } from '../../support/programs.ts'
import { schemaErrors } from '../../support/response-schema.ts'

const database = await useDatabase()
const service = await useService(database, unlimited)

const optional = { optional: true }
/** A question of the kind, and the question object that its type makes of a sample answer and of none; a text to read has neither. */
function sample(kind: QuestionKind) {
  const add = (name: string) => ofKind(kind, name, optional)
  const type = exportedType(kind)
  if (type === undefined) return { add }
  const settings = { ...add('any').question }
  const answered = type === 'ENUMERATOR' ? entities : plainType(type).text(plainType(type).sample(settings, 0))
  return { add, answered: JSON.parse(answered), unanswered: JSON.parse(unansweredForm({ type })) }
}
const entities = '{"question_type":"ENUMERATOR","entities":[{"entity_name":"Bo"}]}'

/** Parsed JSON, of whatever shape it is. */
type Loose = ReturnType<typeof JSON.parse>

describe.each([...questionKinds])('a program that gains a question of kind %s', kind => {
  const { add, answered, unanswered } = sample(kind)
  const slug = `gains-${kind.toLowerCase().replaceAll('_', '-')}`
  const words = kind.toLowerCase().replaceAll('_', ' ')
  const [topKey, innerKey, petKey] = [`${words} new`, `${words} inner`, `${words} pet`].map(n =>
    n.replaceAll(' ', '_'),
  ) as [string, string, string]
  const always = q.text(`${words} always`, optional)
  let key: TestKey
  let versionId: number
  let programId: number

  beforeAll(async () => {
    await aProgram(database.sql, { slug, questions: [always, q.enumerator(`${words} pet`, [], optional)] })
    key = await createTestKey(database.sql, { programs: [slug], maySubmit: true })
    const frontEnd = new FrontEnd(service, key, slug)
    const pet = (inner: object) => ({ [petKey]: { entities: [{ entity_name: 'Rex', ...inner }] } })
    await frontEnd.apply(await frontEnd.register(), pet({}))
    const questions = [always, q.enumerator(`${words} pet`, [add(`${words} inner`)], optional), add(`${words} new`)]
    const program = await aProgram(database.sql, { slug, questions })
    ;[versionId, programId] = [program.program_version_id, program.program_id]
    const answers = answered === undefined ? pet({}) : { ...pet({ [innerKey]: answered }), [topKey]: answered }
    await frontEnd.apply(await frontEnd.register(), answers)
  })

  test.each(['computed on the spot', 'made by the worker'])(
    'key map, docs, schema, example and export agree, %s',
    async how => {
      if (how === 'made by the worker') {
        await refreshKeyMap(database.sql, versionId)
        await refreshDocsExample(database.sql, versionId, { timeZone: 'UTC' })
      }
      // A process that has seen nothing yet.
      const fresh = await useService(database, unlimited)
      const get = async (path: string): Promise<Loose> => {
        const response = await fresh.get(path, {
          headers: { Authorization: key.authorization, Accept: 'application/json' },
        })
        expect(response.status).toBe(200)
        return response.json()
      }

      const { keyMap } = await computedKeyMap(database.sql, programId)
      const node = (nodes: readonly KeyNode[], name: string) => nodes.find(one => one.question_key === name)
      const found = [node(keyMap, topKey), node(node(keyMap, petKey)!.children, innerKey)]

      const { versions } = await get(`/docs/api/programs/${slug}`)
      const [docs] = versions
      expect(docs.program_version_id).toBe(versionId)
      const documented = [topKey, `${petKey}.entities[<index>].${innerKey}`].map(place =>
        docs.questions.find((question: Loose) => question.path === `application.${place}`),
      )
      const schema = await get(`/docs/api/programs/${slug}/versions/active/response.schema.json`)
      const inSchema = [
        schema.$defs.Answers.properties[topKey],
        schema.$defs.Answers.properties[petKey].properties.entities.items.properties[innerKey],
      ]
      const [older, newer] = (await new ExportClient(fresh, key, slug).walkAll()).map(a => a.application as Loose)
      const inExport = (application: Loose) => [application[topKey], application[petKey].entities[0][innerKey]]
      const [example] = docs.example.payload
      const inExample = inExport(example.application)
      expect(schemaErrors(schema, docs.example)).toEqual([])
      expect(schemaErrors(schema, (await new ExportClient(fresh, key, slug).page()).page)).toEqual([])

      const nothing = [undefined, undefined]
      if (answered === undefined || unanswered === undefined) {
        for (const seen of [found, documented, inSchema, inExport(older), inExport(newer), inExample])
          expect(seen).toEqual(nothing)
        return
      }
      const { question_type } = answered as { question_type: string }
      const fields = Object.keys(inExport(newer)[0]).filter(name => name !== 'question_type')
      const options = ['CHECKBOX', 'DROPDOWN', 'MAP', 'RADIO'].includes(kind) ? ['red', 'green', 'blue'] : []
      for (const i of [0, 1]) {
        expect(found[i]).toMatchObject({ type: question_type as never, option_ids: options })
        expect(documented[i]).toMatchObject({ question_type, asked: true })
        expect(documented[i].options.map((option: Loose) => option.id)).toEqual(options)
        const place = documented[i].path
        expect(documented[i].fields.map((field: Loose) => field.path)).toEqual([
          ...fields.map(name => `${place}.${name}`),
          ...(kind === 'ENUMERATOR' ? [`${place}.entities[<index>].entity_name`] : []),
        ])
        expect(inSchema[i].properties.question_type.const).toBe(question_type)
        expect(Object.keys(inSchema[i].properties).sort()).toEqual(['question_type', ...fields].sort())
        expect(Object.keys(inExample[i]).sort()).toEqual(['question_type', ...fields].sort())
        expect(inExport(newer)[i]).toMatchObject(answered)
        expect(inExport(older)[i]).toMatchObject(unanswered)
        expect(Object.keys(inExport(older)[i]).sort()).toEqual(['question_type', ...fields].sort())
      }
    },
  )
})
