import { describe, expect, test } from 'bun:test'
import {
  createApiKey,
  disableApiKey,
  editApiKey,
  enableApiKey,
  type IssuedApiKey,
  type KeyPage,
  keyVersion,
  listKeys,
  loadKey,
  loadKeyPage,
  retireApiKey,
  rotateApiKey,
} from '../../../src/core/keys/api-keys.ts'
import { isWholePassword } from '../../../src/core/keys/credential.ts'
import type { ApiKeyDraft } from '../../../src/core/keys/key-settings.ts'
import { markApiKeyExposed } from '../../../src/db/keys/api-key-rows.ts'
import type { ListedApiKey } from '../../../src/db/keys/listed-keys.ts'
import { testPepper } from '../../support/config.ts'
import { endWithTest, useDatabase } from '../../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../../support/held-transaction.ts'
import { createTestKey, ensureTestProgram } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { rejection } from '../../support/refusal.ts'
import { formsOf, storedText } from '../../support/stored-text.ts'
import { until } from '../../support/until.ts'

const dayMicros = 86_400_000_000
const now = Date.now() * 1000
const by = { actor: 'admin:kim', address: '192.0.2.1', now }

const database = await useDatabase()
for (const slug of ['rent-aid', 'child-care', 'food']) await ensureTestProgram(database.sql, slug)

const draft: ApiKeyDraft = {
  name: 'Payroll of the county',
  programs: ['rent-aid', 'child-care'],
  expires_at: now + 90 * dayMicros,
  allowed_subnets: ['192.0.2.0/24', '2001:db8::/32'],
  may_export: true,
  may_submit: false,
}
const create = (changes: Partial<ApiKeyDraft> = {}): Promise<IssuedApiKey> =>
  createApiKey(database.sql, testPepper, { ...draft, ...changes, ...by })

async function errorsOf(promise: Promise<unknown>): Promise<string[]> {
  const { kind, errors } = await rejection(promise)
  return [kind, ...errors.map(({ path, code }) => `${path} ${code}`)]
}

const eventsOf = async (subject: string) => [
  ...(await database.sql<{ actor: string; action: string; address: string | null; detail: Record<string, unknown> }[]>`
  select actor, action, host(address) as address, detail
  from audit_event
  where subject = ${subject}
  order by audit_event_id`),
]

