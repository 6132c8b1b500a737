// Every setting of the service: its name, default, meaning and bounds, read once from the environment.
// It must not open anything; only the two main.ts and the scripts call it.

import { enumeratorDepthUsual } from './domain/definitions/program-definition.ts'
import { parseSubnet, type Subnet } from './domain/values/ip-address.ts'
import { Problem, type ProblemItem } from './problem.ts'

export interface Config {
  environment: 'production' | 'development'
  databaseUrl: string
  databaseDirectUrl: string | undefined
  databaseConnections: number
  exportDatabaseUrls: readonly string[]
  exportLagMaxMs: number
  exportConnections: number
  exportOnly: boolean
  intakeConnections: number
  consoleDatabaseUrl: string | undefined
  consoleConnections: number
  databasePrepare: boolean
  redisUrl: string | undefined
  sweepIntervalMs: number
  statementTimeoutMs: number
  silenceTimeoutMs: number
  responseTimeoutMs: number
  host: string
  port: number
  healthHost: string
  healthPort: number
  workerHealthPort: number
  reusePort: boolean
  processes: number | 'auto'
  baseUrl: string
  timeZone: string
  maxPageSize: number
  pageTokenKeys: readonly Buffer[]
  pageTokenTtlMs: number
  apiKeyPepper: string
  trustedProxies: readonly Subnet[]
  tlsCert: string | undefined
  tlsKey: string | undefined
  idleTimeoutMs: number
  connectionsPerAddress: number
  stallTimeoutMs: number
  letGoAfterMs: number
  exportQueueTimeoutMs: number
  requestsPerMinute: number
  exportsAtATime: number
  auditRequired: boolean
  intermediaries: 'any' | 'listed'
  authFailuresPerMinute: number
  intakeBodyBytesMax: number
  intakeDepthMax: number
  enumeratorDepthMax: number
  sessionIdleMs: number
  sessionLifetimeMs: number
  passwordSignIn: boolean
  oidcIssuer: string | undefined
  oidcClientId: string | undefined
  oidcClientSecret: string | undefined
  oidcName: string
  installationName: string
  drainTimeoutMs: number
  logLevel: string
  commit: string | undefined
  civiformDatabaseUrl: string | undefined
  civiformDatabaseZone: string
  civiformBaseUrl: string
  civiformApiSalt: string | undefined
  civiformProfile: 'contract' | 'civiform'
  civiformWriterRoles: readonly string[] | undefined
  civiformClockSlackMs: number
  civiformPollIntervalMs: number
  civiformScanRows: number
  civiformReconcileMs: number
  selfWalkUrl: string
  selfWalkCredential: string | undefined
  selfWalkIntervalMs: number
  selfWalkApplications: number
  tracesEndpoint: string
  tracesHeaders: readonly (readonly [name: string, value: string])[]
  tracesShare: number
}

/** Thrown by a parser with a sentence that says what would be right. */
class Unusable extends Error {}

interface Setting<T = unknown> {
  name: string
  /** What is used when the variable is absent or empty; undefined when it must be given. */
  default: string | undefined
  /** For SETTINGS.md and the console: what it is, with unit and bounds. */
  meaning: string
  /** Whether nobody is ever shown it. */
  secret?: true
  parse: (text: string) => T
}

const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max)) throw new Unusable(`must be a whole number from ${min} to ${max}`)
    return value
  }

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of `500ms`, `30s`, `5m`, `12h`, `7d`; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text)
  return match === null ? undefined : Number(match[1]) * unitMs[match[2]!]!
}

/** Bounds in milliseconds. */
const duration =
  (minMs: number, maxMs: number) =>
  (text: string): number => {
    const value = parseDuration(text) ?? Number.NaN
    if (!(value >= minMs && value <= maxMs)) {
      throw new Unusable(`must be a duration such as 500ms, 30s, 5m, 12h or 7d, from ${minMs} ms to ${maxMs} ms`)
    }
    return value
  }

const oneOf =
  <const T extends string>(...values: readonly T[]) =>
  (text: string): T => {
    const value = values.find(v => v === text)
    if (value === undefined) throw new Unusable(`must be one of ${values.join(', ')}`)
    return value
  }

const onOff = (text: string): boolean => oneOf('on', 'off')(text) === 'on'
const optionalText = (text: string): string | undefined => (text === '' ? undefined : text)

function postgresUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw new Unusable('must be a PostgreSQL address such as postgres://user:password@host:5432/database')
  }
  return text
}

function postgresUrls(text: string): string[] {
  const urls = text === '' ? [] : text.split(',').map(part => postgresUrl(part.trim()))
  if (new Set(urls).size !== urls.length) throw new Unusable('must not name one server twice')
  return urls
}

