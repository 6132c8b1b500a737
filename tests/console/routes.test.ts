// Every route of the console with every role: a table that is walked, and that must have every route.

import { describe, expect, test } from 'bun:test'
import { consolePages } from '../../src/console/console.ts'
import type { Deps } from '../../src/http/server/deps.ts'
import type { Role } from '../../src/people/roles.ts'
import { unlimited } from '../support/config.ts'
import { addressOf, aPerson, ConsoleVisitor } from '../support/console.ts'
import { useDatabase, useService } from '../support/fixtures.ts'
import { oidcClient } from '../support/oidc-issuer.ts'
import { aProgram } from '../support/programs.ts'

type Expected = readonly [stranger: number, administrator: number, programAdministrator: number, auditor: number]
/**
 * Statuses for: nobody signed in, ADMINISTRATOR, PROGRAM_ADMINISTRATOR, AUDITOR. Forms are sent empty, with the right token: 400
 * or 404 says that the route was passed, 403 that it was not; 303 for a stranger leads to signing in, 401 tells that nothing was done.
 */
const table: Readonly<Record<string, Expected>> = {
  'GET /admin': [303, 200, 200, 200],
  'GET /admin/*': [404, 404, 404, 404],
  'GET /admin/sign-in': [200, 303, 303, 303],
  'POST /admin/sign-in': [401, 401, 401, 401],
  // The provider is away: 503 tells that the route was passed.
  'GET /admin/sign-in/oidc': [503, 303, 303, 303],
  'GET /admin/sign-in/oidc/callback': [400, 400, 400, 400],
  'POST /admin/sign-out': [401, 303, 303, 303],
  'GET /admin/invitations/:token': [404, 404, 404, 404],
  'POST /admin/invitations/:token': [404, 404, 404, 404],
  'GET /admin/confirm': [303, 200, 200, 200],
  'POST /admin/confirm': [401, 401, 401, 401],
  'GET /admin/confirm/oidc': [303, 503, 503, 503],
  'GET /admin/signed-in': [303, 200, 200, 200],
  'GET /admin/account': [303, 200, 200, 200],
  'POST /admin/account/password': [401, 400, 400, 400],
  'GET /admin/account/second-factor': [303, 200, 200, 200],
  'POST /admin/account/second-factor': [401, 403, 403, 403],
  'GET /admin/account/tokens': [303, 200, 200, 200],
  'GET /admin/account/tokens/new': [303, 200, 200, 200],
  'POST /admin/account/tokens/new': [401, 400, 400, 400],
  'GET /admin/account/tokens/:tokenId/issued': [303, 200, 200, 200],
  'POST /admin/account/tokens/:tokenId/retire': [401, 404, 404, 404],
  'GET /admin/keys': [303, 200, 403, 200],
  'GET /admin/keys/check': [303, 200, 403, 200],
  'GET /admin/keys/new': [303, 200, 403, 403],
  'POST /admin/keys/new': [401, 400, 403, 403],
  'GET /admin/keys/:keyId': [303, 404, 403, 404],
  'POST /admin/keys/:keyId': [401, 404, 403, 403],
  'GET /admin/keys/:keyId/issued': [303, 404, 403, 403],
  'GET /admin/keys/:keyId/rotate': [303, 404, 403, 403],
  'POST /admin/keys/:keyId/rotate': [401, 404, 403, 403],
  'POST /admin/keys/:keyId/disable': [401, 404, 403, 403],
  'POST /admin/keys/:keyId/enable': [401, 404, 403, 403],
  'GET /admin/keys/:keyId/retire': [303, 404, 403, 403],
  'POST /admin/keys/:keyId/retire': [401, 404, 403, 403],
  'GET /admin/programs': [303, 200, 200, 200],
  'GET /admin/programs/:slug': [303, 200, 404, 200],
  'GET /admin/programs/:slug/questions': [303, 200, 403, 200],
  'GET /admin/programs/:slug/versions': [303, 200, 403, 200],
  'GET /admin/programs/:slug/versions/compare': [303, 200, 403, 200],
  'GET /admin/programs/:slug/versions/:versionId': [303, 404, 403, 404],
  'GET /admin/programs/:slug/versions/:versionId/preview': [303, 404, 403, 404],
  'POST /admin/programs/:slug/versions/:versionId/preview': [401, 404, 403, 404],
  'GET /admin/programs/:slug/versions/:versionId/document': [303, 404, 403, 404],
  'POST /admin/programs/:slug/versions/:versionId/take': [401, 404, 403, 403],
  'GET /admin/programs/:slug/document': [303, 200, 403, 403],
  'POST /admin/programs/:slug/document': [401, 400, 403, 403],
  'GET /admin/new-program': [303, 200, 403, 403],
  'POST /admin/new-program': [401, 400, 403, 403],
  'GET /admin/programs/:slug/publish': [303, 303, 403, 403],
  'POST /admin/programs/:slug/publish': [401, 303, 403, 403],
  'POST /admin/programs/:slug/keep': [401, 303, 403, 403],
  'GET /admin/programs/:slug/discard': [303, 303, 403, 403],
  'POST /admin/programs/:slug/discard': [401, 303, 403, 403],
  'GET /admin/programs/:slug/question': [303, 404, 403, 403],
  'POST /admin/programs/:slug/question': [401, 404, 403, 403],
  'POST /admin/programs/:slug/question/move': [401, 404, 403, 403],
  'GET /admin/programs/:slug/add-from-bank': [303, 200, 403, 403],
  'POST /admin/programs/:slug/add-from-bank': [401, 400, 403, 403],
  'GET /admin/programs/:slug/add-question': [303, 200, 403, 403],
  'POST /admin/programs/:slug/add-question': [401, 400, 403, 403],
  'POST /admin/programs/:slug/screens': [401, 404, 403, 403],
  'GET /admin/programs/:slug/screen': [303, 404, 403, 403],
  'POST /admin/programs/:slug/screen': [401, 404, 403, 403],
  'GET /admin/programs/:slug/settings': [303, 200, 403, 403],
  'POST /admin/programs/:slug/settings': [401, 409, 403, 403],
  'POST /admin/programs/:slug/intake': [401, 400, 403, 403],
  'GET /admin/questions': [303, 200, 403, 200],
  'GET /admin/questions/:questionId': [303, 404, 403, 404],
  'GET /admin/applications': [303, 200, 200, 200],
  // Of a program that is not theirs, program administrators see as little as of one that is not there.
  'GET /admin/programs/:slug/applications': [303, 200, 404, 200],
  'GET /admin/programs/:slug/applications/download': [303, 200, 404, 403],
  'GET /admin/programs/:slug/applications/status': [303, 400, 404, 403],
  'POST /admin/programs/:slug/applications/status': [401, 400, 404, 403],
  'GET /admin/programs/:slug/applications/:applicationId': [303, 404, 404, 404],
  'POST /admin/programs/:slug/applications/:applicationId': [401, 404, 404, 403],
  'GET /admin/programs/:slug/applications/:applicationId/erase': [303, 404, 403, 403],
  'POST /admin/programs/:slug/applications/:applicationId/erase': [401, 404, 403, 403],
  'GET /admin/programs/:slug/applications/:applicationId/erase-applicant': [303, 404, 403, 403],
  'POST /admin/programs/:slug/applications/:applicationId/erase-applicant': [401, 404, 403, 403],
  'GET /admin/programs/:slug/applications/:applicationId/changes': [303, 404, 404, 403],
  'GET /admin/programs/:slug/applications/:applicationId/exported': [303, 404, 404, 403],
  'GET /admin/programs/:slug/applications/:applicationId/download': [303, 404, 404, 403],
  'GET /admin/intermediaries': [303, 200, 403, 200],
  'GET /admin/intermediaries/new': [303, 200, 403, 403],
  'POST /admin/intermediaries/new': [401, 400, 403, 403],
  'GET /admin/intermediaries/:organizationId': [303, 404, 403, 404],
  'POST /admin/intermediaries/:organizationId': [401, 404, 403, 403],
  'POST /admin/intermediaries/:organizationId/disable': [401, 404, 403, 403],
  'POST /admin/intermediaries/:organizationId/enable': [401, 404, 403, 403],
  'POST /admin/intermediaries/:organizationId/people': [401, 404, 403, 403],
  'POST /admin/intermediaries/:organizationId/people/:intermediaryId/disable': [401, 404, 403, 403],
  'POST /admin/intermediaries/:organizationId/people/:intermediaryId/enable': [401, 404, 403, 403],
  'GET /admin/people': [303, 200, 403, 200],
  'GET /admin/people/invite': [303, 200, 403, 403],
  'POST /admin/people/invite': [401, 400, 403, 403],
  'GET /admin/people/:personId': [303, 404, 403, 404],
  'POST /admin/people/:personId': [401, 404, 403, 403],
  'POST /admin/people/:personId/link': [401, 404, 403, 403],
  'POST /admin/people/:personId/unlink': [401, 404, 403, 403],
  'POST /admin/people/:personId/reset-second-factor': [401, 404, 403, 403],
  'POST /admin/people/:personId/disable': [401, 404, 403, 403],
  'POST /admin/people/:personId/enable': [401, 404, 403, 403],
  'POST /admin/people/:personId/tokens/:tokenId/retire': [401, 404, 403, 403],
  'GET /admin/webhooks': [303, 200, 200, 200],
  'GET /admin/webhooks/:webhookId': [303, 404, 404, 404],
  'GET /admin/webhooks/new': [303, 200, 403, 403],
  'POST /admin/webhooks/new': [401, 400, 403, 403],
  'POST /admin/webhooks/:webhookId/rotate': [401, 404, 403, 403],
  'GET /admin/webhooks/:webhookId/secret': [303, 404, 403, 403],
  'POST /admin/webhooks/:webhookId/test': [401, 404, 403, 403],
  'POST /admin/webhooks/:webhookId/resend': [401, 404, 403, 403],
  'POST /admin/webhooks/:webhookId/disable': [401, 404, 403, 403],
  'POST /admin/webhooks/:webhookId/enable': [401, 404, 403, 403],
  'POST /admin/webhooks/:webhookId/remove': [401, 404, 403, 403],
  'GET /admin/jobs': [303, 200, 403, 200],
  'POST /admin/jobs/retry': [401, 404, 403, 403],
  'POST /admin/jobs/regenerate': [401, 303, 403, 403],
  'GET /admin/audit': [303, 200, 403, 200],
  'GET /admin/audit/events.csv': [303, 200, 403, 200],
  'GET /admin/audit/events/:eventId': [303, 404, 403, 404],
  'GET /admin/audit/sent': [303, 200, 403, 200],
  'GET /admin/audit/verify': [303, 200, 403, 200],
  'POST /admin/audit/verify': [401, 200, 403, 200],
  'GET /admin/settings': [303, 200, 403, 200],
  'GET /admin/settings/retention': [303, 200, 403, 200],
  'GET /admin/programs/:slug/retention': [303, 200, 403, 200],
  'POST /admin/programs/:slug/retention': [401, 400, 403, 403],
}

