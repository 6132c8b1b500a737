import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { apiSecretToken, mintCredential } from '../../src/access/credential.ts'
import { databaseKeys, type KeySource } from '../../src/access/key-source.ts'
import { VerifiedKeys } from '../../src/access/verified-keys.ts'
import { parseAddress } from '../../src/domain/values/ip-address.ts'
import { testPepper } from '../support/config.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createTestKey, type TestKey, type TestKeyOptions } from '../support/keys.ts'

const dayMicros = 86_400_000_000
const now = Date.UTC(2026, 2, 1) * 1000

let database: TestDatabase
/** The database, with the ids that were looked up. */
let source: KeySource
let lookedUp: string[]
let clockMs: number
let verified: VerifiedKeys
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(() => {
  lookedUp = []
  const keys = databaseKeys(database.sql)
  source = {
    find: id => {
      lookedUp.push(id)
      return keys.find(id)
    },
  }
  clockMs = 5000
  verified = new VerifiedKeys(source, testPepper, () => clockMs)
  verified.onListening()
})

const makeKey = (options: TestKeyOptions = {}): Promise<TestKey> =>
  createTestKey(database.sql, { createdAt: now - dayMicros, ...options })

const admit = async (authorization: string | null, { from = '192.0.2.1', secure = true, at = now } = {}) =>
  verified.admit({ authorization, address: parseAddress(from), secure, now: at })

describe('VerifiedKeys', () => {
  test('a good credential is looked up once, and told the same the second time', async () => {
    const key = await makeKey({ programs: ['food'] })
    const first = await admit(key.authorization)
    expect(first).toMatchObject({
      caller: { api_key_id: key.api_key_id, programs: new Map([['food', expect.any(Number)]]) },
    })
    expect(await admit(key.authorization)).toEqual(first)
    expect(lookedUp).toEqual([key.api_key_id])
  })

  test('"Retiring or editing takes effect on every instance within 1 s", also when no notice comes', async () => {
    const key = await makeKey()
    await admit(key.authorization)
    await database.sql`update api_key set retired_at = now(), retired_by = 'test' where api_key_id = ${key.api_key_id}`
    clockMs += 999
    expect(await admit(key.authorization)).toHaveProperty('caller')
    clockMs += 1
    expect(await admit(key.authorization)).toMatchObject({ refused: 'retired' })
  })

  test('an entry is as old as the beginning of its lookup', async () => {
    const key = await makeKey()
    const slow = new VerifiedKeys(
      {
        find: async id => {
          const found = await source.find(id)
          clockMs += 600
          return found
        },
      },
      testPepper,
      () => clockMs,
    )
    slow.onListening()
    const ask = () =>
      slow.admit({ authorization: key.authorization, address: parseAddress('192.0.2.1'), secure: true, now })
    await ask()
    clockMs += 399
    await ask()
    expect(lookedUp.length).toBe(1)
    clockMs += 1
    await ask()
    expect(lookedUp.length).toBe(2)
  })

  test('a notice of any key makes it forget', async () => {
    const key = await makeKey()
    await admit(key.authorization)
    verified.onNotice()
    await admit(key.authorization)
    expect(lookedUp.length).toBe(2)
  })

  test('a lookup that a notice overtook is not remembered', async () => {
    const key = await makeKey()
    const underWay = admit(key.authorization)
    verified.onNotice()
    await underWay
    await admit(key.authorization)
    expect(lookedUp.length).toBe(2)
  })

  test('while nothing can be heard nothing is remembered, and what was is forgotten', async () => {
    const key = await makeKey()
    const unheard = new VerifiedKeys(source, testPepper, () => clockMs)
    const ask = () =>
      unheard.admit({ authorization: key.authorization, address: parseAddress('192.0.2.1'), secure: true, now })
    for (const lookups of [1, 2]) {
      await ask()
      expect(lookedUp.length).toBe(lookups)
    }
    unheard.onListening()
    for (const _ of [1, 2]) await ask()
    expect(lookedUp.length).toBe(3)
    unheard.onDeaf()
    for (const _ of [1, 2]) await ask()
    expect(lookedUp.length).toBe(5)
    unheard.onListening()
    await ask()
    expect(lookedUp.length).toBe(6)
  })

  test('"unknown ids cost the same as known ones": one lookup each time for whatever is not good, remembered keys beside or not', async () => {
    const key = await makeKey()
    await admit(key.authorization)
    lookedUp = []
    const unknown = mintCredential()
    for (const [username, password] of [
      [unknown.username, unknown.password],
      [key.username, unknown.password],
      [key.username, `${key.password} `],
      ['no id', ''],
    ] as const) {
      for (const lookups of [1, 2]) {
        expect(await admit(`Basic ${apiSecretToken(username, password)}`)).toHaveProperty('refused')
        expect(lookedUp.length).toBe(lookups)
      }
      lookedUp = []
    }
    await admit(key.authorization)
    expect(lookedUp).toEqual([])
  })

  test('one key is one entry, however its credential is written; the other ways are looked up each time', async () => {
    const key = await makeKey()
    for (const scheme of ['basic ', 'BASIC ', 'Basic  ', 'bAsIc    ']) {
      lookedUp = []
      for (const _ of [1, 2]) expect(await admit(scheme + key.apiSecretToken)).toHaveProperty('caller')
      expect(lookedUp.length).toBe(2)
    }
  })

  test('what is remembered lets nobody in: expiry, address and encryption are those of the request', async () => {
    const key = await makeKey({ expiresAt: now + 10, allowedSubnets: ['192.0.2.0/24'] })
    const { api_key_id } = key
    expect(await admit(key.authorization)).toHaveProperty('caller')
    expect(await admit(key.authorization, { from: '198.51.100.1' })).toEqual({
      refused: 'address_not_allowed',
      api_key_id,
    })
    expect(await admit(key.authorization, { from: 'unknown' })).toEqual({ refused: 'unparseable_address', api_key_id })
    expect(await admit(key.authorization, { secure: false })).toEqual({
      refused: 'plain_http',
      api_key_id,
      exposed: 'now',
    })
    expect(await admit(key.authorization, { at: now + 10 })).toEqual({ refused: 'expired', api_key_id })
    expect(await admit(key.authorization, { from: '192.0.2.77' })).toMatchObject({ caller: { address: '192.0.2.77' } })
    expect(lookedUp.length).toBe(1)
  })

  test('a header that cannot be read costs no lookup', async () => {
    for (const authorization of [null, '', 'Bearer x', 'Basic !', 'Basic eA=='])
      expect(await admit(authorization)).toHaveProperty('refused')
    expect(lookedUp).toEqual([])
  })
})
