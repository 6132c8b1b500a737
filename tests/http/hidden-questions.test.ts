// Questions that are hidden from a key: every route of the service is walked with such a key, and none may tell of them. What is hidden has
// `zyxqua` in all that could give it away: admin name and key, text, options, screen, and answers.

import { describe, expect, test } from 'bun:test'
import { editApiKey } from '../../src/access/api-keys.ts'
import { findDisclosures } from '../../src/access/disclosure.ts'
import type { JsonSchema } from '../../src/domain/question-types/field-schema.ts'
import { exportTypes } from '../../src/http/export-formats.ts'
import { annotate } from '../../src/upkeep/annotate.ts'
import { useDatabase, useService } from '../support/fixtures.ts'
import { FrontEnd } from '../support/front-end.ts'
import { createTestKey, type TestKey } from '../support/keys.ts'
import { aDraft, aProgram, type ProgramSpec, q } from '../support/programs.ts'
import { schemaFaults } from '../support/response-schema.ts'
import type { TestService } from '../support/service.ts'
import { until } from '../support/until.ts'

const mark = 'zyxqua'
const database = await useDatabase()
const { sql } = database
const service = await useService(database)
const exportOnly = await useService(database, { exportOnly: true, auditRequired: false })

const slug = 'partly-hidden'
const optional = { optional: true }
const pet = (inner: boolean) =>
  q.enumerator(
    'pet',
    [
      q.text('pet name', optional),
      q.text(`${mark} chip`, optional),
      q.enumerator('vet visit', [q.text('vet note', optional), q.number(`${mark} price`, optional)], optional),
      ...(inner ? [q.text(`${mark} pedigree`, optional)] : []),
    ],
    optional,
  )
const hiddenScreen = (text: string) => ({
  name: `About ${mark}`,
  questions: [
    q.enumerator(
      `${mark} roster`,
      [
        q.text(`${mark} roster note`, optional),
        q.enumerator(`${mark} deep`, [q.text(`${mark} deepest`, optional)], optional),
      ],
      { optional: true, text },
    ),
    q.static(`${mark} advice`, { text: `Think of ${mark}.` }),
  ],
})
const spec = (year: number): ProgramSpec => ({
  slug,
  screens: [
    {
      name: 'About you',
      questions: [
        q.text('plain words', { ...optional, text: `As of ${year}` }),
        q.text(`${mark} salary`, { ...optional, text: `Your ${mark} of ${year}?`, help: `The ${mark} one.` }),
        q.checkbox(`${mark} choice`, [`${mark}-one`, `${mark}-${year}`], optional),
        pet(year > 2024),
        q.text('asked on condition', {
          ...optional,
          ...(year === 2024
            ? {}
            : {
                visible_when: { question: `${mark} salary`, operator: 'equal', field: 'text', value: `${mark}${year}` },
              }),
        }),
        ...(year === 2025 ? [] : [q.number(`${mark} retired`, optional), q.number('retired too', optional)]),
      ],
    },
    hiddenScreen(`The ${mark} roster of ${year}?`),
  ],
})
const hiddenQuestions = [
  `${mark} salary`,
  `${mark} choice`,
  `${mark} chip`,
  `${mark} price`,
  `${mark} pedigree`,
  `${mark} retired`,
  `${mark} roster`,
  `${mark} advice`,
]

const { program_id } = await aProgram(sql, spec(2024))
const submitter = await createTestKey(sql, { programs: [slug], maySubmit: true })
const frontEnd = new FrontEnd(service, submitter, slug)
const hostile = `"},"${mark}":{"question_type":"TEXT"}],"entities":[\\\u0001${'x'.repeat(60)}${mark}\\"`
const answers = (plain: string) => ({
  plain_words: { text: plain },
  zyxqua_salary: { text: hostile },
  zyxqua_choice: { selections: [`${mark}-one`] },
  pet: {
    entities: ['Rex', '"},{"entity_name":"'].map(entity_name => ({
      entity_name,
      pet_name: { text: plain },
      zyxqua_chip: { text: hostile },
      vet_visit: { entities: [{ entity_name: 'May', vet_note: { text: plain }, zyxqua_price: { number: 12 } }] },
    })),
  },
  zyxqua_roster: {
    entities: [
      {
        entity_name: hostile,
        zyxqua_roster_note: { text: hostile },
        zyxqua_deep: { entities: [{ entity_name: hostile, zyxqua_deepest: { text: hostile } }] },
      },
    ],
  },
})
const applicant = await frontEnd.register()
const first = await frontEnd.apply(applicant, answers('the first'))
await aProgram(sql, spec(2025))
await frontEnd.apply(applicant, answers('a "quoted" one: }],"pet":{'))
await frontEnd.apply(await frontEnd.register(), {})
await annotate(sql, {
  program_id,
  application_id: first.application_id,
  status: 'Approved',
  note: 'Called.',
  actor: 'admin:test',
  now: 1_790_000_000_123_456,
  timeZone: service.config.timeZone,
})
await aDraft(sql, spec(2026))

