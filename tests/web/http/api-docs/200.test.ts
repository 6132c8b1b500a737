import { describe, expect, test } from 'bun:test'
import { refreshDocsExample } from '../../../../src/core/derived/program-docs.ts'
import { decoded, isEmptyList, noticesOf } from '../../../support/console.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'
import { lintOpenApi } from '../../../support/openapi-lint.ts'
import { aDraft, aProgram, everyKind, q } from '../../../support/programs.ts'
import { schemaErrors } from '../../../support/response-schema.ts'

const slug = 'every-kind'

const database = await useDatabase()
const service = await useService(database, { baseUrl: 'https://apply.example.gov' })
await aProgram(database.sql, { slug, display_name: 'Every <kind>', questions: [...everyKind, q.text('former one')] })
const active = await aProgram(database.sql, { slug, display_name: 'Every <kind>', questions: everyKind })
const activeId = active.program_version_id
const questions = [...everyKind.filter(spec => spec.question.admin_name !== 'owns home'), q.text('new one')]
const draft = await aDraft(database.sql, { slug, display_name: 'Every <kind>', questions })
const draftId = draft.program_version_id
await aDraft(database.sql, { slug: 'only-drafted', questions: [q.text('drafted')] })
await aProgram(database.sql, { slug: 'not-granted' })
const key = await createTestKey(database.sql, { programs: [slug, 'only-drafted', 'nothing-yet'] })

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

/** What is read on a page. */
const textOf = (page: string): string => decoded(page.replace(/<[^>]*>/g, ''))

