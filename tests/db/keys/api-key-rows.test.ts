import { describe, expect, test } from 'bun:test'
import { findApiKey, markApiKeyExposed, noteApiKeyUse, retireApiKeyRow } from '../../../src/db/keys/api-key-rows.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { failureOf } from '../../support/refusal.ts'

const dayMicros = 86_400_000_000
const minute = 60_000_000
const now = Date.UTC(2026, 0, 1) * 1000

const database = await useDatabase()

describe('last use of an API key', () => {
  test('two instances together write at most once per interval', async () => {
    const { sql } = database
    const { api_key_id } = await createTestKey(sql)
    const lastUse = async () => {
      const { last_used_at, last_used_address } = (await findApiKey(sql, api_key_id))!
      return [last_used_at, last_used_address]
    }
    await noteApiKeyUse(sql, api_key_id, now, '192.0.2.1', minute)
    expect(await lastUse()).toEqual([now, '192.0.2.1'])
    await noteApiKeyUse(sql, api_key_id, now + minute - 1, '192.0.2.2', minute)
    await noteApiKeyUse(sql, api_key_id, now - 1, '192.0.2.2', minute)
    expect(await lastUse()).toEqual([now, '192.0.2.1'])
    await noteApiKeyUse(sql, api_key_id, now + minute, '2001:db8::1', minute)
    expect(await lastUse()).toEqual([now + minute, '2001:db8::1'])
  })
})

describe('marks are set once', () => {
  test('marking a key exposed or retired a second time changes nothing', async () => {
    const { sql } = database
    const { api_key_id } = await createTestKey(sql)
    expect(await Promise.all([1, 2, 3].map(() => markApiKeyExposed(sql, api_key_id, now)))).toContain(true)
    expect(await markApiKeyExposed(sql, api_key_id, now + 1)).toBe(false)
    expect(await retireApiKeyRow(sql, api_key_id, now, 'admin:kim')).toBe(true)
    expect(await retireApiKeyRow(sql, api_key_id, now + 1, 'admin:lee')).toBe(false)
    const marked = { exposed_at: now, retired_at: now, retired_by: 'admin:kim' }
    expect(await findApiKey(sql, api_key_id)).toMatchObject(marked)
  })
})

describe('the schema refuses what no route could store', () => {
  const refusal = async (change: PromiseLike<unknown>) => {
    const error = await failureOf(change)
    return error?.constraint_name ?? error?.code
  }

  test('a key that allows nothing, expires too late or has no allowed subnet', async () => {
    const { sql } = database
    const key = (options: Parameters<typeof createTestKey>[1]) =>
      refusal(createTestKey(sql, { createdAt: now, ...options }))
    expect(await key({ mayExport: false, maySubmit: false })).toStartWith('api_key_check')
    expect(await key({ expiresAt: now + 366 * dayMicros + 1 })).toStartWith('api_key_check')
    expect(await key({ expiresAt: now })).toStartWith('api_key_check')
    expect(await key({ allowedSubnets: [] })).toStartWith('api_key_allowed_subnets_check')
    // An address with bits beyond its prefix is no subnet.
    expect(await key({ allowedSubnets: ['192.0.2.1/24'] })).toBe('22P02')
    expect(await key({ expiresAt: now + 366 * dayMicros })).toBeUndefined()
  })
})
