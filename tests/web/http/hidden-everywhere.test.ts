// Questions that are hidden from a key: every route of the service is walked with such a key, and none may reveal them.

import { describe, expect, test } from 'bun:test'
import { changesFormats } from '../../../src/core/export/changes/feed-framings.ts'
import { pageFormats } from '../../../src/core/export/framings/all-framings.ts'
import { exportTypes } from '../../../src/web/http/headers/export-formats.ts'
import { useService } from '../../support/fixtures.ts'
import type { TestKey } from '../../support/keys.ts'
import type { TestService } from '../../support/service.ts'
import { applications, mark, slug, usePartlyHidden } from './partly-hidden.ts'

// As in operation, docs and key maps exist before the first request: whatever is published here is kept at once.
const { applicant, database, first, redacted, service, whole } = await usePartlyHidden()

const exportOnly = await useService(database, { exportOnly: true, auditRequired: false })

const tokenOf = async (query: string): Promise<string> => {
  const response = await service.get(`${applications}?${query}`, { headers: { Authorization: whole.authorization } })
  return ((await response.json()) as { nextPageToken: string }).nextPageToken
}
/** Of walks of the whole key: one over all, and one over nothing but what is hidden. */
const tokens = {
  all: await tokenOf('pageSize=1'),
  chosen: await tokenOf('pageSize=1&fields=zyxquavompel_salary,zyxquavompel_roster,pet.zyxquavompel_chip'),
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
  /** What `:version` or `:entitySet` stands for. */
  versions?: readonly string[]
  /** Whether a key from which nothing is hidden is sent what is hidden here, so that the test would notice it; with which query. */
  reveals?: true | string
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
    reveals: true,
  },
  '/api/v1/admin/programs/:programSlug/applications/:applicationId': {
    queries: ['', 'fields=pet', 'fields=qqq'],
    reveals: true,
  },
  '/api/v1/admin/programs/:programSlug/applications/:applicationId/revisions': {
    queries: ['', 'fields=pet', 'fields=qqq&after=x'],
    reveals: true,
  },
  '/api/v1/admin/programs/:programSlug/applications/:applicationId/history': {},
  '/api/v1/admin/programs/:programSlug/applications/:applicationId/status': { body: '{"status":"Denied"}' },
  '/api/v1/admin/programs/:programSlug/changes': {
    queries: ['', 'include=application', 'include=application&fields=pet', 'include=application&fields=qqq&pageSize=0'],
    accept: changesFormats.map(format => pageFormats[format].types[0]),
    reveals: 'include=application',
  },
  '/api/v1/admin/programs/:programSlug/receipt': { queries: ['', `walk=${tokens.all}`, `walk=${tokens.chosen}`] },
  '/odata/v1/:programSlug': { reveals: true },
  '/odata/v1/:programSlug/$metadata': { reveals: true },
  '/odata/v1/:programSlug/:entitySet': {
    queries: [
      '',
      '$count=true',
      '$select=qqq',
      '$filter=qqq eq 1',
      '$filter=plain_words__text eq 1',
      '$expand=pet',
      `$skiptoken=${tokens.all}`,
      `$skiptoken=${tokens.chosen}`,
    ],
    versions: ['Applications', 'pet', 'pet__vet_visit', 'qqq'],
    reveals: true,
  },
  '/odata/v1/:programSlug/:entitySet/$count': {
    queries: ['', '$filter=plain_words__text eq 1'],
    versions: ['Applications', 'pet', 'qqq'],
  },
  '/odata/v1/:programSlug/:entitySet/*': {},
  '/intake/v1/programs/:slug': {},
  '/intake/v1/applicants': { body: '{"language":"en-US"}' },
  '/intake/v1/applicants/:applicantId': { body: '{"language":"en-US"}' },
  '/intake/v1/programs/:slug/applicants/:applicantId/answers': { body: '{"answers":{}}' },
  '/intake/v1/programs/:slug/applicants/:applicantId/submissions': { body: '{"submitter":{"type":"APPLICANT"}}' },
  '/intake/*': {},
  '/docs/api/programs': { accept: forPeople, reveals: true },
  '/docs/api/programs/:programSlug': { accept: forPeople, reveals: true },
  '/docs/api/programs/:programSlug/versions/:version': { accept: forPeople, versions, reveals: true },
  '/docs/api/programs/:programSlug/versions/:version/response.schema.json': {
    queries: ['', 'fields=pet', 'fields=qqq'],
    versions,
    reveals: true,
  },
  '/docs/api/programs/:programSlug/versions/:version/openapi.json': { versions, reveals: true },
  '/docs/api/programs/:programSlug/samples/:fileName': {},
  '/docs/api/programs.md': { reveals: true },
  '/docs/api/connect': { accept: forPeople },
  '/docs/api/connect.md': {},
  '/docs/api/programs/:programSlug/versions/:version/questions': { versions, reveals: true },
  '/docs/api/programs/:programSlug/versions/:version/questions.md': { versions, reveals: true },
  '/docs/api/programs/:programSlug/versions/:version/changes': { versions, reveals: true },
  '/docs/api/programs/:programSlug/versions/:version/changes.md': { versions, reveals: true },
  '/docs/api.md': {},
  '/llms.txt': {},
  '/docs/api': { accept: forPeople },
  '/docs/api/openapi.json': {},
  '/': {},
  '/docs': {},
  '/swagger': {},
  '/swagger/json': {},
  '/openapi.json': {},
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
            .replaceAll(/:(\w+)/g, (_, name: string) =>
              /version|entitySet/.test(name) ? version : (places[name] ?? '1'),
            )
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
  test('the table of routes is complete', async () => {
    const paths = new Set((await of.routes()).map(({ path }) => path).filter(path => !isForPeople(path)))
    expect([...paths].filter(path => !Object.hasOwn(table, path))).toEqual([])
    if (of === service) expect(Object.keys(table).filter(path => !paths.has(path))).toEqual(['/intake/*'])
  })

  test('no response of any route has hidden answers, keys, names, texts or options, in headers or body, in any format', async () => {
    let answered = 0
    for (const { method, path } of await of.routes()) {
      for (const asked of requestsOf(method, path, table[path] ?? {}, redacted)) {
        const { status, text } = await everythingOf(of, asked)
        if (text.includes(mark)) throw new Error(`${method} ${asked.path} revealed: …${around(text)}…`)
        expect(status === 500 ? `${method} ${asked.path} answered 500` : undefined).toBeUndefined()
        if (status === 200) answered++
      }
    }
    expect(answered).toBeGreaterThan(100)
  }, 120_000)

  test('a key without hidden questions receives them where the table says so, which shows that the test would notice', async () => {
    for (const [path, row] of Object.entries(table)) {
      if (row.reveals === undefined) continue
      for (const asked of requestsOf(
        'GET',
        path,
        { ...row, queries: [row.reveals === true ? '' : row.reveals] },
        whole,
      )) {
        const { text } = await everythingOf(of, asked)
        if (!text.includes(mark)) throw new Error(`${asked.path} has nothing to hide`)
      }
    }
  })
})

const around = (text: string): string => text.slice(Math.max(0, text.indexOf(mark) - 200), text.indexOf(mark) + 100)
