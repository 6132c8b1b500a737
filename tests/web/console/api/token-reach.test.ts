// What a token reaches through the keys and the people that it makes, changes or gives a secret to.

import { describe, expect, test } from 'bun:test'
import { createApiKey } from '../../../../src/core/keys/api-keys.ts'
import { scopes } from '../../../../src/core/people/admin-tokens.ts'
import { setIntermediaryDisabled, setOrganizationDisabled } from '../../../../src/core/people/intermediaries.ts'
import { disablePerson } from '../../../../src/core/people/people.ts'
import type { Role } from '../../../../src/core/people/roles.ts'
import { consoleActions } from '../../../../src/web/console/console.ts'
import type { Deps } from '../../../../src/web/http/server/deps.ts'
import { testPepper } from '../../../support/config.ts'
import { aPerson } from '../../../support/console.ts'
import { ApiProgram, aToken } from '../../../support/console-api.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { anIntermediary, anOrganization } from '../../../support/intermediary.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database, { apply: true })
await sql`insert into program (slug, display_name) values ('food', 'Food')`
const ada = await aPerson(sql)
const by = { actor: 'operator:test', now: Date.now() * 1000 }
const dayMicros = 86_400_000_000

const withScopes = async (...wanted: readonly string[]) =>
  ApiProgram.withToken(service, (await aToken(sql, ada, { scopes: wanted })).token)
const allReads = scopes.filter(scope => scope.endsWith(':read'))

interface May {
  may_export: boolean
  may_submit: boolean
  may_annotate: boolean
}
const exporting = { may_export: true, may_submit: false, may_annotate: false }
const submitting = { may_export: false, may_submit: true, may_annotate: false }
const annotating = { may_export: true, may_submit: false, may_annotate: true }
const draftOf = (may: May) => ({
  ...may,
  name: 'made by a token',
  programs: ['food'],
  allowed_subnets: ['anywhere'],
  ...(may.may_submit && { front_end: 'forms' }),
})

describe('a key', () => {
  test.each<[string, May, string[], boolean]>([
    ['that exports: not by keys:write alone', exporting, ['keys:write'], false],
    ['that exports: with applications:read', exporting, ['keys:write', 'applications:read'], true],
    ['that submits: not with applications:read', submitting, ['keys:write', 'applications:read'], false],
    ['that submits: with applications:write', submitting, ['keys:write', 'applications:write'], true],
    ['that sets statuses: not with applications:read', annotating, ['keys:write', 'applications:read'], false],
    ['that sets statuses: with applications:write', annotating, ['keys:write', 'applications:write'], true],
  ])('%s', async (_, may, wanted, reaches) => {
    const api = await withScopes(...wanted)
    const made = await api.ask('POST', '/keys', { ...draftOf(may), expires_at: '30d' })
    const { key } = await createApiKey(sql, testPepper, { ...draftOf(may), expires_at: by.now + dayMicros, ...by })
    const path = `/keys/${key.api_key_id}`
    const { version } = (await api.ask('GET', path)).body
    const edited = await api.ask('PATCH', path, { based_on: version, allowed_subnets: ['192.0.2.0/24'] })
    const rotated = await api.ask('POST', `${path}/rotate`, { overlap_days: 0 })
    const statuses = [made.status, edited.status, rotated.status]
    expect(statuses).toEqual(reaches ? [201, 200, 200] : [403, 403, 403])
    if (!reaches) expect(made.body.detail).toContain(' applications:')
    // What only takes away is done with keys:write alone.
    expect((await api.ask('POST', `${path}/retire`)).status).toBe(200)
  })
})

test('erasing requires its own scope, even through a retention period', async () => {
  const path = '/programs/food/applications/1'
  const retention = { days: 30, based_on: null, confirmation: 'food' }
  const without = await withScopes('applications:write', 'settings:write')
  const erases = [`${path}/erase`, `${path}/erase-applicant`]
  for (const erase of erases) expect((await without.ask('POST', erase, {})).status).toBe(403)
  expect((await without.ask('PUT', '/programs/food/retention', retention)).status).toBe(403)
  expect((await without.ask('PUT', '/programs/food/retention', { days: null, based_on: null })).status).toBe(200)
  const erasing = await withScopes('applications:erase', 'settings:write')
  for (const erase of erases) expect((await erasing.ask('POST', erase, {})).status).toBe(404)
  expect((await erasing.ask('PUT', '/programs/food/retention', retention)).status).toBe(200)
  expect((await erasing.ask('GET', '/programs/food/applications')).status).toBe(403)
})

