// Settings for the environment, the database and jobs.

import { parser, setting, Unusable } from './kinds/setting.ts'
import { duration, oneOf, onOff, optional, postgresUrl, wholeNumber } from './kinds/setting-kinds.ts'

// biome-ignore format: a table, as SETTINGS.md is
export const databaseSettings = {
  environment: setting('TRIBUTARY_ENV', 'production', oneOf('production', 'development'),
    '`production`, or `development`, which accepts plain HTTP, on loopback only.'),
  databaseUrl: setting('DATABASE_URL', undefined, postgresUrl,
    'PostgreSQL 15 or newer: `postgres://user:password@host:5432/database`.'),
  databaseDirectUrl: setting('DATABASE_DIRECT_URL', '', optional(postgresUrl),
    'PostgreSQL itself, if DATABASE_URL is a pooler. The worker’s queue needs a direct connection.'),
  databaseConnections: setting('DATABASE_CONNECTIONS', '10', wholeNumber(1, 500),
    'Connections per process for everything except exports, intake and the console, 1 to 500.'),
  databaseReadUrl: setting('DATABASE_READ_URL', '', optional(parser(postgresUrl.examples, oneAddress)),
    'Where pages are read: a standby, or a load balancer in front of several. Empty: DATABASE_URL.'),
  exportConnections: setting('EXPORT_CONNECTIONS', '16', wholeNumber(1, 500),
    'Connections per process for exports to each address, 1 to 500. Above 3, an eighth is reserved for pages of up to 100.'),
  exportOnly: setting('EXPORT_ONLY', 'off', onOff,
    '`on` or `off`: serve only exports, docs and `checkAuth`, without writing. Requires AUDIT_REQUIRED off.'),
  intakeConnections: setting('INTAKE_CONNECTIONS', '8', wholeNumber(1, 500),
    'Connections per process for requests of front ends, 1 to 500.'),
  consoleDatabaseUrl: setting('CONSOLE_DATABASE_URL', '', optional(postgresUrl),
    'The same database with the console’s own login, which may change more. Empty: DATABASE_URL.'),
  databasePrepare: setting('DATABASE_PREPARE', 'on', onOff,
    '`on` or `off`: named prepared statements. Off behind a pooler in transaction mode.'),
  statementTimeoutMs: setting('STATEMENT_TIMEOUT', '30s', duration('100ms', '1h'),
    'How long a statement may run in PostgreSQL, 100ms to 1h. With a pooler, set it for the role.'),
  responseTimeoutMs: setting('RESPONSE_TIMEOUT', '20s', duration('100ms', '10m'),
    'How long a request may wait for its response to begin before it gets 503, 100ms to 10m.'),
  redisUrl: setting('REDIS_URL', '', optional(parser(['redis://:password@host:6379', 'redis://one:6379,redis://two:6379'], redisUrls)),
    'Redis or Valkey for jobs and shared limits: `redis://…` or `rediss://…`, comma-separated for a cluster.'),
}

/** With several hosts, the driver would use the first that responds. */
function oneAddress(text: string): string {
  if (text.replace(/^[^@]*@/, '').includes(','))
    throw new Unusable('must be a single address, of a standby or of a load balancer in front of several')
  return postgresUrl(text)
}

function redisUrls(text: string): string {
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