describe('making a key', () => {
  test('"Username, the Password and a ready-made value called API Secret Token, which is that Base64 string" (spec, "Authentication" 3)', async () => {
    const { username, password, apiSecretToken, key } = await create()
    expect(atob(apiSecretToken)).toBe(`${username}:${password}`)
    expect(isWholePassword(password)).toBe(true)
    expect(key.api_key_id).toBe(username)
  })

  test('"A key has: name, programs (at least one), expiry …, allowed subnets …, retirement" (contract section 3)', async () => {
    const { key } = await create({ name: '  Payroll  ', programs: ['rent-aid', 'child-care', 'rent-aid'] })
    expect(key).toMatchObject({
      name: 'Payroll',
      programs: ['child-care', 'rent-aid'],
      expires_at: draft.expires_at,
      allowed_subnets: ['192.0.2.0/24', '2001:db8::/32'],
      may_export: true,
      may_submit: false,
      created_at: now,
      created_by: 'admin:kim',
      retired_at: null,
      state: 'active',
    })
    expect(await loadKey(database.sql, key.api_key_id, now)).toEqual(key)
  })

  test('"\\"anywhere\\" is an explicit choice", stored as all addresses of both families', async () => {
    const { key } = await create({ allowed_subnets: ['anywhere'] })
    expect(key.allowed_subnets).toEqual(['0.0.0.0/0', '::/0'])
    expect(await errorsOf(create({ allowed_subnets: [] }))).toEqual(['invalid_request', '/allowed_subnets required'])
    expect(await errorsOf(create({ allowed_subnets: ['10.0.0.0/8', 'anywhere'] }))).toEqual([
      'invalid_request',
      '/allowed_subnets/1 anywhere_not_alone',
    ])
  })

  test('subnets are stored as PostgreSQL writes them, single addresses included', async () => {
    const { key } = await create({ allowed_subnets: ['192.0.2.7', '2001:DB8:0:0::/64', '::ffff:198.51.100.0/120'] })
    expect(key.allowed_subnets).toEqual(['192.0.2.7/32', '198.51.100.0/24', '2001:db8::/64'])
  })

  test('a key that sets status and note may also export', async () => {
    const writing = create({ may_export: false, may_submit: true, front_end: 'Portal', may_annotate: true })
    expect(await errorsOf(writing)).toEqual(['invalid_request', '/may_annotate needs_export'])
    expect((await create({ may_annotate: true })).key.may_annotate).toBe(true)
  })

  test('every error is named at once, with its place', async () => {
    const nothing = create({
      name: ' ',
      programs: ['rent-aid', 'nowhere', '\0', "'; drop table program"],
      expires_at: undefined,
      allowed_subnets: ['192.0.2.0/24', '192.0.2.1/24', 'here'],
      may_export: false,
      may_submit: false,
    })
    expect(await errorsOf(nothing)).toEqual([
      'invalid_request',
      '/name required',
      '/programs/1 unknown_program',
      '/programs/2 unknown_program',
      '/programs/3 unknown_program',
      '/allowed_subnets/1 bad_subnet',
      '/allowed_subnets/2 bad_subnet',
      '/expires_at required',
      '/may_export required',
    ])
  })

  test('"A key that may submit names its front end; several keys may share one" (D26), and other keys have none', async () => {
    const frontEnd = async (more: Partial<ApiKeyDraft>) => (await create(more)).key.front_end
    const submits = { may_submit: true }
    expect(await frontEnd({})).toBeNull()
    expect(await frontEnd({ ...submits, front_end: ' Portal ' })).toBe('Portal')
    expect(await frontEnd({ ...submits, front_end: 'Portal' })).toBe('Portal')
    expect(await errorsOf(create(submits))).toEqual(['invalid_request', '/front_end required'])
    expect(await errorsOf(create({ ...submits, front_end: ' ' }))).toEqual(['invalid_request', '/front_end required'])
    expect(await errorsOf(create({ ...submits, front_end: 'a\nb' }))).toEqual([
      'invalid_request',
      '/front_end bad_name',
    ])
    expect(await errorsOf(create({ front_end: 'Portal' }))).toEqual(['invalid_request', '/front_end not_allowed'])
  })

  test('the front end of a key that may submit can be changed, which the audit log records', async () => {
    const { username } = await create({ may_submit: true, front_end: 'Portal' })
    expect((await editApiKey(database.sql, username, { front_end: 'Kiosk' }, by)).front_end).toBe('Kiosk')
    expect((await eventsOf(username)).at(-1)).toMatchObject({
      action: 'api_key_edited',
      detail: { before: { front_end: 'Portal' }, after: { front_end: 'Kiosk' } },
    })
    const exporter = await create()
    const change = editApiKey(database.sql, exporter.username, { front_end: 'Kiosk' }, by)
    expect(await errorsOf(change)).toEqual(['invalid_request', '/front_end not_allowed'])
  })

  describe('of two changes at once the second starts from what the first left', () => {
    /** What comes of `second`, which begins while the name of a key is being changed and that is not committed yet. */
    async function during<T>(apiKeyId: string, second: () => Promise<T>): Promise<T> {
      const release = await holdTransaction(
        database.sql,
        tx => tx`update api_key set name = 'Changed by another' where api_key_id = ${apiKeyId}`,
      )
      const changing = second()
      // Its refusal is awaited below.
      changing.catch(() => {})
      await until('the second to wait', async () => (await waitingForLocks(database.sql)) === 1)
      await release()
      return changing
    }
    const edit = (apiKeyId: string, changes: Partial<ApiKeyDraft>, basedOn?: string) =>
      during(apiKeyId, () => editApiKey(database.sql, apiKeyId, changes, by, basedOn))

    test('what only the first changed stays', async () => {
      const { username } = await create()
      const edited = await edit(username, { allowed_subnets: ['198.51.100.0/24'] })
      expect(edited).toMatchObject({ name: 'Changed by another', allowed_subnets: ['198.51.100.0/24'] })
    })

    test('the audit log has what the second found', async () => {
      const { username } = await create()
      await edit(username, { name: 'Changed by the second' })
      expect((await eventsOf(username)).at(-1)).toMatchObject({
        action: 'api_key_edited',
        detail: { before: { name: 'Changed by another' }, after: { name: 'Changed by the second' } },
      })
    })

    test('a change based on the key as it was before the first is refused', async () => {
      const { username, key } = await create()
      const refused = await rejection(edit(username, { allowed_subnets: ['198.51.100.0/24'] }, keyVersion(key)))
      expect(refused).toMatchObject({ kind: 'conflict', internal: 'based_on_is_old' })
      expect((await loadKey(database.sql, username, now)).allowed_subnets).toEqual([...draft.allowed_subnets])
    })
  })

  test('"expiry (required, at most 366 days)"', async () => {
    const expiring = (micros: number) => create({ expires_at: now + micros })
    expect((await expiring(366 * dayMicros)).key.expires_at).toBe(now + 366 * dayMicros)
    expect(await errorsOf(expiring(366 * dayMicros + 1))).toEqual(['invalid_request', '/expires_at expiry_too_far'])
    expect(await errorsOf(expiring(0))).toEqual(['invalid_request', '/expires_at expiry_in_the_past'])
    expect((await expiring(1)).key.expires_at).toBe(now + 1)
  })

  test('bounds: names, programs and subnets', async () => {
    expect(await errorsOf(create({ name: 'x'.repeat(101) }))).toContain('/name bad_name')
    expect(await errorsOf(create({ name: 'two\nlines' }))).toContain('/name bad_name')
    expect(await errorsOf(create({ name: '\u202e' }))).toContain('/name required')
    expect(await errorsOf(create({ name: 'half \ud83d' }))).toContain('/name bad_name')
    expect((await create({ name: `${'x'.repeat(98)}\u{1F511}` })).key.name).toHaveLength(100)
    expect(await errorsOf(create({ programs: [] }))).toContain('/programs required')
    expect(await errorsOf(create({ programs: new Array(1001).fill('food') }))).toContain('/programs too_many')
    expect(await errorsOf(create({ allowed_subnets: new Array(101).fill('::1') }))).toContain(
      '/allowed_subnets too_many',
    )
  })

  test('hidden questions must be in the bank, and a key that submits has none', async () => {
    await aProgram(database.sql, {
      questions: [q.enumerator('dependant', [q.date('born when')]), q.static('preamble')],
    })
    const { key } = await create({ hidden_questions: [' dependant ', 'preamble', 'dependant'] })
    expect(key.hidden_questions).toEqual(['dependant', 'preamble'])
    expect(await errorsOf(create({ hidden_questions: ['dependant', 'Dependant', 'a\0b', 'half \ud83d', ''] }))).toEqual(
      [
        'invalid_request',
        '/hidden_questions/1 unknown_question',
        '/hidden_questions/2 unknown_question',
        '/hidden_questions/3 unknown_question',
        '/hidden_questions/4 unknown_question',
      ],
    )
    const many = { hidden_questions: new Array(101).fill('dependant') }
    expect(await errorsOf(create(many))).toContain('/hidden_questions too_many')
    const submits = { may_submit: true, front_end: 'Portal' }
    expect(await errorsOf(create({ ...submits, hidden_questions: ['dependant'] }))).toEqual([
      'invalid_request',
      '/hidden_questions not_allowed',
    ])
    const submitting = await create(submits)
    const edit = (id: string, hidden_questions: string[]) =>
      editApiKey(database.sql, id, { hidden_questions }, { actor: 'admin:eve', now })
    expect(await errorsOf(edit(submitting.username, ['dependant']))).toEqual([
      'invalid_request',
      '/hidden_questions not_allowed',
    ])
    const version = keyVersion(key)
    const edited = await edit(key.api_key_id, ['preamble'])
    expect([edited.hidden_questions, keyVersion(edited) === version]).toEqual([['preamble'], false])
    await edit(key.api_key_id, ['preamble'])
    const changes = (await eventsOf(key.api_key_id)).filter(({ action }) => action === 'api_key_edited')
    expect(changes.map(({ detail }) => detail)).toEqual([
      { before: { hidden_questions: ['dependant', 'preamble'] }, after: { hidden_questions: ['preamble'] } },
    ])
  })

  test('"An audit log …: key … changes": who, from where, and what the key may do', async () => {
    const { username } = await create()
    expect(await eventsOf(username)).toEqual([
      {
        actor: 'admin:kim',
        action: 'api_key_created',
        address: '192.0.2.1',
        detail: {
          name: draft.name,
          programs: ['child-care', 'rent-aid'],
          allowed_subnets: ['192.0.2.0/24', '2001:db8::/32'],
          may_export: true,
          may_submit: false,
          may_annotate: false,
          front_end: null,
          hidden_questions: [],
          note: '',
          expires_at: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
        },
      },
    ])
  })

  test('a note has several lines, a limit and an audit entry for each change, and an empty note is none', async () => {
    const { username, key } = await create({ note: ' Ask Kim\r\nat the\tcounty \r\n' })
    expect(key.note).toBe('Ask Kim\nat the\tcounty')
    const note = async (text: string) => (await editApiKey(database.sql, username, { note: text }, by)).note
    expect([await note('x'.repeat(1000)), await note('Ask Kim\nat the\tcounty'), await note('')]).toEqual([
      'x'.repeat(1000),
      'Ask Kim\nat the\tcounty',
      '',
    ])
    for (const text of ['x'.repeat(1001), 'a\0b', 'a\rb', '\u001b[1m', 'half \ud83d'])
      expect(await errorsOf(create({ note: text }))).toEqual(['invalid_request', '/note bad_note'])
    const [made, , , last] = await eventsOf(username)
    expect([made!.detail.note, last!.detail]).toEqual([
      'Ask Kim\nat the\tcounty',
      { before: { note: 'Ask Kim\nat the\tcounty' }, after: { note: '' } },
    ])
  })

  test('unset settings are no part of a key’s version, so a setting added by a release changes no version', async () => {
    const { username, key } = await create()
    const { note: _, ...older } = key
    expect(keyVersion(key)).toBe(keyVersion(older as typeof key))
    expect(keyVersion(await editApiKey(database.sql, username, { note: 'New' }, by))).not.toBe(keyVersion(key))
  })

  test('the credential is not stored in any row of any table', async () => {
    const { password, apiSecretToken } = await create()
    const everything = await storedText(database.sql)
    expect(everything).toContain(draft.name)
    for (const form of [password, password.slice(6, 49), apiSecretToken].flatMap(formsOf))
      expect(everything).not.toContain(form)
  })
})