function redisUrls(text: string): string | undefined {
  if (text === '') return undefined
  for (const part of text.split(',')) {
    const url = URL.parse(part.trim())
    if (url === null || !['redis:', 'rediss:'].includes(url.protocol) || url.hostname === '') {
      throw new Unusable(
        'must be an address such as redis://:password@host:6379 or rediss://…, or several of one cluster, comma-separated',
      )
    }
  }
  return text
}

function httpUrl(text: string): string {
  if (text === '') return ''
  const url = URL.parse(text)
  if (
    url === null ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== '' ||
    url.password !== ''
  ) {
    throw new Unusable('must be an address such as https://apply.example.gov, without query or user')
  }
  return text.replace(/\/+$/, '')
}

/** As it is written: a provider's name for itself has a slash at its end or has none. */
function issuerUrl(text: string): string | undefined {
  if (text === '') return undefined
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || /[?#@]|\/\.well-known\//.test(text))
    throw new Unusable(
      'must be the address of an OpenID provider such as https://login.example.gov, as it names itself',
    )
  return text
}

function ianaTimeZone(text: string): string {
  try {
    if (!/^[A-Za-z]/.test(text)) throw new RangeError()
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone === 'UTC' ? 'UTC' : text
  } catch {
    throw new Unusable('must be an IANA time zone such as America/Los_Angeles or UTC')
  }
}

function subnets(text: string): Subnet[] {
  const parts = text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
  const parsed = parts.map(parseSubnet)
  const faults = parsed.flatMap(subnet => ('fault' in subnet ? [subnet.fault] : []))
  if (faults.length > 0) throw new Unusable(`must be a comma-separated list of subnets: ${faults.join('; ')}`)
  return parsed as Subnet[]
}

function tokenKeys(text: string): Buffer[] {
  const keys = text.split(',').map(part => Buffer.from(part.trim(), 'base64'))
  if (keys.length === 0 || keys.some(key => key.length !== 32)) {
    throw new Unusable(
      'must be one or more keys of 32 random bytes in Base64, separated by commas, the current one first (openssl rand -base64 32)',
    )
  }
  if (new Set(keys.map(key => key.toString('hex'))).size !== keys.length)
    throw new Unusable('must not name one key twice')
  return keys
}

function pepper(text: string): string {
  if (text.length < 32 || new Set(text).size < 8)
    throw new Unusable('must be at least 32 characters of randomness (openssl rand -base64 48)')
  if (/change.?me|example|default|pepper|secret|password/i.test(text))
    throw new Unusable('must not be a placeholder (openssl rand -base64 48)')
  return text
}

function webUrl(text: string): string {
  if (!['https:', 'http:'].includes(URL.parse(text)?.protocol ?? ''))
    throw new Unusable('must be an address such as https://forms.example.gov')
  return text
}

function usernameAndPassword(text: string): string | undefined {
  if (text === '') return undefined
  if (!/^[\x21-\x39\x3b-\x7e]+:[\x21-\x7e]+$/.test(text))
    throw new Unusable('must be username and password of an API key, as username:password')
  return text
}

function headerFields(text: string): [string, string][] {
  const parts = text.split(',').filter(part => part.trim() !== '')
  return parts.map(part => {
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)=(.*)$/.exec(part) ?? []
    if (name === undefined || !/^(?:[\x21-\x24\x26-\x7e ]|%[2-7][0-9A-Fa-f])*$/.test(value!))
      throw new Unusable('must be fields as name=value, separated by commas, with values percent-encoded')
    return [name, decodeURIComponent(value!).trim()]
  })
}

