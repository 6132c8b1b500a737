// A complete, valid configuration for tests, with the limits that are usual; every value can be replaced.

import type { Config } from '../../src/config/all-settings.ts'
import { loadConfig } from '../../src/config/load-config.ts'

export const testPepper = 'k3J9vXq2LmZ8wR5tYb7NcD4fGhP6sUaE1iOx'
export const testTokenKey = Buffer.alloc(32, 7).toString('base64')

/** For a service that gets more requests from a test than a key or an address is usually allowed. */
export const unlimited = { requestsPerMinute: 0, exportsAtATime: 0, authFailuresPerMinute: 0 } satisfies Partial<Config>

/** The service as a client of an OpenID provider. */
export const oidcClient = { oidcClientId: 'tributary', oidcClientSecret: 'a secret of tests: only & they know + it' }

export function testConfig(overrides: Partial<Config> = {}): Config {
  const config = loadConfig({
    TRIBUTARY_ENV: 'development',
    DATABASE_URL: 'postgres://127.0.0.1:1/never-opened',
    PAGE_TOKEN_KEYS: testTokenKey,
    API_KEY_PEPPER: testPepper,
    WEBHOOK_KEYS: testTokenKey,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    PORT: '0',
    HEALTH_PORT: '0',
    LOG_LEVEL: 'silent',
  })
  return { ...config, ...overrides }
}