describe('disabling a key', () => {
  const later = { actor: 'admin:lee', now: now + 1 }

  test('refuses it until it is enabled, and repeating either changes nothing and leaves no second event', async () => {
    const { username, key } = await create()
    const disabled = await disableApiKey(database.sql, username, by)
    expect(disabled).toMatchObject({ disabled_at: now, disabled_by: 'admin:kim', state: 'disabled' })
    expect(await disableApiKey(database.sql, username, later)).toEqual(disabled)
    expect(await enableApiKey(database.sql, username, by)).toEqual(key)
    expect(await enableApiKey(database.sql, username, later)).toEqual(key)
    const events = await eventsOf(username)
    expect(events.map(({ action, actor }) => `${action} ${actor}`)).toEqual([
      'api_key_created admin:kim',
      'api_key_disabled admin:kim',
      'api_key_enabled admin:kim',
    ])
  })

  test('allows editing, rotating and retiring it, but not rotating an expired key or disabling and enabling a retired one', async () => {
    const { username, key } = await create()
    const ended = rotateApiKey(database.sql, testPepper, username, 1, { ...by, now: key.expires_at })
    expect(await errorsOf(ended)).toEqual(['conflict'])
    await disableApiKey(database.sql, username, by)
    await editApiKey(database.sql, username, { name: 'Looked into' }, by)
    expect((await rotateApiKey(database.sql, testPepper, username, 1, by)).key.state).toBe('disabled')
    await retireApiKey(database.sql, username, by)
    for (const what of [disableApiKey, enableApiKey])
      expect(await errorsOf(what(database.sql, username, by))).toEqual(['conflict'])
    expect(await errorsOf(disableApiKey(database.sql, 'tribk_x', by))).toEqual(['not_found'])
  })
})