function share(text: string): number {
  const value = /^\d(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN
  if (!(value <= 1)) throw new Unusable('must be a number from 0 to 1, such as 0.05')
  return value
}

/** The settings, in the order SETTINGS.md lists them. Values of secret settings are never repeated in a message. */
export const settings = {
  environment: {
    name: 'TRIBUTARY_ENV',
    default: 'production',
    meaning: '`production`, or `development`: plain HTTP is then accepted from and on loopback only.',
    parse: oneOf('production', 'development'),
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    default: undefined,
    meaning: 'PostgreSQL 15 or newer, as `postgres://user:password@host:5432/database`.',
    parse: postgresUrl,
  },
  databaseDirectUrl: {
    name: 'DATABASE_DIRECT_URL',
    default: '',
    meaning:
      'PostgreSQL itself, where DATABASE_URL leads through a pooler: for what cannot go through one, which is the queue of the worker.',
    parse: (text: string): string | undefined => (text === '' ? undefined : postgresUrl(text)),
  },
  databaseConnections: {
    name: 'DATABASE_CONNECTIONS',
    default: '10',
    meaning:
      'Connections of one service, all its PROCESSES together, for everything but exports, intake and the console, 1 to 500.',
    parse: wholeNumber(1, 500),
  },
  exportDatabaseUrls: {
    name: 'EXPORT_DATABASE_URL',
    default: '',
    meaning:
      'Streaming standbys of DATABASE_URL that pages are read from, comma-separated, with the same login. Empty: pages are read from DATABASE_URL.',
    parse: postgresUrls,
  },
  exportLagMaxMs: {
    name: 'EXPORT_LAG_MAX',
    default: '10s',
    meaning:
      'How far a standby may be behind and still be read, 2s to 1h: how old a status, a note or an erasure on a page may be.',
    parse: duration(2000, 3_600_000),
  },
  exportConnections: {
    name: 'EXPORT_CONNECTIONS',
    default: '16',
    meaning:
      'Connections of one service, all its PROCESSES together, for exports, to each server they are read from, 1 to 500. A slow reader gives its connection back.',
    parse: wholeNumber(1, 500),
  },
  exportOnly: {
    name: 'EXPORT_ONLY',
    default: 'off',
    meaning:
      '`on` or `off`: only exports, docs and `checkAuth`, and nothing is written to DATABASE_URL, which may be read-only or a standby. With AUDIT_REQUIRED off.',
    parse: onOff,
  },
  intakeConnections: {
    name: 'INTAKE_CONNECTIONS',
    default: '8',
    meaning: 'Connections of one service, all its PROCESSES together, for what front ends save and submit, 1 to 500.',
    parse: wholeNumber(1, 500),
  },
  consoleDatabaseUrl: {
    name: 'CONSOLE_DATABASE_URL',
    default: '',
    meaning:
      'The same database under a login of its own for the console, which may change more than the rest. Empty: DATABASE_URL.',
    parse: text => (text === '' ? undefined : postgresUrl(text)),
  },
  consoleConnections: {
    name: 'CONSOLE_CONNECTIONS',
    default: '4',
    meaning: 'Connections of one service, all its PROCESSES together, for the console, 1 to 100.',
    parse: wholeNumber(1, 100),
  },
  databasePrepare: {
    name: 'DATABASE_PREPARE',
    default: 'on',
    meaning: '`on` or `off`: named prepared statements. Off behind a pooler in transaction mode.',
    parse: onOff,
  },
  statementTimeoutMs: {
    name: 'STATEMENT_TIMEOUT',
    default: '30s',
    meaning:
      'How long one statement may run in PostgreSQL, 100ms to 1h. Through a pooler, set it for the role instead.',
    parse: duration(100, 3_600_000),
  },
  silenceTimeoutMs: {
    name: 'SILENCE_TIMEOUT',
    default: '40s',
    meaning:
      'How long PostgreSQL may say nothing while it owes an answer before its connection is given up, 100ms to 2h; longer than STATEMENT_TIMEOUT.',
    parse: duration(100, 7_200_000),
  },
  responseTimeoutMs: {
    name: 'RESPONSE_TIMEOUT',
    default: '20s',
    meaning:
      'How long a request may wait for the first byte of its answer, for whatever reason, before it is refused with 503, 100ms to 10m. The arrival of a body is not counted.',
    parse: duration(100, 600_000),
  },
  redisUrl: {
    name: 'REDIS_URL',
    default: '',
    meaning:
      'Redis or Valkey that carries jobs, and in which the limits of keys are counted for all processes on all machines, as `redis://…` or `rediss://…`; several, comma-separated, are nodes of one cluster. Empty: the database carries the jobs, and each process allows its share.',
    parse: redisUrls,
  },
  sweepIntervalMs: {
    name: 'SWEEP_INTERVAL',
    default: '1m',
    meaning: 'How often a worker looks for what is missing, or is kept too long, without having been asked, 1s to 1h.',
    parse: duration(1000, 3_600_000),
  },
  host: {
    name: 'HOST',
    default: '127.0.0.1',
    meaning: 'Address to listen on; `0.0.0.0` or `::` for all.',
    parse: (text: string): string => text,
  },
  port: {
    name: 'PORT',
    default: '8080',
    meaning: 'Port of the service, 0 to 65535; 0 picks a free one.',
    parse: wholeNumber(0, 65_535),
  },
  healthHost: {
    name: 'HEALTH_HOST',
    default: '127.0.0.1',
    meaning:
      'Address on which `/livez`, `/readyz` and `/metrics` are; give another one only where strangers do not reach it.',
    parse: (text: string): string => text,
  },
  healthPort: {
    name: 'HEALTH_PORT',
    default: '8081',
    meaning: 'Port of `/livez`, `/readyz` and `/metrics`, 0 to 65535; 0 picks a free one.',
    parse: wholeNumber(0, 65_535),
  },
  workerHealthPort: {
    name: 'WORKER_HEALTH_PORT',
    default: '8082',
    meaning: 'The same port of a worker, 0 to 65535; 0 picks a free one. Several workers on one machine need one each.',
    parse: wholeNumber(0, 65_535),
  },
  reusePort: {
    name: 'REUSE_PORT',
    default: 'off',
    meaning:
      '`on` or `off`: lets several processes of one machine listen on PORT, each getting a share of the connections.',
    parse: onOff,
  },
  processes: {
    name: 'PROCESSES',
    default: '1',
    meaning:
      'Processes of the service behind PORT, 1 to 64, or `auto` for one a core. Connections and limits are shared out among them. More than one on Linux alone.',
    parse: text => (text === 'auto' ? text : wholeNumber(1, 64)(text)),
  },
  baseUrl: {
    name: 'BASE_URL',
    default: '',
    meaning:
      'The address clients use, for docs and links; `https://…` in production. Empty: the address that was asked.',
    parse: httpUrl,
  },
  timeZone: {
    name: 'INSTANCE_TIME_ZONE',
    default: 'UTC',
    meaning: 'IANA time zone of the instance: zone of the times in exports and of dates without one in requests.',
    parse: ianaTimeZone,
  },
  maxPageSize: {
    name: 'MAX_PAGE_SIZE',
    default: '1000',
    meaning: 'Most applications on one page, 1 to 1000000. Also the default page size.',
    parse: wholeNumber(1, 1_000_000),
  },
  pageTokenKeys: {
    name: 'PAGE_TOKEN_KEYS',
    default: undefined,
    meaning:
      'Keys of 32 bytes in Base64 that seal page tokens, comma-separated: the current one, then earlier ones still accepted. Secret.',
    secret: true,
    parse: tokenKeys,
  },
  pageTokenTtlMs: {
    name: 'PAGE_TOKEN_TTL',
    default: '7d',
    meaning: 'How long a page token is accepted after it was issued, 1m to 365d.',
    parse: duration(60_000, 365 * 86_400_000),
  },
  apiKeyPepper: {
    name: 'API_KEY_PEPPER',
    default: undefined,
    meaning:
      'At least 32 random characters under which API key secrets are hashed. Changing it ends every key. Secret.',
    secret: true,
    parse: pepper,
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    default: '',
    meaning: 'Subnets (comma-separated CIDR) whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.',
    parse: subnets,
  },
  tlsCert: {
    name: 'TLS_CERT',
    default: '',
    meaning: 'File with the certificate chain (PEM), to end TLS in the service itself. With TLS_KEY.',
    parse: optionalText,
  },
  tlsKey: {
    name: 'TLS_KEY',
    default: '',
    meaning: 'File with the private key (PEM). With TLS_CERT.',
    parse: optionalText,
  },
  idleTimeoutMs: {
    name: 'IDLE_TIMEOUT',
    default: '75s',
    meaning:
      'How long a connection may stay open without a request under way, 1s to 4m; up to four seconds longer. A head that is not complete within 12 s is given up.',
    parse: duration(1000, 240_000),
  },
  connectionsPerAddress: {
    name: 'CONNECTIONS_PER_ADDRESS',
    default: '200',
    meaning:
      'Connections of one address (IPv6: of one /64) on which no key was accepted yet, shared out among PROCESSES; more end the oldest. 0 for no limit. Not for trusted proxies. On Linux.',
    parse: wholeNumber(0, 1_000_000),
  },
  stallTimeoutMs: {
    name: 'STALL_TIMEOUT',
    default: '60s',
    meaning: 'How long a reader may take nothing before it is cut off, 1s to 1h.',
    parse: duration(1000, 3_600_000),
  },
  letGoAfterMs: {
    name: 'LET_GO_AFTER',
    default: '1s',
    meaning:
      'How long a write may wait before the export gives its database connection back, 10ms to 1m; at once while others wait for one.',
    parse: duration(10, 60_000),
  },
  exportQueueTimeoutMs: {
    name: 'EXPORT_QUEUE_TIMEOUT',
    default: '10s',
    meaning:
      'How long an export may wait for a database connection and its first applications together before it is refused with 503, 100ms to 5m.',
    parse: duration(100, 300_000),
  },
  requestsPerMinute: {
    name: 'REQUESTS_PER_MINUTE',
    default: '600',
    meaning:
      'Requests a minute of one API key: of all processes with REDIS_URL, else shared out among PROCESSES. 0 for no limit.',
    parse: wholeNumber(0, 10_000_000),
  },
  exportsAtATime: {
    name: 'EXPORTS_AT_A_TIME',
    default: '4',
    meaning:
      'Exports of one API key under way at once: of all processes with REDIS_URL, else shared out among PROCESSES. 0 for no limit.',
    parse: wholeNumber(0, 10_000),
  },
  auditRequired: {
    name: 'AUDIT_REQUIRED',
    default: 'on',
    meaning:
      '`on` or `off`: whether an API key gets no further page (503) while the audit trail cannot take the line on one it got.',
    parse: onOff,
  },
  intermediaries: {
    name: 'INTERMEDIARIES',
    default: 'any',
    meaning:
      '`any` or `listed`: whether a submission may name any intermediary, or only one that the console has under Intermediaries.',
    parse: oneOf('any', 'listed'),
  },
  authFailuresPerMinute: {
    name: 'AUTH_FAILURES_PER_MINUTE',
    default: '60',
    meaning:
      'Failed authentications a minute from one address before further ones get 429; 0 for no limit. A valid key is never refused for it.',
    parse: wholeNumber(0, 10_000_000),
  },
  intakeBodyBytesMax: {
    name: 'INTAKE_BODY_BYTES_MAX',
    default: '2097152',
    meaning: 'Most bytes of a request body at intake, 1024 to 67108864.',
    parse: wholeNumber(1024, 67_108_864),
  },
  intakeDepthMax: {
    name: 'INTAKE_DEPTH_MAX',
    default: '64',
    meaning: 'Deepest nesting of JSON at intake, 8 to 512; at least 4 and 3 for each of ENUMERATOR_DEPTH_MAX.',
    parse: wholeNumber(8, 512),
  },
  enumeratorDepthMax: {
    name: 'ENUMERATOR_DEPTH_MAX',
    default: String(enumeratorDepthUsual),
    meaning: 'Most enumerators within one another that a program may have, 1 to 100.',
    parse: wholeNumber(1, 100),
  },
  sessionIdleMs: {
    name: 'SESSION_IDLE',
    default: '30m',
    meaning: 'How long a sign-in to the console lasts without a request, 1m to 24h.',
    parse: duration(60_000, 86_400_000),
  },
  sessionLifetimeMs: {
    name: 'SESSION_LIFETIME',
    default: '12h',
    meaning: 'How long a sign-in to the console lasts at most, 5m to 7d.',
    parse: duration(300_000, 604_800_000),
  },
  passwordSignIn: {
    name: 'PASSWORD_SIGN_IN',
    default: 'on',
    meaning: '`on` or `off`: whether people sign in to the console with a password. Off only where OIDC_ISSUER is set.',
    parse: onOff,
  },
  oidcIssuer: {
    name: 'OIDC_ISSUER',
    default: '',
    meaning:
      'OpenID provider whose people sign in to the console, as it names itself: `https://login.example.gov`. With OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.',
    parse: issuerUrl,
  },
  oidcClientId: {
    name: 'OIDC_CLIENT_ID',
    default: '',
    meaning:
      'What the provider calls this service. Its redirect URI there is BASE_URL with `/admin/sign-in/oidc/callback`.',
    parse: optionalText,
  },
  oidcClientSecret: {
    name: 'OIDC_CLIENT_SECRET',
    default: '',
    meaning: 'The secret that goes with OIDC_CLIENT_ID. Secret.',
    secret: true,
    parse: optionalText,
  },
  oidcName: {
    name: 'OIDC_NAME',
    default: 'single sign-on',
    meaning: 'What people call the provider; it stands on the button, after “Sign in with”.',
    parse: (text: string): string => text,
  },
  installationName: {
    name: 'INSTALLATION_NAME',
    default: '',
    meaning: 'Whose installation this is, shown in the console: City of Arden.',
    parse: (text: string): string => text,
  },
  drainTimeoutMs: {
    name: 'DRAIN_TIMEOUT',
    default: '30s',
    meaning: 'How long running exports may finish after SIGTERM, 0ms to 1h.',
    parse: duration(0, 3_600_000),
  },
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    meaning: 'Least severe line that is logged: trace, debug, info, warn, error, fatal or silent.',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
  selfWalkUrl: {
    name: 'SELF_WALK_URL',
    default: '',
    meaning:
      'Address of this service at which the worker walks it from time to time, and holds what it got against the database; the one clients use tries most. Empty: it does not.',
    parse: httpUrl,
  },
  selfWalkCredential: {
    name: 'SELF_WALK_CREDENTIAL',
    default: '',
    meaning: 'Username and password of the API key that it walks with, as `username:password`. Secret.',
    secret: true,
    parse: usernameAndPassword,
  },
  selfWalkIntervalMs: {
    name: 'SELF_WALK_INTERVAL',
    default: '1h',
    meaning: 'The pause after a self-walk, 1s to 7d.',
    parse: duration(1000, 604_800_000),
  },
  selfWalkApplications: {
    name: 'SELF_WALK_APPLICATIONS',
    default: '1000',
    meaning: 'About how many applications one self-walk reads, 10 to 10000.',
    parse: wholeNumber(10, 10_000),
  },
  tracesEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    default: '',
    meaning:
      'Collector of OpenTelemetry that traces are sent to (OTLP over HTTP), as `http://127.0.0.1:4318`. Empty: there are none.',
    parse: httpUrl,
  },
  tracesHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    default: '',
    meaning: 'Fields to send to the collector, as `name=value,name=value`, values percent-encoded. Secret.',
    secret: true,
    parse: headerFields,
  },
  tracesShare: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    default: '1',
    meaning:
      'Share of the traces that begin here to be sent, 0 to 1. Those that come with a request are as it says (`traceparent`).',
    parse: share,
  },
  commit: {
    name: 'TRIBUTARY_COMMIT',
    default: '',
    meaning: 'Commit that this was built from, for `tributary_build_info`; an image sets it.',
    parse: optionalText,
  },
  civiformDatabaseUrl: {
    name: 'CIVIFORM_DATABASE_URL',
    default: '',
    meaning:
      'The PostgreSQL database of a CiviForm to follow, with a role that may only read. For `workers/follow-civiform.ts` alone; see CIVIFORM.md.',
    parse: (text: string): string | undefined => (text === '' ? undefined : postgresUrl(text)),
  },
  civiformDatabaseZone: {
    name: 'CIVIFORM_DATABASE_TIME_ZONE',
    default: 'UTC',
    meaning: 'IANA time zone of the times in that database. UTC, unless TZ was set for CiviForm’s servers.',
    parse: ianaTimeZone,
  },
  civiformBaseUrl: {
    name: 'CIVIFORM_BASE_URL',
    default: '',
    meaning:
      'Where that CiviForm is reached: addresses of uploaded files in exports lead there. `https://forms.example.gov`.',
    parse: (text: string): string => (text === '' ? '' : webUrl(text).replace(/\/+$/, '')),
  },
  civiformApiSalt: {
    name: 'CIVIFORM_API_SECRET_SALT',
    default: '',
    meaning: 'That CiviForm’s setting of the same name: with it its API keys are good here. For the service. Secret.',
    secret: true,
    parse: optionalText,
  },
  civiformProfile: {
    name: 'CIVIFORM_PROFILE',
    default: 'contract',
    meaning:
      '`contract`: followed programs are exported as the manual says. `civiform`: as CiviForm’s code does it, where the two differ; CIVIFORM.md lists each difference. The same for the service and the follower.',
    parse: oneOf('contract', 'civiform'),
  },
  civiformWriterRoles: {
    name: 'CIVIFORM_WRITER_ROLES',
    default: '',
    meaning:
      'Roles under which CiviForm submits, comma-separated. Empty: the owner of its applications, and whoever may write them.',
    parse: (text: string): readonly string[] | undefined =>
      text === '' ? undefined : text.split(',').map(role => role.trim()),
  },
  civiformClockSlackMs: {
    name: 'CIVIFORM_CLOCK_SLACK',
    default: '2s',
    meaning:
      'How far clocks of CiviForm’s servers may be behind its database’s, 10ms to 10m: an application is followed that much later.',
    parse: duration(10, 600_000),
  },
  civiformPollIntervalMs: {
    name: 'CIVIFORM_POLL_INTERVAL',
    default: '2s',
    meaning: 'Pause between two looks at CiviForm’s database, 100ms to 10m.',
    parse: duration(100, 600_000),
  },
  civiformScanRows: {
    name: 'CIVIFORM_SCAN_ROWS',
    default: '5000',
    meaning: 'Applications compared at each look, for what changed in ways that no event tells, 100 to 100000.',
    parse: wholeNumber(100, 100_000),
  },
  civiformReconcileMs: {
    name: 'CIVIFORM_RECONCILE_INTERVAL',
    default: '1d',
    meaning: 'How often every application is read whole and compared, 1h to 30d.',
    parse: duration(3_600_000, 30 * 86_400_000),
  },
} satisfies { [K in keyof Config]: Setting<Config[K]> }