const database = await useDatabase()
const service = await useService(database, { ...unlimited, ...oidcClient, oidcIssuer: 'http://127.0.0.1:1' })
await database.sql`insert into program (slug, display_name) values ('granted', 'Granted')`
await aProgram(database.sql, { slug: 'others' })
const roles: (Role | undefined)[] = [undefined, 'ADMINISTRATOR', 'PROGRAM_ADMINISTRATOR', 'AUDITOR']
const people = await Promise.all(
  roles.map(role => (role === undefined ? undefined : aPerson(database.sql, { role, programs: ['granted'] }))),
)

/** One for each role, signed in once: routes tell nothing of one another. */
const visitors = new Map<number, ConsoleVisitor>()
async function visitor(i: number): Promise<ConsoleVisitor> {
  const found = visitors.get(i) ?? new ConsoleVisitor(service)
  if (!visitors.has(i) && people[i] !== undefined) await found.signIn(people[i].email)
  visitors.set(i, found)
  return found
}

test('the table has every route, and no other', () => {
  const routes = consolePages(service.foundation as Deps).map(({ method, path }) => `${method} ${path}`)
  expect(Object.keys(table).sort()).toEqual(routes.sort())
})

describe.each(Object.entries(table))('%s', (route, expected) => {
  test.each(roles.map((role, i) => [role ?? 'nobody', i] as const))('%s', async (_, i) => {
    const [method, path] = route.split(' ') as [string, string]
    const filled = addressOf(path)
    const browser = await visitor(i)
    const response = method === 'GET' ? await browser.get(filled) : await browser.post(filled)
    if (filled === '/admin/sign-out') visitors.delete(i)
    expect(response.status).toBe(expected[i]!)
  })
})

test('other methods are refused with what is offered', async () => {
  const response = await service.get('/admin/people', { method: 'DELETE' })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})