describe('the list of documented programs', () => {
  // Spec: "It shows an example export response for each active and each draft program, including the question keys and option admin IDs."
  test('D31: shows a short example of each active and each draft version of the key, with links to the whole, and no other', async () => {
    const { programs, next_url } = await json('/docs/api/programs')
    const docs_url = `https://apply.example.gov/docs/api/programs/${slug}`
    expect(programs).toMatchObject([
      {
        slug,
        display_name: 'Every <kind>',
        active_version_id: activeId,
        active_version_number: 2,
        draft_version_id: draftId,
        docs_url,
        versions: [
          {
            program_version_id: activeId,
            version_number: 2,
            state: 'ACTIVE',
            docs_url: `${docs_url}/versions/${activeId}`,
          },
          {
            program_version_id: draftId,
            version_number: null,
            state: 'DRAFT',
            docs_url: `${docs_url}/versions/${draftId}`,
          },
        ],
      },
      { slug: 'only-drafted', active_version_id: null, versions: [{ state: 'DRAFT', questions_left_out: 0 }] },
    ])
    expect(programs[1].versions[0].example.payload[0].application.drafted).toMatchObject({ question_type: 'TEXT' })
    expect(next_url).toBeNull()

    // What is shown is the beginning of the whole example, of which nothing else is shortened.
    const whole = await json(`/docs/api/programs/${slug}`)
    for (const [i, { example, questions_left_out }] of programs[0].versions.entries()) {
      const { application, ...rest } = example.payload[0]
      const { application: all, ...same } = whole.versions[i].example.payload[0]
      expect(rest).toEqual(same)
      expect(all).toMatchObject(application)
      expect(Object.keys(application).length).toBeGreaterThan(5)
      expect(Object.keys(application).length + questions_left_out).toBe(Object.keys(all).length)
      expect(JSON.stringify(example).length).toBeLessThan(4000)
    }

    const page = await html('/docs/api/programs')
    expect(page).toContain(`href="/docs/api/programs/${slug}"`)
    for (const id of [activeId, draftId]) expect(page).toContain(`href="/docs/api/programs/${slug}/versions/${id}"`)
    for (const version of programs[0].versions) expect(textOf(page)).toContain(JSON.stringify(version.example, null, 2))
    expect(page).toContain('Every &lt;kind>')
    expect(page).not.toContain('not-granted')
    // Every version has its downloads, and its example is folded.
    for (const id of [activeId, draftId])
      for (const file of ['response.schema.json', 'openapi.json'])
        expect(page).toContain(`href="/docs/api/programs/${slug}/versions/${id}/${file}"`)
    const examples = [...page.matchAll(/<details class="example"([^>]*)>/g)]
    expect(examples.map(([, attributes]) => attributes)).toEqual(['', '', ''])
  })

  test('is the same for stored docs as for docs generated on request, and never stale', async () => {
    const before = await json('/docs/api/programs')
    for (const id of [activeId, draftId]) await refreshDocsExample(database.sql, id, { timeZone: 'UTC' })
    expect(await json('/docs/api/programs')).toEqual(before)
    await database.sql`
      update docs_example set code_version = code_version + 1,
        content = (content::jsonb || '{"short_example":{"page":"{}","left_out":7}}')::json
      where program_version_id = ${draftId}`
    expect(await json('/docs/api/programs')).toEqual(before)
    await database.sql`update docs_example set code_version = code_version - 1 where program_version_id = ${draftId}`
    expect((await json('/docs/api/programs')).programs[0].versions[1]).toMatchObject({ questions_left_out: 7 })
    await database.sql`delete from docs_example`
  })

  test('has pages of bounded length, with each program on exactly one page', async () => {
    const slugs = Array.from({ length: 45 }, (_, i) => `many-${String(i).padStart(2, '0')}`)
    for (const [i, value] of slugs.entries())
      await aProgram(database.sql, {
        slug: value,
        questions: [q.text(`many ${'abcdefghij'[i % 10]}${'abcdefghij'[(i / 10) | 0]}`)],
      })
    const reader = await createTestKey(database.sql, { programs: slugs })
    const headers = { Authorization: reader.authorization, Accept: 'application/json' }
    const seen: string[] = []
    const pages: number[] = []
    for (let url: string | null = '/docs/api/programs'; url !== null; ) {
      const list = (await (await service.get(url, { headers })).json()) as Loose
      pages.push(list.programs.length)
      seen.push(...list.programs.map((program: Loose) => program.slug))
      url = list.next_url === null ? null : list.next_url.replace('https://apply.example.gov', '')
    }
    expect(pages).toEqual([20, 20, 5])
    expect(seen).toEqual(slugs)
    const page = await service.get('/docs/api/programs', { headers: { ...headers, Accept: 'text/html' } })
    expect(await page.text()).toContain('href="/docs/api/programs?after=many-19"')
    const found = await (await service.get('/docs/api/programs?q=MANY-1', { headers })).json()
    expect((found as Loose).programs.map((program: Loose) => program.slug)).toEqual(slugs.slice(10, 20))
    const more = await (await service.get('/docs/api/programs?q=many', { headers })).json()
    expect((more as Loose).next_url).toEndWith('/docs/api/programs?q=many&after=many-19')
    const none = await service.get('/docs/api/programs?q=100%25', { headers: { ...headers, Accept: 'text/html' } })
    expect(isEmptyList(await none.text())).toBe(true)
    for (const [bad, parameter, code] of [
      ['after=A', 'after', 'bad_slug'],
      [`after=${'a'.repeat(101)}`, 'after', 'bad_slug'],
      ['after=%00', 'after', 'malformed_encoding'],
      ['after=a&after=b', 'after', 'duplicate_parameter'],
      ['After=a', 'After', 'unknown_parameter'],
    ] as const) {
      const refused = await service.get(`/docs/api/programs?${bad}`, { headers })
      expect(refused.status).toBe(400)
      expect(await refused.json()).toMatchObject({ errors: [{ parameter, code }] })
    }
  })

  test('also shows a key that may only submit its programs', async () => {
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
      slug,
      display_name: 'Every <kind>',
      export_url: `https://apply.example.gov/api/v1/admin/programs/${slug}/applications`,
      feed_url: `https://apply.example.gov/odata/v1/${slug}`,
    })
    const [active, draft] = docs.versions
    expect(active).toMatchObject({
      program_version_id: activeId,
      version_number: 2,
      state: 'ACTIVE',
      regeneration_failed_at: null,
    })
    expect(draft).toMatchObject({ program_version_id: draftId, version_number: null, state: 'DRAFT' })
    expect(draft).toMatchObject({ changed_since: activeId, changed_since_number: 2 })
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
  })

  test('have a page for each version with the same content, and that of the draft shows its changes (D7)', async () => {
    const docs = await json(`/docs/api/programs/${slug}`)
    const [active, draft] = docs.versions
    const activePage = textOf(await html(`/docs/api/programs/${slug}`))
    const draftPage = textOf(await html(`/docs/api/programs/${slug}/versions/draft`))
    expect(activePage).toBe(textOf(await html(`/docs/api/programs/${slug}/versions/${activeId}`)))
    for (const [page, version] of [
      [activePage, active],
      [draftPage, draft],
    ]) {
      expect(page).toContain(JSON.stringify(version.example, null, 2))
      expect(page).toContain(`${version.program_version_id}`)
      for (const change of version.changes) expect(page).toContain(change.detail)
      // Samples export the active version.
      for (const sample of docs.code_samples)
        expect([sample.id, page.includes(sample.code)]).toEqual([sample.id, version === active])
      // From each to the other.
      expect(page).toContain('Active version 2')
      expect(page).toContain('Draft: 2 changes')
    }
    for (const question of active.questions) {
      expect(activePage).toContain(question.question_key)
      expect(activePage).toContain(question.path)
      for (const field of question.fields)
        expect(activePage).toContain(`${field.path.slice(question.path.length)} ${field.type} ${field.about}`)
      for (const option of question.options) expect(activePage).toContain(`${option.id} ${option.text}`)
    }
    const badges = (await html(`/docs/api/programs/${slug}`)).match(/<summary>(?:(?!<\/summary>).)*badge attention/gs)
    expect(badges).toHaveLength(active.questions.filter((question: Loose) => !question.asked).length)
    // The draft's page has the questions it changes, and not again those that stay as they are.
    const shown = (page: string, path: string): boolean => page.includes(path)
    for (const { path, question_key } of draft.questions.filter((question: Loose) => question.depth === 0))
      expect([question_key, shown(draftPage, path)]).toEqual([
        question_key,
        ['owns_home', 'new_one'].includes(question_key),
      ])
    expect(draftPage).toContain('until version 2')
    expect(await json(`/docs/api/programs/${slug}/versions/draft`)).toEqual({
      ...draft,
      generated_at: expect.any(String),
    })
  })

  test('on the page of a draft have every changed question, mark new ones, and count the others', async () => {
    const screens = (pets: string[], asksFor: string) => [
      { questions: [q.radio('pet', pets), q.text('breed'), q.text('owner')] },
      {
        visible_when: { question: 'pet', field: 'selection', operator: 'equal', value: asksFor } as const,
        questions: [q.text('fence')],
      },
    ]
    await aProgram(database.sql, { slug: 'pets', questions: [q.text('owner')] })
    await aProgram(database.sql, { slug: 'pets', screens: screens(['cat', 'dog'], 'dog') })
    const [first, second] = screens(['cat', 'dog', 'fox'], 'cat')
    first!.questions[1] = q.text('breed', { help: 'As in its papers.' })
    await aDraft(database.sql, { slug: 'pets', screens: [first!, second!] })
    const petKey = await createTestKey(database.sql, { programs: ['pets'] })
    const response = await service.get('/docs/api/programs/pets/versions/draft', {
      headers: { Authorization: petKey.authorization, Accept: 'text/html' },
    })
    const [list] = (await response.text()).split('<div class="questions">').at(-1)!.split('</section></div>')
    expect(
      [...list!.matchAll(/<h3[^>]*>([^<]*)|<code class="key">([^<]*)/g)].map(([, screen, key]) => screen ?? key),
    ).toEqual(['Screen 1', 'pet', 'breed', 'Screen 2', 'fence'])
    const [pet, breed, fence] = list!.split('<details class="question').slice(1).map(textOf)
    for (const question of [pet, breed, fence]) expect(question).toMatch(/null\b.*\b2\b/)
    expect(pet).toMatch(/application\.pet\.selection .*cat Option catdog Option dogfox Option foxnew/)
    expect(breed).toContain('application.breed.text ')
    expect(fence).toMatch(/“pet\?”.*“Option cat”.*application\.fence\.text /)
  })

  test('can be downloaded as a JSON Schema that the example matches, a valid OpenAPI document, and code samples', async () => {
    const { versions, code_samples } = await json(`/docs/api/programs/${slug}`)
    const path = (url: string): string => new URL(url).pathname
    for (const version of versions) {
      const schema = await get(path(version.response_schema_url), '*/*')
      expect(schema.headers.get('content-disposition')).toBe(
        `attachment; filename="${slug}-${version.program_version_id}.schema.json"`,
      )
      const document = (await schema.json()) as Record<string, unknown>
      expect(document.$id).toBe(version.response_schema_url)
      expect(schemaErrors(document, version.example)).toEqual([])
      expect(schemaErrors(document, { payload: [{}], nextPageToken: null })).not.toEqual([])
      const inline = await (await get(`${path(version.response_schema_url)}?inline=1`, '*/*')).text()
      expect(inline).not.toMatch(/"\$(?:ref|defs)"/)
      expect(JSON.parse(inline).$id).toBe(`${version.response_schema_url}?inline=1`)
      expect(schemaErrors(JSON.parse(inline), version.example)).toEqual([])
      expect(schemaErrors(JSON.parse(inline), { payload: [{}], nextPageToken: null })).not.toEqual([])
      const openApi = (await (await get(path(version.openapi_url), '*/*')).json()) as Record<string, unknown>
      expect(openApi).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://apply.example.gov' }] })
      expect((await lintOpenApi(openApi)).filter(problem => !problem.includes('info-license'))).toEqual([])
    }
    for (const sample of code_samples) {
      const response = await get(path(sample.url), '*/*')
      expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${sample.file_name}"`)
      expect(await response.text()).toBe(sample.code)
    }
    const unclear = await get(`/docs/api/programs/${slug}/versions/active/response.schema.json?inline=yes`, '*/*')
    expect([unclear.status, await unclear.json()]).toMatchObject([400, { errors: [{ parameter: 'inline' }] }])
    const byState = await get(`/docs/api/programs/${slug}/versions/active/response.schema.json`, '*/*')
    expect(((await byState.json()) as { $id: string }).$id).toBe(versions[0].response_schema_url)
  })

  test('of an unpublished program show only its draft, and without a draft say that there is nothing yet', async () => {
    const { versions } = await json('/docs/api/programs/only-drafted')
    expect(versions).toMatchObject([{ state: 'DRAFT', changed_since: null, changed_since_number: null, changes: [] }])
    expect((await json('/docs/api/programs/nothing-yet')).versions).toEqual([])
    expect(await html('/docs/api/programs/nothing-yet')).not.toContain('class="questions"')
  })
})

