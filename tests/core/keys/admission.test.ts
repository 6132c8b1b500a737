import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import * as crypto from 'node:crypto'
import * as zlib from 'node:zlib'
import { type Admission, admit } from '../../../src/core/keys/admission.ts'
import { nothingHidden } from '../../../src/core/keys/caller.ts'
import { apiSecretToken, hashPassword, mintCredential } from '../../../src/core/keys/credential.ts'
import { databaseKeys, type KeySource } from '../../../src/core/keys/key-source.ts'
import { openDatabase, type Sql } from '../../../src/db/client.ts'
import { disableApiKeyRow, rotateApiKeySecret } from '../../../src/db/keys/api-key-rows.ts'
import { parseAddress } from '../../../src/domain/values/ip-address.ts'
import { testPepper } from '../../support/config.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { createTestKey, type TestKey, type TestKeyOptions, testFrontEnd } from '../../support/keys.ts'
import { type StatementRecorder, startStatementRecorder } from '../../support/statement-recorder.ts'

const dayMicros = 86_400_000_000
const now = Date.UTC(2026, 2, 1) * 1000

const database = await useDatabase()
const keys = databaseKeys(database.sql)

const makeKey = (options: TestKeyOptions = {}): Promise<TestKey> =>
  createTestKey(database.sql, { createdAt: now - dayMicros, ...options })

function attempt(authorization: string | null, from = '192.0.2.1', secure = true): Promise<Admission> {
  // The salt of an origin that is followed is for the origin's keys alone.
  return admit(keys, testPepper, { authorization, address: parseAddress(from), secure, now }, 'the origin’s salt')
}

describe('authorized requests', () => {
  test('a caller has its hidden questions, and of a followed program all that are exported under one key', async () => {
    const rows = await database.sql<{ question_id: number; admin_name: string }[]>`
      insert into question (admin_name, question_key, question_key_folded, kind, key_rule)
      values
        ('hidden one', 'hidden_one', 'hidden_one', 'TEXT', 'contract'),
        ('seen one', 'seen_one', 'seen_one', 'TEXT', 'contract'),
        ('followed', 'followed', 'followed', 'TEXT', 'origin'),
        ('followed (NUMBER, 2)', 'followed', 'followed', 'NUMBER', 'origin'),
        ('hidden one too', 'hidden_one', 'hidden_one', 'TEXT', 'origin')
      returning question_id, admin_name`
    const idOf = (name: string): number => rows.find(({ admin_name }) => admin_name === name)!.question_id
    const names = ['followed (NUMBER, 2)', 'gone since', 'hidden one']
    const key = await makeKey({ programs: ['rent-aid'], hiddenQuestions: names })
    const admission = await attempt(key.authorization)
    if (!('caller' in admission)) throw new Error('was refused')
    const { hidden } = admission.caller
    expect(hidden.names).toEqual(names)
    const ids = [idOf('hidden one'), idOf('followed'), idOf('followed (NUMBER, 2)')]
    expect([...hidden.ids].sort((a, b) => a - b)).toEqual(ids)
  })

  test('a caller has everything that authorizing takes', async () => {
    const key = await makeKey({ name: 'Payroll', programs: ['rent-aid', 'constructor'], maySubmit: true })
    const admission = await attempt(key.authorization, '::ffff:192.0.2.1')
    expect(admission).toEqual({
      caller: {
        api_key_id: key.api_key_id,
        name: 'Payroll',
        expires_at: now + 89 * dayMicros,
        may_export: true,
        may_submit: true,
        may_annotate: false,
        front_end: testFrontEnd,
        programs: new Map([
          ['rent-aid', expect.any(Number)],
          ['constructor', expect.any(Number)],
        ]),
        hidden: nothingHidden,
        address: '192.0.2.1',
      },
    })
  })

  test('a key without programs is granted none', async () => {
    const admission = await attempt((await makeKey()).authorization)
    expect(admission).toMatchObject({ caller: { programs: new Map() } })
  })
})

