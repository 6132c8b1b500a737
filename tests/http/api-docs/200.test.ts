import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { refreshDocsExample } from '../../../src/derived/program-docs.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { createTestKey, type TestKey } from '../../support/keys.ts'
import { lintOpenApi } from '../../support/openapi-lint.ts'
import { aDraft, aProgram, everyKind, q } from '../../support/programs.ts'
import { schemaFaults } from '../../support/response-schema.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const slug = 'every-kind'
let database: TestDatabase
let service: TestService
let key: TestKey
let activeId: number
let draftId: number

beforeAll(async () => {
  database = await createTestDatabase()
  service = await startTestService(database, { baseUrl: 'https://apply.example.gov' })
  await aProgram(database.sql, { slug, display_name: 'Every <kind>', questions: [...everyKind, q.text('former one')] })
  const active = await aProgram(database.sql, { slug, display_name: 'Every <kind>', questions: everyKind })
  activeId = active.program_version_id
  const questions = [...everyKind.filter(spec => spec.question.admin_name !== 'owns home'), q.text('new one')]
  const draft = await aDraft(database.sql, { slug, display_name: 'Every <kind>', questions })
  draftId = draft.program_version_id
  await aDraft(database.sql, { slug: 'only-drafted', questions: [q.text('drafted')] })
  await aProgram(database.sql, { slug: 'not-granted' })
  key = await createTestKey(database.sql, { programs: [slug, 'only-drafted', 'nothing-yet'] })
})
afterAll(async () => {
  await service.stop()
  await database.drop()
})

const get = (path: string, accept: string): Promise<Response> =>
  service.get(path, { headers: { Authorization: key.authorization, Accept: accept } })
/** Parsed JSON, of whatever shape it is. */
type Loose = ReturnType<typeof JSON.parse>

const json = async (path: string): Promise<Loose> => {
  const response = await get(path, 'application/json')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toStartWith('application/json')
  return (await response.json()) as Loose
}
const html = async (path: string): Promise<string> => {
  const response = await get(path, 'text/html,*/*;q=0.8')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  return response.text()
}

describe('the index', () => {
  // Spec: "It shows an example export response for each active and each draft program".
  test('lists the active and draft programs of the key, and no other', async () => {
    const { programs } = await json('/docs/api/programs')
    expect(programs).toEqual([
      {
        ...{ slug, display_name: 'Every <kind>', active_version_id: activeId, draft_version_id: draftId },
        docs_url: `https://apply.example.gov/docs/api/programs/${slug}`,
      },
      expect.objectContaining({ slug: 'only-drafted', active_version_id: null, draft_version_id: expect.any(Number) }),
    ])
    const page = await html('/docs/api/programs')
    expect(page).toContain(`href="/docs/api/programs/${slug}"`)
    expect(page).toContain('Every &lt;kind>')
    expect(page).not.toContain('not-granted')
  })

  test('a key that may only submit sees its programs too', async () => {
    const submitter = await createTestKey(database.sql, { programs: [slug], mayExport: false, maySubmit: true })
    const headers = { Authorization: submitter.authorization, Accept: 'application/json' }
    const index = await service.get('/docs/api/programs', { headers })
    expect(((await index.json()) as { programs: unknown[] }).programs).toHaveLength(1)
    expect((await service.get(`/docs/api/programs/${slug}`, { headers })).status).toBe(200)
  })
})