test('a failed regeneration is shown on the page, with the time of the docs shown instead', async () => {
  await refreshDocsExample(database.sql, activeId, { timeZone: 'UTC' })
  await database.sql`
    insert into derived_status (program_version_id, job_name, state, requested, last_error, updated_at)
    values (${activeId}, 'refresh-docs-example', 'failed', 1, 'secret of the machine', '2026-05-06T07:08:09Z')
    on conflict (program_version_id, job_name) do update
    set state = excluded.state, last_error = excluded.last_error, updated_at = excluded.updated_at, fulfilled = 0`
  const { versions } = await json(`/docs/api/programs/${slug}`)
  expect(versions[0].regeneration_failed_at).toBe('2026-05-06T07:08:09+00:00')
  const page = await html(`/docs/api/programs/${slug}`)
  expect(noticesOf(page)).toEqual(['not-made-again'])
  expect(textOf(page)).toContain(' May 6, 2026, 07:08')
  expect(page).toContain('title="2026-05-06T07:08:09+00:00"')
  expect(page).not.toContain('secret of the machine')
  await database.sql`delete from derived_status where program_version_id = ${activeId}`
})

test('a page varies by Accept, says so, and is not stored by caches', async () => {
  for (const path of ['/docs/api/programs', `/docs/api/programs/${slug}`]) {
    for (const accept of ['text/html', 'application/json']) {
      const { headers } = await get(path, accept)
      expect(headers.get('vary')).toBe('Accept, Accept-Encoding, Cookie')
      expect(headers.get('cache-control')).toBe('no-store')
    }
  }
})