describe('who is refused, and why (spec, "Authentication" 6: "When any constraint of those features is unmet, the response is 401.")', () => {
  test('unknown_key: also for invalid IDs, such as SQL, NUL or a very long name', async () => {
    const { password } = mintCredential()
    for (const username of [mintCredential().username, '', "' or 1=1 --", 'tribk_\0', 'x'.repeat(500), '\u{1F511}'])
      expect(await attempt(`Basic ${apiSecretToken(username, password)}`)).toEqual({ refused: 'unknown_key' })
  })

  test('wrong_secret: the secret of another key; garbled_secret: a secret with a wrong checksum', async () => {
    const key = await makeKey()
    const withPassword = (password: string) => attempt(`Basic ${apiSecretToken(key.username, password)}`)
    const { api_key_id } = key
    expect(await withPassword((await makeKey()).password)).toEqual({ refused: 'wrong_secret', api_key_id })
    for (const password of ['', key.password.slice(0, -1), `${key.password} `, key.password.toLowerCase()])
      expect(await withPassword(password)).toEqual({ refused: 'garbled_secret', api_key_id })
  })

  test('expired: from the instant of expiry', async () => {
    const ended = await makeKey({ expiresAt: now })
    const ending = await makeKey({ expiresAt: now + 1 })
    expect(await attempt(ended.authorization)).toMatchObject({ refused: 'expired' })
    expect(await attempt(ending.authorization)).toHaveProperty('caller')
  })

  test('disabled, until it is enabled; plain HTTP exposes it, since it will work again', async () => {
    const key = await makeKey()
    const { api_key_id } = key
    const disable = (at: number | null) => disableApiKeyRow(database.sql, api_key_id, at, 'operator:test')
    await disable(now)
    expect(await attempt(key.authorization)).toEqual({ refused: 'disabled', api_key_id })
    expect(await attempt(key.authorization, '192.0.2.1', false)).toMatchObject({ exposed: 'now' })
    await disable(null)
    expect(await attempt(key.authorization)).toHaveProperty('caller')
  })

  test.each([
    [['192.0.2.0/24'], '192.0.2.255', true],
    [['192.0.2.0/24'], '192.0.3.0', false],
    [['192.0.2.0/24'], '::ffff:192.0.2.9', true],
    [['192.0.2.0/24'], '2001:db8::1', false],
    [['192.0.2.7/32', '2001:db8::/32'], '2001:db8:ffff::1', true],
    [['192.0.2.7/32', '2001:db8::/32'], '2001:db9::1', false],
    [['0.0.0.0/0'], '203.0.113.1', true],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['::/0'], '203.0.113.1', false],
    [['0.0.0.0/0', '::/0'], '2001:db8::1', true],
  ])('"Allowed subnets of a key: one or more CIDRs, v4 or v6": %p, %s → %p', async (allowedSubnets, from, allowed) => {
    const key = await makeKey({ allowedSubnets })
    const admission = await attempt(key.authorization, from)
    if (allowed) expect(admission).toHaveProperty('caller')
    else expect(admission).toEqual({ refused: 'address_not_allowed', api_key_id: key.api_key_id })
  })

  test('plain_http: whatever was sent, and a valid credential is reported as exposed', async () => {
    const key = await makeKey()
    const { api_key_id } = key
    const plain = (authorization: string | null) => attempt(authorization, '192.0.2.1', false)
    expect(await plain(null)).toEqual({ refused: 'plain_http' })
    expect(await plain('Bearer x')).toEqual({ refused: 'plain_http' })
    expect(await plain(`Basic ${mintCredential().apiSecretToken}`)).toEqual({ refused: 'plain_http' })
    expect(await plain(`Basic ${apiSecretToken(key.username, 'guess')}`)).toEqual({ refused: 'plain_http', api_key_id })
    expect(await plain(key.authorization)).toEqual({ refused: 'plain_http', api_key_id, exposed: 'now' })
    await database.sql`update api_key set exposed_at = now() where api_key_id = ${api_key_id}`
    expect(await plain(key.authorization)).toEqual({ refused: 'plain_http', api_key_id, exposed: 'known' })
  })

  test('the earlier secret of a key is valid until its end and can expose the key, and no other secret can', async () => {
    const { api_key_id, authorization } = await makeKey()
    const rotateUntil = (until: number) =>
      database.sql.begin(tx =>
        rotateApiKeySecret(tx, api_key_id, hashPassword(testPepper, mintCredential().password), until),
      )
    await rotateUntil(now + 1)
    expect(await attempt(authorization)).toHaveProperty('caller')
    const another = `Basic ${apiSecretToken(api_key_id, mintCredential().password)}`
    expect(await attempt(another)).toEqual({ refused: 'wrong_secret', api_key_id })
    const plain = () => attempt(authorization, '192.0.2.1', false)
    expect(await plain()).toEqual({ refused: 'plain_http', api_key_id, exposed: 'now' })
    await database.sql`update api_key set earlier_secret_until = ${now} where api_key_id = ${api_key_id}`
    expect(await plain()).toEqual({ refused: 'plain_http', api_key_id })
    expect(await attempt(authorization)).toEqual({ refused: 'rotated_secret', api_key_id })
  })

  test('plain HTTP does not expose a key that is retired or expired', async () => {
    for (const key of [await makeKey({ retiredAt: now }), await makeKey({ expiresAt: now })]) {
      const admission = await attempt(key.authorization, '192.0.2.1', false)
      expect(admission).toEqual({ refused: 'plain_http', api_key_id: key.api_key_id })
    }
  })

  test('a changed pepper invalidates every key', async () => {
    const key = await makeKey()
    const facts = { authorization: key.authorization, address: parseAddress('192.0.2.1'), secure: true, now }
    expect(await admit(keys, `${testPepper}!`, facts)).toMatchObject({ refused: 'wrong_secret' })
  })
})

