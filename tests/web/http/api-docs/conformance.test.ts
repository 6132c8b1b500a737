// Every page that `ExportClient` fetches is held against the docs: here, that this would notice what is not as they say.

import { expect, test } from 'bun:test'
import { ExportClient } from '../../../support/export-client.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { FrontEnd } from '../../../support/front-end.ts'
import { createTestKey } from '../../../support/keys.ts'
import { aProgram, everyKind, q } from '../../../support/programs.ts'
import { expectDocumentedPage } from '../../../support/response-schema.ts'

const slug = 'conforming'
const database = await useDatabase()
const service = await useService(database)
await aProgram(database.sql, { slug, questions: [...everyKind, q.id('later one')] })
const key = await createTestKey(database.sql, { programs: [slug], maySubmit: true })
const frontEnd = new FrontEnd(service, key, slug)
const apply = async (name: string, id: string) =>
  frontEnd.apply(await frontEnd.register(), {
    applicant_name: { first_name: name, middle_name: name, last_name: name, suffix: null },
    later_one: { id },
  })

test('a response that differs from its documentation would be noticed', async () => {
  await apply('Ana', '0042')
  const { page } = await new ExportClient(service, key, slug).page()
  const changed = { ...page, payload: page.payload.map(application => ({ ...application, surname: 'García' })) }
  await expect(expectDocumentedPage(service, slug, changed)).rejects.toThrow('surname')
  const { application } = page.payload[0]!
  application.unasked = { question_type: 'TEXT', text: null }
  await expect(expectDocumentedPage(service, slug, page)).rejects.toThrow('unasked')
  delete application.unasked
  delete application.later_one
  await expect(expectDocumentedPage(service, slug, page)).rejects.toThrow('later_one')
})

// Contract, section 3: "Docs hold sample values only, never an applicant's."
test('docs contain nothing that applicants wrote', async () => {
  const written = 'kestrel-canary-in-an-answer'
  await apply(written, '778899001')
  const headers = { Authorization: key.authorization }
  for (const path of ['', '/versions/active/openapi.json', '/versions/active/response.schema.json'])
    for (const Accept of ['text/html', 'application/json']) {
      const docs = await service.get(`/docs/api/programs/${slug}${path}`, { headers: { ...headers, Accept } })
      expect(docs.status).toBe(200)
      const text = await docs.text()
      for (const value of [written, '778899001']) expect(text).not.toContain(value)
    }
})