export type Environment = Readonly<Record<string, string | undefined>>

/** A setting as the console shows it. */
export interface ShownSetting {
  /** What it is set about, for a heading. */
  group: string
  name: string
  /** As it would be written; empty where there is none. Of a secret, and of what is secret in an address, nothing but that it is set. */
  value: string
  source: 'environment' | 'default'
  meaning: string
}

/** The headings, each by the setting that it begins with. */
const groups: Partial<Record<keyof Config, string>> = {
  environment: 'Environment, database and jobs',
  host: 'Where it listens',
  baseUrl: 'Addresses, times and pages',
  trustedProxies: 'Proxies, TLS and connections',
  requestsPerMinute: 'Limits and rules',
  sessionIdleMs: 'The console',
  drainTimeoutMs: 'Ending and logging',
  civiformDatabaseUrl: 'Beside CiviForm',
}

/** Every setting, in SETTINGS.md's order, for people to read. What it shows is no secret, and tells none. */
export function shownSettings(config: Config, environment: Environment): ShownSetting[] {
  let group = ''
  return (Object.entries(settings) as [keyof Config, Setting][]).map(([key, { name, meaning, secret }]) => {
    group = groups[key] ?? group
    const value = shownValue(key, config[key], secret === true)
    // The environment may also name a file that has it (setting-files).
    const isGiven = environment[name] || environment[`${name}_FILE`]
    return { group, name, value, source: isGiven ? 'environment' : 'default', meaning }
  })
}