describe('"unknown ids cost the same as known ones" (contract section 3)', () => {
  let recorder: StatementRecorder
  let recorded: Sql
  let rich: TestKey
  beforeAll(async () => {
    recorder = await startStatementRecorder(database.url)
    recorded = openDatabase({ url: recorder.url, connectionsMax: 1 })
    rich = await makeKey()
    await database.sql`
      with made as (
        insert into program (slug, display_name)
        select 'rich-' || n, 'One of a thousand' from generate_series(1, 1000) as n
        returning program_id
      )
      insert into api_key_program (api_key_id, program_id)
      select ${rich.api_key_id}, program_id from made`
    // The driver asks for the types of arrays once.
    await recorded`select 1`
  })
  afterAll(async () => {
    await recorded.end()
    await recorder.stop()
  })

  /** What PostgreSQL is sent for one attempt, and what is done with the secret. */
  async function costOf(username: string, password: string, from = '192.0.2.1', secure = true) {
    const hashed = spyOn(crypto, 'createHmac')
    const compared = spyOn(crypto, 'timingSafeEqual')
    recorder.clear()
    try {
      const authorization = `Basic ${apiSecretToken(username, password)}`
      const facts = { authorization, address: parseAddress(from), secure, now }
      const admission = await admit(databaseKeys(recorded), testPepper, facts)
      const statements = recorder.statements.map(({ text, parameterTypes, fetches }) => ({
        text,
        parameterTypes,
        fetches,
      }))
      return { admission, cost: { statements, hashed: hashed.mock.calls.length, compared: compared.mock.calls.length } }
    } finally {
      hashed.mockRestore()
      compared.mockRestore()
    }
  }

  test('one statement on the wire, one HMAC, two comparisons in constant time, whatever the header says', async () => {
    const retired = await makeKey({ retiredAt: now })
    const unknown = mintCredential()
    const known = await costOf(rich.username, rich.password)
    expect(known.admission).toHaveProperty('caller')
    expect(known.cost).toMatchObject({ statements: [{ fetches: 1 }], hashed: 1, compared: 2 })
    for (const attempted of [
      await costOf(unknown.username, unknown.password),
      await costOf('not an id', ''),
      await costOf(rich.username, unknown.password),
      await costOf(rich.username, 'short'),
      await costOf(retired.username, retired.password),
      await costOf(rich.username, rich.password, 'unknown'),
      await costOf(unknown.username, unknown.password, '192.0.2.1', false),
      await costOf(rich.username, unknown.password, '192.0.2.1', false),
    ]) {
      expect(attempted.admission).toHaveProperty('refused')
      expect(attempted.cost).toEqual(known.cost)
    }
  })

  test('a malformed secret is recognized for unknown IDs too, and a valid one never is', async () => {
    const summed = spyOn(zlib, 'crc32')
    try {
      const sums = async (username: string, password: string): Promise<number> => {
        summed.mockClear()
        await costOf(username, password)
        return summed.mock.calls.length
      }
      const unknown = mintCredential()
      expect(await sums(rich.username, unknown.password)).toBe(1)
      expect(await sums(unknown.username, unknown.password)).toBe(1)
      expect(await sums(rich.username, rich.password)).toBe(0)
    } finally {
      summed.mockRestore()
    }
  })

  test('the programs of a key, even a thousand, are read only when its own secret is given', async () => {
    /** How often PostgreSQL read the grants in the one statement of an attempt. */
    const grantReads = async (username: string, password: string): Promise<number> => {
      await costOf(username, password)
      const { text, parameters } = recorder.statements[0]!
      const [row] = await database.sql.unsafe<{ 'QUERY PLAN': unknown }[]>(
        `explain (analyze, format json) ${text}`,
        parameters.map(value => (value!.startsWith('\\x') ? Buffer.from(value!.slice(2), 'hex') : value)) as string[],
      )
      return nodesOf(row!['QUERY PLAN'])
        .filter(node => node['Relation Name'] === 'api_key_program')
        .reduce((sum, node) => sum + Number(node['Actual Loops']), 0)
    }
    expect(await grantReads(rich.username, rich.password)).toBe(1)
    expect(await grantReads(rich.username, mintCredential().password)).toBe(0)
    expect(await grantReads(mintCredential().username, rich.password)).toBe(0)
  })

  test('an unreadable header costs no statement', async () => {
    const refuses: KeySource = { find: () => Promise.reject(new Error('the database was asked')) }
    const facts = { address: parseAddress('192.0.2.1'), secure: true, now }
    for (const authorization of [null, 'Bearer x', 'Basic !', 'Basic eA=='])
      expect(await admit(refuses, testPepper, { ...facts, authorization })).toHaveProperty('refused')
  })
})

/** Every node of an execution plan. */
function nodesOf(plan: unknown): Record<string, unknown>[] {
  if (Array.isArray(plan)) return plan.flatMap(nodesOf)
  if (typeof plan !== 'object' || plan === null) return []
  return [plan as Record<string, unknown>, ...Object.values(plan).flatMap(nodesOf)]
}