describe('retiring a key', () => {
  test('ends it once, and repeating it changes nothing and leaves no second event', async () => {
    const { username } = await create()
    const retired = await retireApiKey(database.sql, username, by)
    expect(retired).toMatchObject({ retired_at: now, retired_by: 'admin:kim', state: 'retired' })
    const later = { actor: 'admin:lee', now: now + 1 }
    expect(await retireApiKey(database.sql, username, later)).toEqual(retired)
    const events = await eventsOf(username)
    expect(events.map(({ action, actor }) => `${action} ${actor}`)).toEqual([
      'api_key_created admin:kim',
      'api_key_retired admin:kim',
    ])
  })

  test('does not find a key that does not exist, whatever its ID', async () => {
    for (const id of [`tribk_${'x'.repeat(20)}`, '', '\0', "' or true --"])
      expect(await errorsOf(retireApiKey(database.sql, id, by))).toEqual(['not_found'])
  })
})

describe('editing a key', () => {
  test('changes only the given settings, with before and after in the audit log', async () => {
    const { username, key } = await create()
    const edited = await editApiKey(database.sql, username, { programs: ['food', 'rent-aid'] }, by)
    expect(edited).toEqual({ ...key, programs: ['food', 'rent-aid'] })
    expect(await editApiKey(database.sql, username, { name: 'New', allowed_subnets: ['anywhere'] }, by)).toEqual({
      ...edited,
      name: 'New',
      allowed_subnets: ['0.0.0.0/0', '::/0'],
    })
    const [, first, second] = await eventsOf(username)
    expect(first).toMatchObject({
      action: 'api_key_edited',
      detail: { before: { programs: ['child-care', 'rent-aid'] }, after: { programs: ['food', 'rent-aid'] } },
    })
    expect(second!.detail.after).toEqual({ name: 'New', allowed_subnets: ['0.0.0.0/0', '::/0'] })
  })

  test('leaves no event for unchanged values', async () => {
    const { username, key } = await create()
    const { name, programs, allowed_subnets } = draft
    const same = { name, programs, allowed_subnets, expires_at: key.expires_at }
    // An expiry that has passed is no error either.
    await editApiKey(database.sql, username, same, { ...by, now: key.expires_at })
    expect(await eventsOf(username)).toHaveLength(1)
  })

  test('reports all errors at once and changes nothing', async () => {
    const { username, key } = await create()
    const wrong = { name: '', programs: [], allowed_subnets: ['x'] }
    expect(await errorsOf(editApiKey(database.sql, username, wrong, by))).toEqual([
      'invalid_request',
      '/name required',
      '/programs required',
      '/allowed_subnets/0 bad_subnet',
    ])
    expect(await loadKey(database.sql, username, now)).toEqual(key)
  })

  test('refuses a retired key, and does not find one that does not exist', async () => {
    const { username } = await create()
    await retireApiKey(database.sql, username, by)
    expect(await errorsOf(editApiKey(database.sql, username, { name: 'x' }, by))).toEqual(['conflict'])
    expect(await errorsOf(editApiKey(database.sql, '\0', { name: 'x' }, by))).toEqual(['not_found'])
  })
})