describe('a person', () => {
  const cases: [string, Role, readonly string[], boolean][] = [
    ['an administrator: by no token', 'ADMINISTRATOR', scopes, false],
    ['an auditor: not by people:write alone', 'AUDITOR', ['people:write'], false],
    ['an auditor: by a token that may read everything', 'AUDITOR', [...allReads, 'people:write'], true],
    ['a program administrator: not by people:write alone', 'PROGRAM_ADMINISTRATOR', ['people:write'], false],
    [
      'a program administrator: not by one that only reads applications',
      'PROGRAM_ADMINISTRATOR',
      ['people:write', 'programs:read', 'applications:read'],
      false,
    ],
    [
      'a program administrator: not by one that sets statuses alone',
      'PROGRAM_ADMINISTRATOR',
      ['people:write', 'programs:read', 'applications:write'],
      false,
    ],
    [
      'a program administrator: by one that reads webhooks too',
      'PROGRAM_ADMINISTRATOR',
      ['people:write', 'programs:read', 'applications:write', 'webhooks:read'],
      true,
    ],
  ]
  test.each(cases)('%s', async (_, role, wanted, reaches) => {
    const api = await withScopes(...wanted)
    const facts = { name: 'Made', role, programs: role === 'PROGRAM_ADMINISTRATOR' ? ['food'] : [] }
    const email = `${crypto.randomUUID()}@example.gov`
    const made = await api.ask('POST', '/people', { ...facts, email })
    expect(await sql`select from person where email = ${email}`).toHaveLength(reaches ? 1 : 0)
    const { person_id, email: known } = await aPerson(sql, { role, programs: ['food'] })
    const path = `/people/${person_id}`
    const edited = await api.ask('PUT', path, { ...facts, name: 'Edited' })
    const linked = await api.ask('POST', `${path}/link`)
    const issuer = 'https://id.example.gov'
    await sql`insert into person_identity (issuer, subject, person_id) values (${issuer}, ${known}, ${person_id})`
    const unlinked = await api.ask('POST', `${path}/unlink`, { issuer })
    await disablePerson(sql, person_id, by)
    const enabled = await api.ask('POST', `${path}/enable`)
    const statuses = [made.status, edited.status, linked.status, unlinked.status, enabled.status]
    expect(statuses).toEqual(reaches ? [201, 200, 200, 200, 200] : [403, 403, 403, 403, 403])
    expect((await sql`select from person where person_id = ${person_id} and disabled_at is null`).length).toBe(
      reaches ? 1 : 0,
    )
    // What only takes away is done with people:write alone.
    expect((await api.ask('POST', `${path}/disable`)).status).toBe(200)
  })

  test('is not given a role that the token does not reach', async () => {
    const api = await withScopes(...scopes)
    const { person_id } = await aPerson(sql, { role: 'AUDITOR' })
    const raised = await api.ask('PUT', `/people/${person_id}`, { name: 'Up', role: 'ADMINISTRATOR', programs: [] })
    expect([raised.status, raised.body.detail]).toEqual([403, expect.stringContaining('administrator')])
    const few = await withScopes(...allReads, 'people:write')
    const body = { name: 'Up', role: 'PROGRAM_ADMINISTRATOR', programs: ['food'] }
    expect((await few.ask('PUT', `/people/${person_id}`, body)).status).toBe(403)
    expect((await api.ask('PUT', `/people/${person_id}`, body)).status).toBe(200)
  })
})

/** Every action that gives a person or a key more, or hands out a secret of theirs: its description says what a token needs for it. */
const actions = consoleActions(service.foundation as Deps)
const reaching = actions.filter(({ description }) => /\bA token (also needs|can’t)/.test(description ?? ''))
/** All that these send is within reach: what refuses them is who they are about. */
const bodies: Readonly<Record<string, (about: { version: string }) => unknown>> = {
  editPerson: () => ({ name: 'Edited', role: 'AUDITOR', programs: [] }),
  unlinkPerson: () => ({ issuer: 'https://id.example.gov' }),
  editApiKey: ({ version }) => ({ based_on: version, name: 'Edited' }),
  rotateApiKey: () => ({ overlap_days: 0 }),
  inviteIntermediary: () => ({ name: 'Invited' }),
}