const whole = await createTestKey(sql, { programs: [slug], mayAnnotate: true })
const redacted = await createTestKey(sql, { programs: [slug], mayAnnotate: true, hiddenQuestions })
const applications = `/api/v1/admin/programs/${slug}/applications`

const tokenOf = async (query: string): Promise<string> => {
  const response = await service.get(`${applications}?${query}`, { headers: { Authorization: whole.authorization } })
  return ((await response.json()) as { nextPageToken: string }).nextPageToken
}
/** Of walks of the whole key: one over all, and one over nothing but what is hidden. */
const tokens = {
  all: await tokenOf('pageSize=1'),
  chosen: await tokenOf('pageSize=1&fields=zyxqua_salary,zyxqua_roster,pet.zyxqua_chip'),
}

/** What stands in a path's places. */
const places: Readonly<Record<string, string>> = {
  programSlug: slug,
  slug,
  applicationId: String(first.application_id),
  applicantId: String(applicant),
  fileName: 'curl.sh',
  name: 'shell.css',
}
const forPeople = ['text/html', 'application/json']
const versions = ['active', 'draft']

interface Walked {
  /** The queries that each way of asking is tried with. */
  queries?: readonly string[]
  accept?: readonly string[]
  /** What `:version` stands for. */
  versions?: readonly string[]
  /** Whether a key from which nothing is hidden is told of what is hidden here, so that the test would notice it. */
  tells?: true
  body?: string
}

/** Every route that is not under `/admin` or `/assets`, which are for people; ways of refusing other methods are `ALL`. */
const table: Readonly<Record<string, Walked>> = {
  '/api/v1/checkAuth': {},
  '/api/v1/admin/programs': {},
  '/api/v1/admin/programs/:programSlug/applications': {
    queries: [
      '',
      'pageSize=1',
      'fields=pet',
      'fields=pet.vet_visit,plain_words',
      'fields=qqq,pet.qqq&pageSize=0',
      `nextPageToken=${tokens.all}`,
      `nextPageToken=${tokens.chosen}`,
      `nextPageToken=${tokens.chosen}&fields=pet`,
      'nothing=1',
    ],
    accept: exportTypes,
    tells: true,
  },
  '/api/v1/admin/programs/:programSlug/applications/:applicationId': {
    queries: ['', 'fields=pet', 'fields=qqq'],
    tells: true,
  },
  '/api/v1/admin/programs/:programSlug/applications/:applicationId/revisions': {
    queries: ['', 'fields=pet', 'fields=qqq&after=x'],
    tells: true,
  },
  '/api/v1/admin/programs/:programSlug/applications/:applicationId/history': {},
  '/api/v1/admin/programs/:programSlug/applications/:applicationId/status': { body: '{"status":"Denied"}' },
  '/api/v1/admin/programs/:programSlug/changes': {},
  '/api/v1/admin/programs/:programSlug/receipt': { queries: ['', `walk=${tokens.all}`, `walk=${tokens.chosen}`] },
  '/intake/v1/programs/:slug': {},
  '/intake/v1/applicants': { body: '{"language":"en-US"}' },
  '/intake/v1/applicants/:applicantId': { body: '{"language":"en-US"}' },
  '/intake/v1/programs/:slug/applicants/:applicantId/answers': { body: '{"answers":{}}' },
  '/intake/v1/programs/:slug/applicants/:applicantId/submissions': { body: '{"submitter":{"type":"APPLICANT"}}' },
  '/intake/*': {},
  '/docs/api/programs': { accept: forPeople, tells: true },
  '/docs/api/programs/:programSlug': { accept: forPeople, tells: true },
  '/docs/api/programs/:programSlug/versions/:version': { accept: forPeople, versions, tells: true },
  '/docs/api/programs/:programSlug/versions/:version/response.schema.json': {
    queries: ['', 'fields=pet', 'fields=qqq'],
    versions,
    tells: true,
  },
  '/docs/api/programs/:programSlug/versions/:version/openapi.json': { versions, tells: true },
  '/docs/api/programs/:programSlug/samples/:fileName': {},
  '/docs/api': { accept: forPeople },
  '/docs/api/openapi.json': {},
  '/': {},
}