function shownValue(key: keyof Config, value: Config[keyof Config], secret: boolean): string {
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return ''
  if (secret) return 'set'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'number') return key.endsWith('Ms') ? formatDuration(value) : String(value)
  if (typeof value === 'string') return withoutCredentials(value)
  return (value as readonly (Subnet | string)[])
    .map(item => (typeof item === 'string' ? withoutCredentials(item) : item.text))
    .join(', ')
}

/** An address, or several, as far as it is no secret: scheme, host, port and path. Any other text as it is. */
function withoutCredentials(text: string): string {
  if (!/^\s*[a-z][a-z\d+.-]*:\/\//i.test(text)) return text
  const several = text.split(/,(?=\s*[a-z][a-z\d+.-]*:\/\/)/i)
  if (several.length > 1) return several.map(withoutCredentials).join(', ')
  if (!/[@?#]/.test(text)) return text
  const url = URL.parse(text)
  return url === null ? 'set' : `${url.protocol}//${url.host}${url.pathname}`
}

/** `1500ms` and `7d`: in the largest unit that is exact. */
export function formatDuration(milliseconds: number): string {
  const [unit, length] = Object.entries(unitMs).findLast(([, length]) => milliseconds % length === 0)!
  return milliseconds === 0 ? '0ms' : `${milliseconds / length}${unit}`
}

/** One setting, for what needs no other. Throws a Problem. */
export function readSetting<K extends 'enumeratorDepthMax'>(environment: Environment, key: K): Config[K] {
  const { name, default: usual, parse } = settings[key]
  try {
    return parse(environment[name] || usual)
  } catch (error) {
    if (!(error instanceof Unusable)) throw error
    throw new Problem('invalid_request', {
      detail: 'A setting cannot be used:',
      errors: [{ parameter: name, code: 'unusable_setting', detail: error.message }],
    })
  }
}

/**
 * The configuration in an environment. Throws one Problem that names every setting that cannot be used, and why.
 * An empty variable counts as absent.
 */
export function loadConfig(environment: Environment): Config {
  const errors: ProblemItem[] = []
  const fault = (name: string, detail: string): number =>
    errors.push({ parameter: name, code: 'unusable_setting', detail })
  const config: Record<string, unknown> = {}
  for (const [key, setting] of Object.entries(settings) as [string, Setting][]) {
    const text = environment[setting.name] || setting.default
    if (text === undefined) {
      fault(setting.name, `is not set. ${setting.meaning}`)
      continue
    }
    try {
      config[key] = setting.parse(text)
    } catch (error) {
      if (!(error instanceof Unusable)) throw error
      fault(setting.name, error.message)
    }
  }
  const loaded = config as unknown as Config
  if ((loaded.tlsCert === undefined) !== (loaded.tlsKey === undefined))
    fault(
      loaded.tlsCert === undefined ? 'TLS_CERT' : 'TLS_KEY',
      'must be set when the other of TLS_CERT and TLS_KEY is',
    )
  if (loaded.silenceTimeoutMs <= loaded.statementTimeoutMs)
    fault('SILENCE_TIMEOUT', 'must be longer than STATEMENT_TIMEOUT, so that PostgreSQL ends what is only slow')
  if (loaded.environment === 'development' && !isLoopback(loaded.host))
    fault('HOST', 'must be 127.0.0.1, ::1 or localhost when TRIBUTARY_ENV is development')
  if (loaded.environment === 'production' && loaded.baseUrl?.startsWith('http:'))
    fault('BASE_URL', 'must begin with https:// when TRIBUTARY_ENV is production')
  for (const [name, detail] of signInFaults(loaded)) fault(name, detail)
  if ((loaded.selfWalkUrl === '') !== (loaded.selfWalkCredential === undefined))
    fault(
      loaded.selfWalkUrl === '' ? 'SELF_WALK_URL' : 'SELF_WALK_CREDENTIAL',
      'must be set when the other of SELF_WALK_URL and SELF_WALK_CREDENTIAL is',
    )
  for (const [name, detail] of exportOnlyFaults(loaded)) fault(name, detail)
  // An application that answers the innermost question must be able to come in: an answer in an enumerator lies in its question
  // object, in the list of entities and in an entity.
  if (loaded.intakeDepthMax < 4 + 3 * loaded.enumeratorDepthMax)
    fault(
      'INTAKE_DEPTH_MAX',
      `must be at least ${4 + 3 * loaded.enumeratorDepthMax} for an ENUMERATOR_DEPTH_MAX of ${loaded.enumeratorDepthMax}`,
    )
  for (const { name, max } of poolsOf(loaded))
    if (typeof loaded.processes === 'number' && max < loaded.processes)
      fault(name, `must be at least ${loaded.processes}, so that each of PROCESSES gets one`)
  if (loaded.healthPort === loaded.port && loaded.port !== 0) fault('HEALTH_PORT', 'must be another port than PORT')
  if ([loaded.port, loaded.healthPort].includes(loaded.workerHealthPort) && loaded.workerHealthPort !== 0)
    fault('WORKER_HEALTH_PORT', 'must be another port than PORT and HEALTH_PORT')
  if (errors.length > 0) {
    throw new Problem('invalid_request', {
      detail: `${errors.length === 1 ? 'A setting' : `${errors.length} settings`} cannot be used:`,
      errors,
    })
  }
  return loaded
}

/** The pools that are shared out among processes. */
const poolsOf = (loaded: Config) => [
  { name: 'DATABASE_CONNECTIONS', max: loaded.databaseConnections },
  { name: 'EXPORT_CONNECTIONS', max: loaded.exportConnections },
  { name: 'INTAKE_CONNECTIONS', max: loaded.intakeConnections },
  { name: 'CONSOLE_CONNECTIONS', max: loaded.consoleConnections },
]

/** What is wrong with how people sign in: the name of a setting, and what would be right. */
function* signInFaults(loaded: Config): Generator<[name: string, detail: string]> {
  const { environment, baseUrl, passwordSignIn, oidcIssuer, oidcClientId, oidcClientSecret } = loaded
  const together = { OIDC_ISSUER: oidcIssuer, OIDC_CLIENT_ID: oidcClientId, OIDC_CLIENT_SECRET: oidcClientSecret }
  const some = Object.values(together).some(value => value !== undefined)
  for (const [name, value] of Object.entries(together))
    if (some && value === undefined)
      yield [name, 'must be set when another of OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET is']
  if (!some && passwordSignIn === false)
    yield ['PASSWORD_SIGN_IN', 'must be on unless OIDC_ISSUER is set, or nobody could sign in']
  // What the provider sends people back to must not be what a request calls this host.
  if (some && environment === 'production' && baseUrl === '')
    yield ['BASE_URL', 'must be set when OIDC_ISSUER is: the provider sends people back to it']
  if (oidcIssuer?.startsWith('http:') && !(environment === 'development' && isLoopback(new URL(oidcIssuer).hostname)))
    yield ['OIDC_ISSUER', 'must begin with https://, unless it is on loopback and TRIBUTARY_ENV is development']
}

/** What would be lost without a word where nothing can be written. */
function* exportOnlyFaults({ exportOnly, auditRequired, logLevel }: Config): Generator<[name: string, detail: string]> {
  if (!exportOnly) return
  if (auditRequired)
    yield [
      'AUDIT_REQUIRED',
      'must be off when EXPORT_ONLY is on: the lines of the audit trail then go to the log. To have them in the database, name the primary in DATABASE_URL and this one in EXPORT_DATABASE_URL instead',
    ]
  if (!['trace', 'debug', 'info'].includes(logLevel))
    yield ['LOG_LEVEL', 'must be info, debug or trace when EXPORT_ONLY is on: the log is then the audit trail']
}

const isLoopback = (host: string): boolean => ['127.0.0.1', '[::1]', '::1', 'localhost'].includes(host)