describe('a token that does not reach the person, key or organization is refused without changes, whatever the body:', () => {
  test('every action with such a limit is tested here, or creates what it is about', () => {
    const making = reaching.filter(({ path }) => !path.includes(':')).map(({ name }) => name)
    expect(making.toSorted()).toEqual(['createApiKey', 'invitePerson'])
    // Everything that lets somebody in again is among them.
    const enabling = actions.filter(({ name, scope }) => name.startsWith('enable') && scope !== 'webhooks:write')
    expect(enabling.filter(action => !reaching.includes(action))).toEqual([])
    expect(reaching.filter(({ body }) => body !== undefined).map(({ name }) => name)).toEqual(
      expect.arrayContaining(Object.keys(bodies)),
    )
  })

  const named = (parameter: string) =>
    reaching
      .filter(({ path }) => path.includes(parameter))
      .map(({ name, method, path }) => [name, method, path] as const)

  /** All that is stored of a person. */
  const storedPerson = (personId: number) => sql`
    select to_jsonb(p) as person,
      (select jsonb_agg(i) from person_identity i where i.person_id = p.person_id) as identities,
      (select jsonb_agg(f) from second_factor f where f.person_id = p.person_id) as factors,
      (select jsonb_agg(s) from invitation s where s.person_id = p.person_id) as invitations
    from person p where person_id = ${personId}`

  test.each(named(':personId'))('%s', async (name, method, path) => {
    const api = await withScopes(...scopes)
    const ask = async (role: Role) => {
      const { person_id, email } = await aPerson(sql, { role })
      await sql`insert into person_identity (issuer, subject, person_id) values ('https://id.example.gov', ${email}, ${person_id})`
      const before = await storedPerson(person_id)
      const { status } = await api.ask(
        method,
        path.replace(':personId', String(person_id)),
        bodies[name]?.({ version: '' }),
      )
      return { status, isChanged: !Bun.deepEquals(await storedPerson(person_id), before) }
    }
    expect(await ask('ADMINISTRATOR')).toEqual({ status: 403, isChanged: false })
    expect((await ask('AUDITOR')).status).not.toBe(403)
  })

  test.each(named(':keyId'))('%s', async (name, method, path) => {
    const ask = async (...wanted: string[]) => {
      const { key } = await createApiKey(sql, testPepper, {
        ...draftOf(exporting),
        expires_at: by.now + dayMicros,
        ...by,
      })
      const api = await withScopes('keys:write', ...wanted)
      const about = (await api.ask('GET', `/keys/${key.api_key_id}`)).body
      const stored = () => sql`select to_jsonb(k) as key from api_key k where api_key_id = ${key.api_key_id}`
      const before = await stored()
      const { status } = await api.ask(method, path.replace(':keyId', key.api_key_id), bodies[name]?.(about))
      return { status, isChanged: !Bun.deepEquals(await stored(), before) }
    }
    expect(await ask()).toEqual({ status: 403, isChanged: false })
    expect((await ask('applications:read')).status).not.toBe(403)
  })

  test.each(named(':organizationId'))('%s', async (name, method, path) => {
    const ask = async (...wanted: string[]) => {
      const organizationId = await anOrganization(sql, crypto.randomUUID())
      const person = await anIntermediary(sql, organizationId)
      if (name.startsWith('enable')) {
        await setIntermediaryDisabled(sql, person, true, by)
        await setOrganizationDisabled(sql, organizationId, true, by)
      }
      const stored = () => sql`
        select to_jsonb(o) as organization, to_jsonb(i) as intermediary
        from intermediary_organization o join intermediary i using (organization_id)
        where organization_id = ${organizationId}`
      const before = await stored()
      const api = await withScopes('intermediaries:write', ...wanted)
      const at = path
        .replace(':organizationId', String(organizationId))
        .replace(':intermediaryId', String(person.intermediaryId))
      const { status } = await api.ask(method, at, bodies[name]?.({ version: '' }))
      return { status, isChanged: !Bun.deepEquals(await stored(), before) }
    }
    expect(await ask()).toEqual({ status: 403, isChanged: false })
    expect((await ask('applications:write')).status).not.toBe(403)
  })
})