interface Asked {
  path: string
  init: RequestInit
}

function requestsOf(method: string, path: string, row: Walked, { authorization }: TestKey): Asked[] {
  const verb = method === 'ALL' ? 'DELETE' : method
  const { queries = [''], accept = ['application/json'], body } = row
  return (row.versions ?? ['']).flatMap(version =>
    queries.flatMap(query =>
      accept.flatMap(Accept =>
        ['identity', 'gzip', 'zstd'].map(coding => {
          const filled = path
            .replace('*', 'anything')
            .replaceAll(/:(\w+)/g, (_, name: string) => (name === 'version' ? version : (places[name] ?? '1')))
          const headers = {
            Authorization: authorization,
            Accept,
            'Accept-Encoding': coding,
            'Want-Content-Digest': 'sha-256=1',
          }
          const sent = body === undefined || ['GET', 'HEAD'].includes(verb) ? {} : { body }
          return {
            path: `${filled}${query === '' ? '' : `?${query}`}`,
            init: {
              method: verb,
              headers: { ...headers, 'Content-Type': 'application/json', 'If-Match': '*' },
              ...sent,
            },
          }
        }),
      ),
    ),
  )
}

/** Everything that came: head and body, the latter also with its escapes undone. */
async function everythingOf(of: TestService, { path, init }: Asked): Promise<{ status: number; text: string }> {
  const response = await of.get(path, init)
  const body = await response.text()
  const unescaped = body.replaceAll(/\\u([0-9a-fA-F]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  return { status: response.status, text: `${head}\n${body}\n${unescaped}`.toLowerCase() }
}

const isForPeople = (path: string): boolean => /^\/(admin|assets)(\/|$)/.test(path)

describe.each([
  ['the service', service],
  ['a service that only exports', exportOnly],
])('%s', (_, of) => {
  test('the table names every route there is', async () => {
    const paths = new Set((await of.routes()).map(({ path }) => path).filter(path => !isForPeople(path)))
    expect([...paths].filter(path => !Object.hasOwn(table, path))).toEqual([])
    if (of === service) expect(Object.keys(table).filter(path => !paths.has(path))).toEqual(['/intake/*'])
  })

  test('no answer at any route has the hidden answers, keys, names, texts or options, in head or body, whatever its form', async () => {
    let answered = 0
    for (const { method, path } of await of.routes()) {
      for (const asked of requestsOf(method, path, table[path] ?? {}, redacted)) {
        const { status, text } = await everythingOf(of, asked)
        if (text.includes(mark)) throw new Error(`${method} ${asked.path} told: …${around(text)}…`)
        expect(status === 500 ? `${method} ${asked.path} answered 500` : undefined).toBeUndefined()
        if (status === 200) answered++
      }
    }
    expect(answered).toBeGreaterThan(100)
  }, 120_000)

  test('and a key from which nothing is hidden is told of them, where the table says so: the test would notice', async () => {
    for (const [path, row] of Object.entries(table)) {
      if (row.tells === undefined) continue
      for (const asked of requestsOf('GET', path, { ...row, queries: [''] }, whole)) {
        const { text } = await everythingOf(of, asked)
        if (!text.includes(mark)) throw new Error(`${asked.path} has nothing to hide`)
      }
    }
  })
})

const around = (text: string): string => text.slice(Math.max(0, text.indexOf(mark) - 200), text.indexOf(mark) + 100)

const get = (path: string, of: TestKey = redacted, headers: Record<string, string> = {}) =>
  service.get(path, { headers: { Authorization: of.authorization, ...headers } })

describe('a hidden question', () => {
  test('is refused in `fields` exactly as one that does not exist', async () => {
    const doors = [
      applications,
      `${applications}/${first.application_id}`,
      `${applications}/${first.application_id}/revisions`,
    ]
    const schema = `/docs/api/programs/${slug}/versions/active/response.schema.json`
    for (const door of [...doors, schema]) {
      const refusal = async (name: string) => {
        const response = await get(`${door}?fields=plain_words,${name}`)
        const { request_id: _, ...body } = (await response.json()) as Record<string, unknown>
        expect(response.status).toBe(400)
        return JSON.stringify(body).replaceAll(name, 'NAME')
      }
      const never = await refusal('qqq_salary')
      for (const name of [
        'zyxqua_salary',
        'zyxqua_roster',
        'zyxqua_roster.zyxqua_deep',
        'pet.zyxqua_chip',
        'pet.vet_visit.zyxqua_price',
        'zyxqua_retired',
      ])
        expect(await refusal(name)).toBe(never)
    }
  })

  test('leaves the rest byte for byte as an installation has it that never asked it, in each format', async () => {
    const parsed = async (key: TestKey) =>
      ((await (await get(applications, key)).json()) as { payload: { application: Record<string, unknown> }[] }).payload
    const [seen, all] = [await parsed(redacted), await parsed(whole)]
    const stripped = JSON.parse(JSON.stringify(all), function (this: unknown, key: string, value: unknown) {
      return key.includes(mark) ? undefined : value
    })
    expect(seen as unknown).toEqual(stripped)
    expect(Object.keys(seen[0]!.application)).toEqual(['plain_words', 'pet', 'asked_on_condition', 'retired_too'])
    const lines = (await (await get(applications, redacted, { Accept: 'application/x-ndjson' })).text())
      .trim()
      .split('\n')
    expect(lines.slice(0, -1)).toEqual(seen.map(one => JSON.stringify(one)))
    const csv = await (await get(applications, redacted, { Accept: 'text/csv' })).text()
    const [header] = csv.split('\r\n') as [string]
    expect(header).toEndWith('plain_words.text,pet.entities,asked_on_condition.text,retired_too.number')
    expect(csv.split('\r\n').length).toBe(all.length + 3)
  })

  test('is not in the schema, and what is exported meets the schema as the key sees it', async () => {
    const schema = await (await get(`/docs/api/programs/${slug}/versions/active/response.schema.json`)).json()
    expect(schemaFaults(schema as JsonSchema, await (await get(applications)).json())).toEqual([])
    const chosen = 'fields=pet.vet_visit.vet_note'
    const part = await (await get(`/docs/api/programs/${slug}/versions/active/response.schema.json?${chosen}`)).json()
    const page = (await (await get(`${applications}?${chosen}`)).json()) as { payload: { application: unknown }[] }
    expect(schemaFaults(part as JsonSchema, page)).toEqual([])
    expect(page.payload[0]!.application).toEqual({
      pet: {
        question_type: 'ENUMERATOR',
        entities: ['Rex', '"},{"entity_name":"'].map(entity_name => ({
          entity_name,
          vet_visit: {
            question_type: 'ENUMERATOR',
            entities: [{ entity_name: 'May', vet_note: { question_type: 'TEXT', text: 'the first' } }],
          },
        })),
      },
    })
  })

  test('"Retiring or editing takes effect on every instance within 1 s, and on the next page of a walk" (contract, section 3)', async () => {
    const key = await createTestKey(sql, { programs: [slug] })
    const by = { actor: 'operator:test', now: Date.now() * 1000 }
    const page = async (query: string) => {
      const response = await get(`${applications}?${query}`, key)
      const body = (await response.json()) as {
        payload: { application: Record<string, unknown> }[]
        nextPageToken: string
      }
      return {
        tag: response.headers.get('ETag')!,
        keys: Object.keys(body.payload[0]!.application),
        token: body.nextPageToken,
      }
    }
    const before = await page('pageSize=1')
    expect(before.keys).toContain('zyxqua_salary')
    const tagged = { 'If-None-Match': before.tag }
    expect((await get(`${applications}?pageSize=1`, key, tagged)).status).toBe(304)
    await editApiKey(sql, key.api_key_id, { hidden_questions: [`${mark} salary`] }, by)
    const next = await page(`nextPageToken=${before.token}`)
    expect(next.keys).not.toContain('zyxqua_salary')
    expect(next.keys).toContain('zyxqua_choice')
    // What the client has is not what it would be sent now.
    expect((await get(`${applications}?pageSize=1`, key, tagged)).status).toBe(200)
    await editApiKey(sql, key.api_key_id, { hidden_questions: [] }, by)
    expect((await page(`nextPageToken=${before.token}`)).keys).toContain('zyxqua_salary')
  })

  test('an ETag depends on a secret of the installation, so that nobody can try which questions would make it', async () => {
    const pepper = 'Zk3J9vXq2LmZ8wR5tYb7NcD4fGhP6sUaE1iOx'
    const elsewhere = await useService(database, { apiKeyPepper: pepper })
    const hidden = { programs: [slug], hiddenQuestions: [`${mark} salary`] }
    const tagOf = async (at: TestService, key: TestKey): Promise<string> => {
      const response = await at.get(applications, { headers: { Authorization: key.authorization } })
      expect(response.status).toBe(200)
      return response.headers.get('ETag')!
    }
    const tag = await tagOf(service, await createTestKey(sql, hidden))
    expect(await tagOf(service, await createTestKey(sql, hidden))).toBe(tag)
    expect(await tagOf(elsewhere, await createTestKey(sql, { ...hidden, pepper }))).not.toBe(tag)
  })

  test('is hidden in every program of the key, also in one that is published later', async () => {
    const later = 'hidden-later'
    const key = await createTestKey(sql, { programs: [later], hiddenQuestions: [`${mark} salary`] })
    await aProgram(sql, {
      slug: later,
      questions: [q.text('plain words', optional), q.text(`${mark} salary`, optional)],
    })
    const both = await createTestKey(sql, { programs: [later], maySubmit: true })
    const door = new FrontEnd(service, both, later)
    await door.apply(await door.register(), { zyxqua_salary: { text: hostile } })
    const text = await (await get(`/api/v1/admin/programs/${later}/applications`, key)).text()
    expect(JSON.parse(text).payload.map((one: { application: unknown }) => one.application)).toEqual([
      { plain_words: { question_type: 'TEXT', text: null } },
    ])
    expect(text).not.toContain(mark)
  })

  test('the trail says what was hidden and what was chosen, of a page and of one application', async () => {
    const key = await createTestKey(sql, { programs: [slug], hiddenQuestions: [`${mark} salary`, `${mark} roster`] })
    const keyOfAll = await createTestKey(sql, { programs: [slug] })
    const told = () => sql<{ detail: { fields?: string[]; hidden_questions?: string[] } }[]>`
      select detail from audit_event
      where actor in (${`key:${key.api_key_id}`}, ${`key:${keyOfAll.api_key_id}`}) and action = 'applications_exported'
      order by audit_event_id desc`
    await (await get(`${applications}?fields=pet.pet_name,plain_words`, key)).text()
    // The line on a page is written when the client has it.
    await until('the line on the page', async () => (await told()).length === 1)
    await (await get(`${applications}/${first.application_id}?fields=plain_words`, key)).text()
    await (await get(`${applications}/${first.application_id}`, keyOfAll)).text()
    const hidden = [`${mark} salary`, `${mark} roster`]
    expect((await told()).map(({ detail }) => [detail.fields, detail.hidden_questions])).toEqual([
      [undefined, undefined],
      [['plain_words'], hidden],
      [['plain_words', 'pet.pet_name'], hidden],
    ])
    const [sent] = await findDisclosures(sql, first.application_id, { rowsMax: 1000 })
    const own = sent!.pages.filter(({ actor }) => actor.endsWith(key.api_key_id) || actor.endsWith(keyOfAll.api_key_id))
    expect(own.map(({ questions }) => questions)).toEqual([
      'all',
      `only plain_words, without ${hidden.join(', ')}`,
      `only plain_words, pet.pet_name, without ${hidden.join(', ')}`,
    ])
  })
})
