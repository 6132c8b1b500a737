import { describe, expect, test } from 'bun:test'
import { loadConfig, readSetting, settings } from '../src/config.ts'
import { Problem } from '../src/problem.ts'

const good = {
  DATABASE_URL: 'postgres://app@db.internal/tributary',
  PAGE_TOKEN_KEYS: Buffer.alloc(32, 1).toString('base64'),
  API_KEY_PEPPER: 'Zk3J9vXq2LmZ8wR5tYb7NcD4fGhP6sUaE1iOx',
}

/** Faults by setting, of an environment that must be refused. */
function faults(environment: Record<string, string>): Record<string, string> {
  try {
    loadConfig({ ...good, ...environment })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return Object.fromEntries(error.errors.map(e => [e.parameter!, e.detail]))
  }
  throw new Error('the environment was accepted')
}

describe('loadConfig', () => {
  test('takes its defaults, and an empty variable counts as absent', () => {
    const config = loadConfig({ ...good, PORT: '', MAX_PAGE_SIZE: '' })
    expect(config).toMatchObject({
      environment: 'production',
      port: 8080,
      maxPageSize: 1000,
      timeZone: 'UTC',
      pageTokenTtlMs: 604_800_000,
    })
  })

  test('names every setting that cannot be used, all at once, and what would be right', () => {
    const found = faults({
      DATABASE_URL: 'mysql://x', PORT: '70000', BASE_URL: 'ftp://x', INSTANCE_TIME_ZONE: 'Mars/Olympus', MAX_PAGE_SIZE: '0',
      PAGE_TOKEN_KEYS: 'short', PAGE_TOKEN_TTL: '7', API_KEY_PEPPER: 'changeme', TRUSTED_PROXIES: '10.0.0.1/8,nonsense', STALL_TIMEOUT: '1ms',
    }) // biome-ignore format: side by side
    expect(Object.keys(found).sort()).toEqual([
      'API_KEY_PEPPER',
      'BASE_URL',
      'DATABASE_URL',
      'INSTANCE_TIME_ZONE',
      'MAX_PAGE_SIZE',
      'PAGE_TOKEN_KEYS',
      'PAGE_TOKEN_TTL',
      'PORT',
      'STALL_TIMEOUT',
      'TRUSTED_PROXIES',
    ])
    expect(found.PORT).toBe('must be a whole number from 0 to 65535')
    expect(found.TRUSTED_PROXIES).toContain('10.0.0.0/8')
  })

  test('D29: an application as deep as a program may be can come in at intake', () => {
    expect(loadConfig(good)).toMatchObject({ enumeratorDepthMax: 20, intakeDepthMax: 64 })
    expect(faults({ ENUMERATOR_DEPTH_MAX: '21' }).INTAKE_DEPTH_MAX).toContain('at least 67')
    expect(loadConfig({ ...good, ENUMERATOR_DEPTH_MAX: '21', INTAKE_DEPTH_MAX: '67' }).enumeratorDepthMax).toBe(21)
    for (const ENUMERATOR_DEPTH_MAX of ['0', '101', '-1', 'x'])
      expect(faults({ ENUMERATOR_DEPTH_MAX })).toHaveProperty('ENUMERATOR_DEPTH_MAX')
    expect(readSetting({}, 'enumeratorDepthMax')).toBe(20)
    expect(readSetting({ ENUMERATOR_DEPTH_MAX: '7' }, 'enumeratorDepthMax')).toBe(7)
    expect(() => readSetting({ ENUMERATOR_DEPTH_MAX: '101' }, 'enumeratorDepthMax')).toThrow('cannot be used')
  })

  test('refuses to start in production with a pepper that is missing, short, repeated or a placeholder', () => {
    for (const API_KEY_PEPPER of ['', 'short', 'a'.repeat(64), 'changeme-changeme-changeme-changeme-0123456789']) {
      expect(faults({ API_KEY_PEPPER })).toHaveProperty('API_KEY_PEPPER')
    }
  })

  test('never repeats the value of a secret', () => {
    const secret = 'CANARYpepper-default-CANARY-0123456789'
    expect(JSON.stringify(faults({ API_KEY_PEPPER: secret, PAGE_TOKEN_KEYS: 'CANARY' }))).not.toContain('CANARY')
  })

  test('jobs are carried by the database unless REDIS_URL names a Redis, or the nodes of a cluster', () => {
    expect(loadConfig(good).redisUrl).toBeUndefined()
    for (const url of ['redis://h:6379', 'rediss://:p@h', 'redis://a:1, redis://b:2']) {
      expect(loadConfig({ ...good, REDIS_URL: url }).redisUrl).toBe(url)
    }
    for (const url of ['h:6379', 'http://h', 'redis://', 'redis://a,,redis://b', 'redis:///0']) {
      expect(faults({ REDIS_URL: url })).toHaveProperty('REDIS_URL')
    }
    expect(JSON.stringify(faults({ REDIS_URL: 'http://:CANARY@h' }))).not.toContain('CANARY')
  })

  test('holds settings together that need each other', () => {
    expect(faults({ TLS_CERT: '/cert.pem' })).toHaveProperty('TLS_KEY')
    expect(faults({ TRIBUTARY_ENV: 'development', HOST: '0.0.0.0' })).toHaveProperty('HOST')
    expect(faults({ BASE_URL: 'http://apply.example.gov' })).toHaveProperty('BASE_URL')
    expect(faults({ PORT: '9000', HEALTH_PORT: '9000' })).toHaveProperty('HEALTH_PORT')
  })

  test('README lists every setting with its default and meaning', async () => {
    const readme = await Bun.file(new URL('../README.md', import.meta.url)).text()
    for (const setting of Object.values(settings)) {
      const shown =
        setting.default === undefined ? 'must be given' : setting.default === '' ? 'none' : `\`${setting.default}\``
      expect(readme).toContain(`| \`${setting.name}\` | ${shown} | ${setting.meaning} |`)
    }
  })
})
