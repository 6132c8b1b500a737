// One change, seen from every side: a program gains a question of each kind, at the top and within an enumerator, and key map,
// docs, downloadable schema, example and export say the same of it, the worker's kept work included.

import { beforeAll, describe, expect, test } from 'bun:test'
import { refreshDocsExample } from '../../../src/derived/program-docs.ts'
import { refreshKeyMap } from '../../../src/derived/program-key-map.ts'
import { type KeyNode, unansweredForm } from '../../../src/domain/questions/key-map.ts'
import {
  exportedType,
  type PlainType,
  plainType,
  type QuestionKind,
  questionKinds,
} from '../../../src/domain/questions/question.ts'
import { computedKeyMap } from '../../support/computed-key-map.ts'
import { unlimited } from '../../support/config.ts'
import { ExportClient } from '../../support/export-client.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey, type TestKey } from '../../support/keys.ts'
import { aProgram, ofKind, type QuestionSpec, q } from '../../support/programs.ts'
import { schemaErrors } from '../../support/response-schema.ts'

const database = await useDatabase()
const service = await useService(database, unlimited)

const optional = { optional: true }
const ids = ['red', 'blue']

/** A question of the kind, an answer to it, and the question object the specification makes of that and of no answer. */
interface Change {
  add: (name: string) => QuestionSpec
  answer?: object
  answered?: object
  unanswered?: object
}

/** Of a kind that the specification does not have: what its type says of itself. */
function sample(kind: QuestionKind): Change {
  const type = exportedType(kind) as PlainType
  const answered = JSON.parse(plainType(type).text(plainType(type).sample({}, 0)))
  return {
    add: name => ofKind(kind, name, optional),
    answer: answered,
    answered,
    unanswered: JSON.parse(unansweredForm({ type })),
  }
}

/** Of each kind that the specification has. */
const changes: Partial<Record<QuestionKind, Change>> = {
  ADDRESS: {
    add: name => q.address(name, optional),
    answer: { street: '1 Main St', city: 'Seattle', state: 'WA', zip: '98101' },
    answered: {
      question_type: 'ADDRESS',
      street: '1 Main St',
      city: 'Seattle',
      state: 'WA',
      zip: '98101',
      corrected: null,
    },
    unanswered: { question_type: 'ADDRESS', street: null, line2: null, service_area: null },
  },
  CHECKBOX: {
    add: name => q.checkbox(name, ids, optional),
    answer: { selections: ['blue'] },
    answered: { question_type: 'MULTI_SELECT', selections: ['blue'] },
    unanswered: { question_type: 'MULTI_SELECT', selections: [] },
  },
  CURRENCY: {
    add: name => q.currency(name, optional),
    answer: { currency_dollars: 12.5 },
    answered: { question_type: 'CURRENCY', currency_dollars: 12.5 },
    unanswered: { question_type: 'CURRENCY', currency_dollars: null },
  },
  DATE: {
    add: name => q.date(name, optional),
    answer: { date: '2024-02-29' },
    answered: { question_type: 'DATE', date: '2024-02-29' },
    unanswered: { question_type: 'DATE', date: null },
  },
  DROPDOWN: {
    add: name => q.dropdown(name, ids, optional),
    answer: { selection: 'red' },
    answered: { question_type: 'SINGLE_SELECT', selection: 'red' },
    unanswered: { question_type: 'SINGLE_SELECT', selection: null },
  },
  EMAIL: {
    add: name => q.email(name, optional),
    answer: { email: 'a@example.org' },
    answered: { question_type: 'EMAIL', email: 'a@example.org' },
    unanswered: { question_type: 'EMAIL', email: null },
  },
  ENUMERATOR: {
    add: name => q.enumerator(name, [], optional),
    answer: { entities: [{ entity_name: 'Bo' }] },
    answered: { question_type: 'ENUMERATOR', entities: [{ entity_name: 'Bo' }] },
    unanswered: { question_type: 'ENUMERATOR', entities: [] },
  },
  FILE_UPLOAD: {
    add: name => q.file(name, optional),
    answer: { file_urls: ['https://files.example.org/a'] },
    answered: {
      question_type: 'FILE_UPLOAD',
      file_key: 'https://files.example.org/a',
      file_urls: ['https://files.example.org/a'],
    },
    unanswered: { question_type: 'FILE_UPLOAD', file_key: null, file_urls: [] },
  },
  ID: {
    add: name => q.id(name, optional),
    answer: { id: '007' },
    answered: { question_type: 'ID', id: '007' },
    unanswered: { question_type: 'ID', id: null },
  },
  MAP: {
    add: name => q.map(name, ids, optional),
    answer: { selections: ['red', 'blue'] },
    answered: { question_type: 'MAP', selections: ['red', 'blue'] },
    unanswered: { question_type: 'MAP', selections: [] },
  },
  NAME: {
    add: name => q.name(name, optional),
    answer: { first_name: 'Ana', last_name: 'Li' },
    answered: { question_type: 'NAME', first_name: 'Ana', middle_name: null, last_name: 'Li', suffix: null },
    unanswered: { question_type: 'NAME', first_name: null, middle_name: null, last_name: null, suffix: null },
  },
  NUMBER: {
    add: name => q.number(name, optional),
    answer: { number: -3 },
    answered: { question_type: 'NUMBER', number: -3 },
    unanswered: { question_type: 'NUMBER', number: null },
  },
  PHONE: {
    add: name => q.phone(name, optional),
    answer: { phone_number: '+12064386161' },
    answered: { question_type: 'PHONE', phone_number: '+12064386161' },
    unanswered: { question_type: 'PHONE', phone_number: null },
  },
  RADIO: {
    add: name => q.radio(name, ids, optional),
    answer: { selection: 'blue' },
    answered: { question_type: 'SINGLE_SELECT', selection: 'blue' },
    unanswered: { question_type: 'SINGLE_SELECT', selection: null },
  },
  STATIC: { add: name => q.static(name) },
  TEXT: {
    add: name => q.text(name, optional),
    answer: { text: 'words' },
    answered: { question_type: 'TEXT', text: 'words' },
    unanswered: { question_type: 'TEXT', text: null },
  },
}

/** Parsed JSON, of whatever shape it is. */
type Loose = ReturnType<typeof JSON.parse>

describe.each([...questionKinds])('a program that gains a question of kind %s', kind => {
  const { add, answer, answered, unanswered } = changes[kind] ?? sample(kind)
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
    const answers = answer === undefined ? pet({}) : { ...pet({ [innerKey]: answer }), [topKey]: answer }
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
      const options = ['CHECKBOX', 'DROPDOWN', 'MAP', 'RADIO'].includes(kind) ? ids : []
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
