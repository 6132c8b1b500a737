import { describe, expect, test } from 'bun:test'
import { otherSettings, settings } from '../../src/config/all-settings.ts'
import { Unusable } from '../../src/config/kinds/setting.ts'
import { loadConfig, readSetting } from '../../src/config/load-config.ts'
import { withSettingFiles } from '../../src/config/setting-files.ts'
import { shownSettings } from '../../src/config/shown-settings.ts'
import { refusal } from '../support/refusal.ts'

const good = {
  DATABASE_URL: 'postgres://app@db.internal/tributary',
  PAGE_TOKEN_KEYS: Buffer.alloc(32, 1).toString('base64'),
  API_KEY_PEPPER: 'Zk3J9vXq2LmZ8wR5tYb7NcD4fGhP6sUaE1iOx',
}

/** Errors by setting, of an environment that must be refused. */
const errors = (environment: Record<string, string>): Record<string, string> =>
  Object.fromEntries(refusal(() => loadConfig({ ...good, ...environment })).errors.map(e => [e.parameter!, e.detail]))

describe('loadConfig', () => {
  test('uses defaults, also for empty variables', () => {
    const config = loadConfig({ ...good, PORT: '', MAX_PAGE_SIZE: '' })
    expect(config).toMatchObject({
      environment: 'production',
      port: 8080,
      maxPageSize: 1000,
      timeZone: 'UTC',
      pageTokenTtlMs: 604_800_000,
    })
  })

  test('the secrets for keys and page tokens are neither required nor read where they are not used', () => {
    const { PAGE_TOKEN_KEYS: _, API_KEY_PEPPER: __, ...others } = good
    for (const environment of [others, good, { ...others, PAGE_TOKEN_KEYS: 'short', API_KEY_PEPPER: 'changeme' }]) {
      const config = loadConfig(environment, otherSettings)
      expect(Object.keys(config)).not.toContain('pageTokenKeys')
      expect(Object.keys(config)).not.toContain('apiKeyPepper')
      expect(config.databaseUrl).toBe(good.DATABASE_URL)
    }
    const file = { ...others, API_KEY_PEPPER_FILE: '/nowhere' }
    expect(withSettingFiles(file, otherSettings)).toEqual(file)
    expect(Object.keys(refusal(() => loadConfig(others)).errors)).toHaveLength(2)
  })

  test('names every invalid setting at once and says what is valid', () => {
    const unusable = {
      DATABASE_URL: 'mysql://x', PORT: '70000', BASE_URL: 'ftp://x', INSTANCE_TIME_ZONE: 'Mars/Olympus', MAX_PAGE_SIZE: '0',
      PAGE_TOKEN_KEYS: 'short', SESSION_IDLE: '7', API_KEY_PEPPER: 'changeme', TRUSTED_PROXIES: '10.0.0.1/8,nonsense', STALL_TIMEOUT: '1ms',
    } // biome-ignore format: side by side
    const found = errors(unusable)
    expect(Object.keys(found).sort()).toEqual(Object.keys(unusable).sort())
    expect(found.PORT).toEndWith(' 0 to 65535')
    expect(found.TRUSTED_PROXIES).toContain('10.0.0.0/8')
  })

  test('D29: intake accepts an application as deeply nested as a program may be', () => {
    expect(loadConfig(good)).toMatchObject({ enumeratorDepthMax: 20, intakeDepthMax: 64 })
    const deeper = loadConfig({ ...good, ENUMERATOR_DEPTH_MAX: '21' })
    expect(deeper).toMatchObject({ enumeratorDepthMax: 21, intakeDepthMax: 67 })
    expect(readSetting({}, 'enumeratorDepthMax')).toBe(20)
    expect(readSetting({ ENUMERATOR_DEPTH_MAX: '7' }, 'enumeratorDepthMax')).toBe(7)
    expect(refusal(() => readSetting({ ENUMERATOR_DEPTH_MAX: '101' }, 'enumeratorDepthMax')).errors).toMatchObject([
      { parameter: 'ENUMERATOR_DEPTH_MAX' },
    ])
  })

  test('each bounded setting accepts the minimum and maximum that its description names, and nothing beyond', () => {
    const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
    const { healthPort, ...others } = settings
    expect([healthPort.parse('0'), healthPort.parse('65535'), healthPort.parse('')]).toEqual([0, 65_535, undefined])
    expect(() => healthPort.parse('65536')).toThrow(Unusable)
    const bounded = Object.values(others).flatMap(({ meaning, name, parse }) => {
      const [, least, most] = /\b(\d+(?:ms|[smhd])?) to (\d+(?:ms|[smhd])?)\b/.exec(meaning) ?? []
      return least === undefined || most === undefined
        ? []
        : [{ name, parse: parse as (text: string) => unknown, least, most }]
    })
    const numberIn = (text: string): number =>
      Number.parseInt(text, 10) * (unitMs[/[a-z]+$/.exec(text)?.[0] ?? ''] ?? 1)
    const unlimited = {
      REQUESTS_PER_MINUTE: 10_000_000,
      EXPORTS_AT_A_TIME: 10_000,
      AUTH_FAILURES_PER_MINUTE: 10_000_000,
    }
    for (const [name, most] of Object.entries(unlimited)) {
      const { meaning, parse } = Object.values(settings).find(setting => setting.name === name)!
      expect(meaning).toMatch(/\b0\b/)
      expect([parse('0'), parse('1'), parse(String(most))] as unknown[]).toEqual([0, 1, most])
      expect(() => parse(String(most + 1)), name).toThrow(Unusable)
    }
    // All but those that are addresses, names, switches, files or secrets.
    expect(bounded.map(setting => setting.name)).toEqual(
      Object.values(settings)
        .filter(({ default: text }) => /^\d+(ms|[smhd])?$/.test(text ?? ''))
        .map(setting => setting.name)
        .filter(name => !(name in unlimited)),
    )
    for (const { name, parse, least, most } of bounded) {
      const unit = /[a-z]$/.test(least) ? 'ms' : ''
      for (const edge of [least, most]) expect([name, parse(edge)]).toEqual([name, numberIn(edge)])
      for (const beyond of [numberIn(least) - 1, numberIn(most) + 1])
        expect(() => parse(`${beyond}${unit}`), `${name}=${beyond}${unit}`).toThrow(Unusable)
      for (const text of ['', ' ', '-1', '1.5', '1e3', 'x', `${most}x`, `0x${least}`])
        expect(() => parse(text), `${name}=${text}`).toThrow(Unusable)
    }
  })

  test('links to uploaded files have the host of BASE_URL, which no request can choose', () => {
    const files = { APPLY: 'on', FILES_DIR: '/var/lib/tributary-files' }
    expect(Object.keys(errors(files))).toEqual(['BASE_URL'])
    expect(loadConfig({ ...good, ...files, BASE_URL: 'https://h' }).baseUrl).toBe('https://h')
    for (const unaffected of [{ ...files, APPLY: 'off' }, { APPLY: 'on' }, { ...files, TRIBUTARY_ENV: 'development' }])
      expect(loadConfig({ ...good, ...unaffected }).baseUrl).toBe('')
  })

  test('BASE_URL has no user, query or fragment, and PAGE_TOKEN_KEYS no duplicate key', () => {
    for (const url of [
      'https://user@h',
      'https://user:p@h',
      'https://h/?a=b',
      'https://h/#a',
      'ftp://h',
      'h',
      'https://:p@h',
    ])
      expect(errors({ BASE_URL: url })).toHaveProperty('BASE_URL')
    expect(loadConfig({ ...good, BASE_URL: 'https://h/below//' }).baseUrl).toBe('https://h/below')
    const [value, two] = [good.PAGE_TOKEN_KEYS, Buffer.alloc(32, 2).toString('base64')]
    expect(loadConfig({ ...good, PAGE_TOKEN_KEYS: `${value}, ${two}` }).pageTokenKeys).toHaveLength(2)
    for (const keys of [`${value},${value}`, `${value},${two},${value}`])
      expect(errors({ PAGE_TOKEN_KEYS: keys }).PAGE_TOKEN_KEYS).toContain('twice')
    for (const bytes of [31, 33])
      expect(errors({ PAGE_TOKEN_KEYS: Buffer.alloc(bytes, 3).toString('base64') })).toHaveProperty('PAGE_TOKEN_KEYS')
  })

  test('PostgreSQL’s statement timeout is shorter than our limit on its silence', () => {
    for (const [STATEMENT_TIMEOUT, silenceTimeoutMs] of [
      ['100ms', 134],
      ['30s', 40_000],
      ['1h', 4_800_000],
    ] as const)
      expect(loadConfig({ ...good, STATEMENT_TIMEOUT })).toMatchObject({ silenceTimeoutMs })
  })

  test('refuses to start in production with a pepper that is missing, short, repeated or a placeholder', () => {
    for (const API_KEY_PEPPER of ['', 'short', 'a'.repeat(64), good.API_KEY_PEPPER.slice(0, 31), 'abcdefg'.repeat(9)]) {
      expect(errors({ API_KEY_PEPPER })).toHaveProperty('API_KEY_PEPPER')
    }
    for (const word of ['changeme', 'change-me', 'Example', 'default', 'PEPPER', 'secret', 'password'])
      expect(errors({ API_KEY_PEPPER: `${good.API_KEY_PEPPER}${word}` }).API_KEY_PEPPER).toContain('placeholder')
    for (const API_KEY_PEPPER of [good.API_KEY_PEPPER.slice(0, 32), 'abcdefgh'.repeat(4)])
      expect(loadConfig({ ...good, API_KEY_PEPPER }).apiKeyPepper).toBe(API_KEY_PEPPER)
    // Never repeated.
    const secret = 'CANARYpepper-default-CANARY-0123456789'
    expect(JSON.stringify(errors({ API_KEY_PEPPER: secret, PAGE_TOKEN_KEYS: 'CANARY' }))).not.toContain('CANARY')
  })

  test('OpenID Connect needs all three settings, BASE_URL in production, and HTTPS except for development on loopback', () => {
    const three = { OIDC_ISSUER: 'https://login.example.gov/a/', OIDC_CLIENT_ID: 'us', OIDC_CLIENT_SECRET: 'CANARY' }
    const all = { ...good, ...three, BASE_URL: 'https://apply.example.gov' }
    const { oidcIssuer, oidcClientId, oidcClientSecret, oidcName } = loadConfig(all)
    expect([oidcIssuer, oidcClientId, oidcClientSecret, oidcName]).toEqual([...Object.values(three), 'single sign-on'])
    for (const name of Object.keys(three)) {
      const missing = errors({ ...all, [name]: '' })
      expect(Object.keys(missing)).toEqual([name])
      expect(JSON.stringify(missing)).not.toContain('CANARY')
    }
    expect(errors({ ...all, BASE_URL: '' })).toHaveProperty('BASE_URL')
    for (const OIDC_ISSUER of [
      'login.example.gov',
      'ftp://h',
      'https://h/?a=b',
      'https://h/#a',
      'https://user@h',
      'https://h/.well-known/openid-configuration',
      'http://login.example.gov',
      'http://127.0.0.1:9000',
    ])
      expect(errors({ ...all, OIDC_ISSUER }), OIDC_ISSUER).toHaveProperty('OIDC_ISSUER')
    const development = { ...all, TRIBUTARY_ENV: 'development', BASE_URL: '' }
    for (const OIDC_ISSUER of ['http://127.0.0.1:9000', 'http://localhost:9000', 'http://[::1]:9000'])
      expect(loadConfig({ ...development, OIDC_ISSUER }).oidcIssuer).toBe(OIDC_ISSUER)
    for (const OIDC_ISSUER of ['http://login.example.gov', 'http://127.0.0.1.example.gov'])
      expect(errors({ ...development, OIDC_ISSUER })).toHaveProperty('OIDC_ISSUER')
  })

  test('jobs use the database unless REDIS_URL names a Redis server or the nodes of a cluster', () => {
    expect(loadConfig(good).redisUrl).toBeUndefined()
    for (const url of ['redis://h:6379', 'rediss://:p@h', 'redis://a:1, redis://b:2']) {
      expect(loadConfig({ ...good, REDIS_URL: url }).redisUrl).toBe(url)
    }
    for (const url of ['h:6379', 'http://h', 'redis://', 'redis://a,,redis://b', 'redis:///0']) {
      expect(errors({ REDIS_URL: url })).toHaveProperty('REDIS_URL')
    }
    expect(JSON.stringify(errors({ REDIS_URL: 'http://:CANARY@h' }))).not.toContain('CANARY')
  })

  test('pages are read from one address, and a setting for several addresses is refused', () => {
    const url = 'postgres://app:a,b@standbys.internal/t'
    expect(loadConfig(good).databaseReadUrl).toBeUndefined()
    expect(loadConfig({ ...good, DATABASE_READ_URL: url }).databaseReadUrl).toBe(url)
    for (const several of [
      'postgres://:CANARY@a/t,postgres://:CANARY@b/t',
      'postgres://a,b/t',
      'postgres://a:1,b:2/t',
      'a',
      'http://a',
    ])
      expect(errors({ DATABASE_READ_URL: several }), several).toEqual({
        DATABASE_READ_URL: expect.not.stringContaining('CANARY'),
      })
    for (const name of ['EXPORT_DATABASE_URL', 'EXPORT_DATABASE_URL_FILE'])
      expect(errors({ [name]: url })).toEqual({ [name]: expect.stringContaining('DATABASE_READ_URL') })
    loadConfig({ ...good, EXPORT_DATABASE_URL: url, DATABASE_READ_URL: url })
  })

  test('the CiviForm’s time zone is part of its address, and the former setting is refused', () => {
    const url = 'postgres://reader@forms.internal/postgres'
    const inZone = `${url}?timezone=America/New_York`
    for (const [given, zone] of [
      [url, 'UTC'],
      [inZone, 'America/New_York'],
      [`${url}?timezone=UTC`, 'UTC'],
    ])
      expect(loadConfig({ ...good, CIVIFORM_DATABASE_URL: given }).civiformDatabase).toEqual({ url, zone: zone! })
    const others = `${url}?sslmode=require&timezone=America%2FNew_York`
    expect(loadConfig({ ...good, CIVIFORM_DATABASE_URL: others }).civiformDatabase).toEqual({
      url: `${url}?sslmode=require`,
      zone: 'America/New_York',
    })
    for (const zone of ['', 'Mars/Olympus', '-05:00'])
      expect(errors({ CIVIFORM_DATABASE_URL: `${url}?timezone=${zone}` })).toEqual({
        CIVIFORM_DATABASE_URL: expect.stringMatching(/ IANA .*\?timezone=America/),
      })
    // Of two one would be chosen, and another spelling is a setting of the session to PostgreSQL: either would move every time.
    for (const query of [
      'timezone=UTC&timezone=America/New_York',
      'TimeZone=America/New_York',
      'timezone=UTC&TIMEZONE=UTC',
    ])
      expect(errors({ CIVIFORM_DATABASE_URL: `${url}?${query}` })).toEqual({
        CIVIFORM_DATABASE_URL: expect.stringMatching(/ once, .*\?timezone=America/),
      })
    const was = { CIVIFORM_DATABASE_TIME_ZONE: 'America/New_York' }
    expect(errors({ CIVIFORM_DATABASE_URL: url, ...was })).toEqual({
      CIVIFORM_DATABASE_TIME_ZONE: expect.stringMatching(/ CIVIFORM_DATABASE_URL .*\?timezone=America\/New_York$/),
    })
    loadConfig({ ...good, CIVIFORM_DATABASE_URL: inZone, ...was })
    loadConfig({ ...good, CIVIFORM_DATABASE_URL: url, CIVIFORM_DATABASE_TIME_ZONE: 'UTC' })
    loadConfig({ ...good, ...was })
  })

  test('refuses a setting without the settings it requires', () => {
    expect(loadConfig(good).passwordSignIn).toBe(true)
    expect(Object.keys(errors({ PASSWORD_SIGN_IN: 'off' }))).toEqual(['PASSWORD_SIGN_IN'])
    expect(errors({ TLS_CERT: '/cert.pem' })).toHaveProperty('TLS_KEY')
    expect(errors({ TRIBUTARY_ENV: 'development', HOST: '0.0.0.0' })).toHaveProperty('HOST')
    expect(errors({ BASE_URL: 'http://apply.example.gov' })).toHaveProperty('BASE_URL')
    expect(errors({ PORT: '9000', HEALTH_PORT: '9000' })).toHaveProperty('HEALTH_PORT')
  })

  test('the console shows every setting with its source, and no secret', () => {
    const environment = {
      ...good,
      API_KEY_PEPPER: 'CANARY3J9vXq2LmZ8wR5tYb7NcD4fGhP6sUaE1iOx',
      DATABASE_URL: 'postgres://app:CANARY,x@db.internal:5433/tributary?password=CANARY#CANARY',
      DATABASE_DIRECT_URL: 'postgres://app:CANARY@direct.internal/tributary',
      CONSOLE_DATABASE_URL: 'postgres://desk:CANARY%40@db.internal/tributary',
      DATABASE_READ_URL: 'postgres://app:CANARY%2C@one/t',
      CIVIFORM_DATABASE_URL: 'postgres://reader:CANARY@forms.internal/postgres?timezone=America/New_York',
      REDIS_URL: 'redis://:CANARY@one:6379,rediss://user:CANARY@two',
      OIDC_ISSUER: 'https://login.example.gov',
      OIDC_CLIENT_ID: 'us',
      OIDC_CLIENT_SECRET: 'CANARY',
      BASE_URL: 'https://apply.example.gov',
      TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1',
      SESSION_IDLE: '90s',
      INSTALLATION_NAME: 'Arden',
      HOST: '',
    }
    const shown = shownSettings(environment)
    expect(shown.map(({ name }) => name)).toEqual(Object.values(settings).map(({ name }) => name))
    expect(JSON.stringify(shown)).not.toContain('CANARY')
    expect(JSON.stringify(shown)).not.toContain(good.PAGE_TOKEN_KEYS)
    const values = Object.fromEntries(shown.map(({ name, value, source }) => [name, [value, source]]))
    expect(values).toMatchObject({
      API_KEY_PEPPER: ['set', 'environment'],
      PAGE_TOKEN_KEYS: ['set', 'environment'],
      OIDC_CLIENT_SECRET: ['set', 'environment'],
      DATABASE_URL: ['postgres://db.internal:5433/tributary', 'environment'],
      DATABASE_READ_URL: ['postgres://one/t', 'environment'],
      REDIS_URL: ['redis://one:6379, rediss://two', 'environment'],
      CIVIFORM_DATABASE_URL: ['postgres://forms.internal/postgres', 'environment'],
      OIDC_ISSUER: ['https://login.example.gov', 'environment'],
      TRUSTED_PROXIES: ['10.0.0.0/8, 192.0.2.1', 'environment'],
      SESSION_IDLE: ['90s', 'environment'],
      INSTALLATION_NAME: ['Arden', 'environment'],
      SESSION_LIFETIME: ['12h', 'default'],
      DATABASE_PREPARE: ['on', 'default'],
      HOST: ['127.0.0.1', 'default'],
      TLS_KEY: ['', 'default'],
    })
  })

  test.each(Object.values(settings).map(setting => [setting.name, setting] as const))(
    '%s has valid examples, which are shown unless the setting is secret',
    (name, { parse, secret }) => {
      expect(parse.examples).not.toHaveLength(0)
      for (const example of parse.examples) {
        expect(parse(example), example).not.toBeUndefined()
        const { value } = shownSettings({ ...good, [name]: example }).find(shown => shown.name === name)!
        expect([value === '', secret && value !== 'set']).toEqual([false, false])
      }
    },
  )

  test('a setting is hidden if and only if SETTINGS.md calls it secret', () => {
    for (const { name, meaning, ...rest } of Object.values(settings))
      expect([name, rest.secret]).toEqual([name, meaning.endsWith(' Secret.')])
  })

  test('SETTINGS.md lists every setting with its default and meaning', async () => {
    const readme = await Bun.file(new URL('../../deploy/SETTINGS.md', import.meta.url)).text()
    for (const setting of Object.values(settings)) {
      const shown =
        setting.default === undefined ? 'must be given' : setting.default === '' ? 'none' : `\`${setting.default}\``
      expect(readme).toContain(`| \`${setting.name}\` | ${shown} | ${setting.meaning} |`)
    }
  })
})
