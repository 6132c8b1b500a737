import { expect, test } from 'bun:test'
import { noEntityEnd, renderMembers } from '../../../src/domain/questions/answers.ts'
import { buildKeyMap } from '../../../src/domain/questions/key-map.ts'
import { seededRandom } from '../../../src/domain/random/seeded-random.ts'
import { answerSampler, sampleAnswers } from '../../../src/domain/samples/sample-answers.ts'
import { ExportClient } from '../../support/export-client.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey, type TestKey } from '../../support/keys.ts'
import { aProgram, everyKind, q } from '../../support/programs.ts'
import { expectValidPage, schemaChecker } from '../../support/response-schema.ts'

const slug = 'conforming'
let key: TestKey

const database = await useDatabase({ timeZone: 'America/Los_Angeles' })
const service = await useService(database, { maxPageSize: 5, timeZone: 'America/Los_Angeles' })
const county = everyKind.map(spec =>
  spec.question.admin_name === 'county' ? q.dropdown('county', ['king', 'chelan'], { optional: true }) : spec,
)
// Three versions: a question goes, an option goes and another comes, a question comes.
const versions = [[...everyKind, q.text('former one', { optional: true })], everyKind, [...county, q.id('later one')]]
const next = seededRandom(41)
for (const questions of versions) {
  const { version } = await aProgram(database.sql, { slug, questions })
  key = await createTestKey(database.sql, { programs: [slug], maySubmit: true })
  const frontEnd = new FrontEnd(service, key, slug)
  const shape = buildKeyMap([version])
  const make = answerSampler(version)
  for (let i = 0; i < 6; i++) {
    const answers = i === 0 ? sampleAnswers(version) : make(next)
    const submitter =
      i % 2 === 0 ? undefined : { type: 'TRUSTED_INTERMEDIARY', email: 'a@example.org', organization: 'Helpers' }
    const applicant = await frontEnd.register()
    await frontEnd.apply(applicant, JSON.parse(`{${renderMembers(shape, answers, noEntityEnd)}}`), submitter)
  }
}

test('every page of an export is exactly what the docs say, whichever versions it was submitted to', async () => {
  let applications = 0
  for await (const { page } of new ExportClient(service, key, slug).walk()) {
    await expectValidPage(database.sql, slug, page)
    applications += page.payload.length
  }
  const [stored] = await database.sql<{ count: number }[]>`select count(*) from application`
  expect(applications).toBe(stored!.count)
  expect(applications).toBeGreaterThanOrEqual(18)
})

test('the schema that clients download fits every page, too', async () => {
  const schema = await service.get(`/docs/api/programs/${slug}/versions/active/response.schema.json`, {
    headers: { Authorization: key.authorization },
  })
  const check = schemaChecker((await schema.json()) as Record<string, unknown>)
  for await (const { page } of new ExportClient(service, key, slug).walk()) expect(check(page)).toEqual([])
})

test('a page that is not as documented would be noticed', async () => {
  const { page } = await new ExportClient(service, key, slug).page()
  const changed = { ...page, payload: page.payload.map(one => ({ ...one, surname: 'García' })) }
  await expect(expectValidPage(database.sql, slug, changed)).rejects.toThrow('surname')
  const { application } = page.payload[0]!
  delete application.later_one
  await expect(expectValidPage(database.sql, slug, page)).rejects.toThrow('later_one')
})

// Contract, section 3: "Docs hold sample values only, never an applicant's."
test('nothing an applicant wrote is in the docs', async () => {
  const written = 'kestrel-canary-in-an-answer'
  const frontEnd = new FrontEnd(service, key, slug)
  const applicant = await frontEnd.register()
  const name = { first_name: written, middle_name: written, last_name: written, suffix: null }
  await frontEnd.apply(applicant, { applicant_name: name, later_one: { id: '778899001' } })
  const headers = { Authorization: key.authorization }
  for (const path of ['', '/versions/active/openapi.json', '/versions/active/response.schema.json'])
    for (const Accept of ['text/html', 'application/json']) {
      const docs = await service.get(`/docs/api/programs/${slug}${path}`, { headers: { ...headers, Accept } })
      expect(docs.status).toBe(200)
      const text = await docs.text()
      for (const value of [written, '778899001']) expect(text).not.toContain(value)
    }
})