describe('listing keys', () => {
  test('all of them, newest first', async () => {
    const made: string[] = []
    for (const _ of [1, 2, 3]) made.push((await create()).key.api_key_id)
    const keys = await listKeys(database.sql, now)
    expect(keys.map(key => key.api_key_id)).toEqual(expect.arrayContaining(made))
    const order = keys.map(key => [key.created_at, key.api_key_id] as const)
    expect(order).toEqual([...order].sort((a, b) => b[0] - a[0] || (b[1] > a[1] ? 1 : -1)))
  })

  test('states: retired before expired before disabled before exposed before expiring before active', async () => {
    const { sql } = database
    const { username, key } = await create()
    const stateAt = async (instant: number) => (await loadKey(sql, username, instant)).state
    expect(await stateAt(now)).toBe('active')
    expect(await stateAt(key.expires_at - 21 * dayMicros - 1)).toBe('active')
    expect(await stateAt(key.expires_at - 21 * dayMicros)).toBe('expiring')
    await markApiKeyExposed(sql, username, now)
    expect(await stateAt(key.expires_at - 1)).toBe('exposed')
    await disableApiKey(sql, username, by)
    expect(await stateAt(key.expires_at - 1)).toBe('disabled')
    expect(await stateAt(key.expires_at)).toBe('expired')
    await retireApiKey(sql, username, by)
    expect(await stateAt(key.expires_at)).toBe('retired')
  })

  test('a page of a group has its keys in order, and the numbers of all groups and of the keys that match', async () => {
    const { sql } = await useDatabase({}, endWithTest)
    const days = Array.from({ length: 45 }, (_, i) => i + 30)
    for (const day of days.toReversed())
      await createTestKey(sql, {
        programs: ['food'],
        name: `Walk 100%_${day}`,
        createdAt: now,
        expiresAt: now + day * dayMicros,
      })
    for (const [i, retiredAt] of [now - 2, now - 1].entries())
      await createTestKey(sql, {
        programs: ['food'],
        name: `Old ${i}`,
        createdAt: now - dayMicros,
        expiresAt: now - i * 10,
        retiredAt,
      })
    const page = (wanted: Partial<Parameters<typeof loadKeyPage>[2]>) =>
      loadKeyPage(sql, now, { group: 'active', search: '', program: '', offset: 0, ...wanted }, 20)
    await createTestKey(sql, { name: 'École de la ville', createdAt: now, expiresAt: now + 99 * dayMicros })
    const names = ({ shown }: KeyPage) => shown.map(key => key.name)
    const second = await page({ offset: 20 })
    expect(names(second)).toEqual(days.slice(20, 40).map(day => `Walk 100%_${day}`))
    expect(second).toMatchObject({ before: 20, found: 46 })
    expect(second.counts).toEqual({ active: 46, expiring: 0, disabled: 0, expired: 0, retired: 2 })
    expect(await page({ offset: 40 })).toMatchObject({ shown: { length: 6 } })
    expect(await page({ offset: 46 })).toMatchObject({ before: 0, shown: { length: 20 } })
    expect(names(await page({ group: 'retired' }))).toEqual(['Old 1', 'Old 0'])
    expect(await page({ search: ' 100%_3' })).toMatchObject({ found: 10, counts: second.counts })
    expect(await page({ search: 'fOOd', program: 'food' })).toMatchObject({ found: 45 })
    expect(names(await page({ search: 'éCOLE' }))).toEqual(['École de la ville'])
    for (const nothing of [{ search: '100%%' }, { search: '0__3' }, { program: 'foo' }, { search: 'no such' }])
      expect(await page(nothing)).toMatchObject({ shown: [], before: 0, found: 0, counts: second.counts })
    const [{ api_key_id, last_used_address }] = second.shown as [ListedApiKey]
    expect(last_used_address).toBeNull()
    expect(names(await page({ search: api_key_id.slice(6).toLowerCase() }))).toEqual(['Walk 100%_50'])
  })
})