test('the service lists its addresses as JSON if Accept prefers it', async () => {
  expect(await json('/docs/api')).toEqual({
    openapi_url: 'https://apply.example.gov/docs/api/openapi.json',
    programs_url: 'https://apply.example.gov/docs/api/programs',
    check_auth_url: 'https://apply.example.gov/api/v1/checkAuth',
  })
  expect(await html('/docs/api')).toContain('id="exportApplications"')
})

test.each([
  ['', ''],
  ['https://example.gov/apply', '/apply'],
])(
  'usual addresses lead to the docs, also without a key, and below the path of BASE_URL: %p',
  async (baseUrl, root) => {
    const there = await useService(database, { baseUrl })
    for (const [path, target] of [
      ['/', '/docs/api/programs'],
      ['/docs', '/docs/api/programs'],
      ['/swagger/json', '/docs/api/openapi.json'],
      ['/openapi.json', '/docs/api/openapi.json'],
    ] as const)
      for (const method of ['GET', 'HEAD']) {
        const answer = await there.get(path, { method, redirect: 'manual' })
        expect([path, answer.status, answer.headers.get('location')]).toEqual([path, 307, root + target])
        expect(answer.headers.get('x-request-id')).toBeString()
      }
  },
)

test('a browser gets a page at / with links for residents, developers and staff, to what this process serves', async () => {
  for (const [settings, hrefs] of [
    [{ apply: true }, ['/apply', '/docs/api/programs', '/admin']],
    [{ apply: false }, ['/docs/api/programs', '/admin']],
    [{ apply: true, exportOnly: true }, ['/docs/api/programs']],
  ] as const) {
    const there = await useService(database, settings)
    const page = await (await there.get('/', { headers: { Accept: 'text/html' } })).text()
    expect([...page.matchAll(/<li><a href="([^"]*)"/g)].map(([, href]) => href)).toEqual([...hrefs])
  }
})

test('docs are never sniffed or stored, and each response has the rate limit headers', async () => {
  for (const path of [
    '/docs/api',
    '/docs/api/openapi.json',
    '/docs/api/programs',
    `/docs/api/programs/${slug}`,
    `/docs/api/programs/${slug}/versions/active/response.schema.json`,
    `/docs/api/programs/${slug}/versions/draft/openapi.json`,
    `/docs/api/programs/${slug}/samples/export-${slug}.py`,
  ])
    for (const accept of ['text/html', 'application/json']) {
      const { status, headers } = await get(path, accept)
      expect([
        path,
        status,
        headers.get('x-content-type-options'),
        headers.get('cache-control'),
        headers.get('ratelimit'),
      ]).toEqual([...[path, 200, 'nosniff', 'no-store'], expect.any(String)])
    }
})

test('HEAD gets the response of GET without the body', async () => {
  for (const path of ['/docs/api/programs', `/docs/api/programs/${slug}`, '/docs/api', '/assets/docs.css']) {
    const head = await service.get(path, { method: 'HEAD', headers: { Authorization: key.authorization } })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0)
  }
})

test('without BASE_URL, addresses use the requested host', async () => {
  const plain = await useService(database)
  const docs = await plain.get(`/docs/api/programs/${slug}`, {
    headers: { Authorization: key.authorization, Accept: 'application/json' },
  })
  expect(((await docs.json()) as { export_url: string }).export_url).toStartWith(`${plain.baseUrl}/api/v1/`)
})

test('under a BASE_URL with a path, links lead below it', async () => {
  const below = await useService(database, { baseUrl: 'https://example.gov/apply' })
  const page = await below.get('/docs/api/programs', { headers: { Authorization: key.authorization } })
  const text = await page.text()
  expect(text).toContain(`href="/apply/docs/api/programs/${slug}"`)
  expect(text).toContain('href="/apply/assets/docs.css"')
})