describe('the docs of a program', () => {
  test('show the active version and the draft, each with its example, keys, option ids and changes', async () => {
    const docs = await json(`/docs/api/programs/${slug}`)
    expect(docs).toMatchObject({
      ...{ slug, display_name: 'Every <kind>' },
      export_url: `https://apply.example.gov/api/v1/admin/programs/${slug}/applications`,
    })
    const [active, draft] = docs.versions
    expect(active).toMatchObject({ program_version_id: activeId, state: 'ACTIVE', regeneration_failed_at: null })
    expect(draft).toMatchObject({ program_version_id: draftId, state: 'DRAFT', changed_since: activeId })
    for (const version of docs.versions) {
      expect(version.example.payload).toHaveLength(2)
      for (const application of version.example.payload) {
        expect(application).toMatchObject({ program_name: slug, program_version_id: version.program_version_id })
        expect(Object.keys(application.application).sort()).toEqual(
          version.questions
            .filter((question: Loose) => question.depth === 0)
            .map((question: Loose) => question.question_key)
            .sort(),
        )
      }
      expect(version.generated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)
    }
    const keys = (version: { questions: { question_key: string; asked: boolean }[] }, asked: boolean) =>
      version.questions.filter(question => question.asked === asked).map(question => question.question_key)
    expect(keys(active, false)).toEqual(['former_one'])
    expect(keys(draft, false).sort()).toEqual(['former_one', 'owns_home'])
    expect(keys(draft, true)).toContain('new_one')
    expect(keys(active, true)).not.toContain('new_one')
    const home = draft.questions.find((question: { question_key: string }) => question.question_key === 'owns_home')
    expect(home.options.map((option: { id: string; retired: boolean }) => [option.id, option.retired])).toEqual([
      ['yes', true],
      ['no', true],
    ])
  })

  test('as a page say the same, and need no script to do so', async () => {
    const docs = await json(`/docs/api/programs/${slug}`)
    const page = await html(`/docs/api/programs/${slug}`)
    expect(page).not.toContain('<script')
    const text = page
      .replace(/<wbr\s*\/?>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&')
    for (const version of docs.versions) {
      expect(text).toContain(JSON.stringify(version.example, null, 2))
      expect(text).toContain(`version ${version.program_version_id}`)
      for (const question of version.questions) {
        expect(text).toContain(`>${question.question_key}<`)
        expect(text).toContain(question.path)
        for (const option of question.options) expect(text).toContain(`<code>${option.id}</code>`)
      }
      for (const change of version.changes) expect(text).toContain(change.detail)
    }
    expect(text).toContain('not asked any more')
    expect(text).toContain('retired')
    for (const sample of docs.code_samples) expect(text).toContain(sample.code)
  })

  test('downloads: a JSON Schema that the example fits, an OpenAPI document that a linter finds valid, code samples', async () => {
    const { versions, code_samples } = await json(`/docs/api/programs/${slug}`)
    const path = (url: string): string => new URL(url).pathname
    for (const version of versions) {
      const schema = await get(path(version.response_schema_url), '*/*')
      expect(schema.headers.get('content-disposition')).toBe(
        `attachment; filename="${slug}-${version.program_version_id}.schema.json"`,
      )
      const document = (await schema.json()) as Record<string, unknown>
      expect(document.$id).toBe(version.response_schema_url)
      expect(schemaFaults(document, version.example)).toEqual([])
      expect(schemaFaults(document, { payload: [{}], nextPageToken: null })).not.toEqual([])
      const openApi = (await (await get(path(version.openapi_url), '*/*')).json()) as Record<string, unknown>
      expect(openApi).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://apply.example.gov' }] })
      expect((await lintOpenApi(openApi)).filter(problem => !problem.includes('info-license'))).toEqual([])
    }
    for (const sample of code_samples) {
      const response = await get(path(sample.url), '*/*')
      expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${sample.file_name}"`)
      expect(await response.text()).toBe(sample.code)
    }
    const byState = await get(`/docs/api/programs/${slug}/versions/active/response.schema.json`, '*/*')
    expect(((await byState.json()) as { $id: string }).$id).toBe(versions[0].response_schema_url)
  })

  test('of a program that was never published show its draft alone; of one with neither, that there is nothing yet', async () => {
    const { versions } = await json('/docs/api/programs/only-drafted')
    expect(versions).toMatchObject([{ state: 'DRAFT', changed_since: null, changes: [] }])
    expect((await json('/docs/api/programs/nothing-yet')).versions).toEqual([])
    expect(await html('/docs/api/programs/nothing-yet')).toContain('no active version and no draft')
  })
})

test('a failed regeneration is told on the page, with the time of what is shown instead', async () => {
  await refreshDocsExample(database.sql, activeId, { timeZone: 'UTC' })
  await database.sql`
    insert into derived_status (program_version_id, job_name, state, requested, last_error, updated_at)
    values (${activeId}, 'refresh-docs-example', 'failed', 1, 'secret of the machine', '2026-05-06T07:08:09Z')
    on conflict (program_version_id, job_name) do update
    set state = excluded.state, last_error = excluded.last_error, updated_at = excluded.updated_at, fulfilled = 0`
  const { versions } = await json(`/docs/api/programs/${slug}`)
  expect(versions[0].regeneration_failed_at).toBe('2026-05-06T07:08:09+00:00')
  const page = await html(`/docs/api/programs/${slug}`)
  expect(page).toContain('The last regeneration failed at')
  expect(page).toContain('2026-05-06 07:08:09 +00:00')
  expect(page).not.toContain('secret of the machine')
  await database.sql`delete from derived_status where program_version_id = ${activeId}`
})

test('a page differs by Accept and is told so to caches; nothing is kept by any', async () => {
  for (const path of ['/docs/api/programs', `/docs/api/programs/${slug}`]) {
    for (const accept of ['text/html', 'application/json']) {
      const { headers } = await get(path, accept)
      expect(headers.get('vary')).toBe('Accept')
      expect(headers.get('cache-control')).toBe('no-store')
    }
  }
})

test('HEAD is answered as GET, without the body', async () => {
  for (const path of ['/docs/api/programs', `/docs/api/programs/${slug}`, '/docs/api', '/docs/assets/docs.css']) {
    const head = await service.get(path, { method: 'HEAD', headers: { Authorization: key.authorization } })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0)
  }
})

test('where no BASE_URL is set, addresses are those that were asked', async () => {
  const plain = await startTestService(database)
  try {
    const docs = await plain.get(`/docs/api/programs/${slug}`, {
      headers: { Authorization: key.authorization, Accept: 'application/json' },
    })
    expect(((await docs.json()) as { export_url: string }).export_url).toStartWith(`${plain.baseUrl}/api/v1/`)
  } finally {
    await plain.stop()
  }
})

test('under a BASE_URL with a path, links lead below it', async () => {
  const below = await startTestService(database, { baseUrl: 'https://example.gov/apply' })
  try {
    const page = await below.get('/docs/api/programs', { headers: { Authorization: key.authorization } })
    const text = await page.text()
    expect(text).toContain(`href="/apply/docs/api/programs/${slug}"`)
    expect(text).toContain('href="/apply/docs/assets/docs.css"')
  } finally {
    await below.stop()
  }
})
