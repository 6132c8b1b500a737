// Question keys that every object of JavaScript inherits, from publication to export and docs.

import { expect, test } from 'bun:test'
import { ExportClient } from '../../../support/export-client.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { FrontEnd } from '../../../support/front-end.ts'
import { createTestKey } from '../../../support/keys.ts'
import { aProgram, q } from '../../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database)

test('"`__proto__` and its like as keys in answers … stored and returned exactly": question keys that every object inherits', async () => {
  // Two spaces, the word, two spaces: nothing is trimmed (D15).
  const names = ['  proto  ', 'constructor', 'toString', 'hasOwnProperty', 'then', 'length', 'valueOf']
  const keys = ['__proto__', ...names.slice(1)]
  const repeated = names.map(name => q.text(`${name}#`, { optional: true }))
  const questions = [
    ...names.map(name => q.text(name, { optional: true })),
    q.enumerator('prototype', repeated, { optional: true }),
  ]
  const slug = 'inherited'
  await aProgram(database.sql, { slug, questions })
  const key = await createTestKey(database.sql, { programs: [slug], maySubmit: true })
  const [frontEnd, client] = [new FrontEnd(service, key, slug), new ExportClient(service, key, slug)]
  const members = keys.map(name => `${JSON.stringify(name)}:{"text":"the answer to ${name}"}`).join(',')
  const answers = JSON.parse(
    `{${members},"prototype":{"entities":[{"entity_name":"__proto__",${members}},{"entity_name":"constructor"}]}}`,
  )
  await frontEnd.apply(await frontEnd.register(), answers)
  await frontEnd.apply(await frontEnd.register(), Object.fromEntries([['then', { text: 'this alone' }]]))
  // A version without them, so that they are filled in as well as stored.
  await aProgram(database.sql, { slug, questions: [q.text('another one', { optional: true })] })
  await frontEnd.apply(await frontEnd.register(), { another_one: { text: 'x' } })

  const text = (value: string | null) => ({ question_type: 'TEXT', text: value })
  const all = (value: (key: string) => string | null) => Object.fromEntries(keys.map(name => [name, text(value(name))]))
  const [full, alone, later] = (await client.walkAll()).map(a => a.application)
  const answered = all(name => `the answer to ${name}`)
  expect(full).toEqual({
    ...answered,
    another_one: text(null),
    prototype: {
      question_type: 'ENUMERATOR',
      entities: [
        Object.fromEntries([['entity_name', '__proto__'], ...Object.entries(answered)]),
        Object.fromEntries([['entity_name', 'constructor'], ...Object.entries(all(() => null))]),
      ],
    },
  })
  const none = { question_type: 'ENUMERATOR', entities: [] }
  expect([alone, later]).toEqual([
    { ...all(name => (name === 'then' ? 'this alone' : null)), another_one: text(null), prototype: none },
    { ...all(() => null), another_one: text('x'), prototype: none },
  ])

  const docs = await service.get(`/docs/api/programs/${slug}`, {
    headers: { Authorization: key.authorization, Accept: 'application/json' },
  })
  const shown = await docs.text()
  expect(docs.status).toBe(200)
  for (const name of keys) expect(shown).toContain(`"application.${name}"`)
})
