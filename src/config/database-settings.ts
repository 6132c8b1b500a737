// Environment, database and jobs.

import { parser, setting, Unusable } from './kinds/setting.ts'
import { duration, oneOf, onOff, optional, postgresUrl, wholeNumber } from './kinds/setting-kinds.ts'

// biome-ignore format: a table, as SETTINGS.md is
export const databaseSettings = {
  environment: setting('TRIBUTARY_ENV', 'production', oneOf('production', 'development'),
    '`production`, or `development`: plain HTTP is then accepted from and on loopback only.'),
  databaseUrl: setting('DATABASE_URL', undefined, postgresUrl,
    'PostgreSQL 15 or newer, as `postgres://user:password@host:5432/database`.'),
  databaseDirectUrl: setting('DATABASE_DIRECT_URL', '', optional(postgresUrl),
    'PostgreSQL itself, where DATABASE_URL leads through a pooler: for what cannot go through one, which is the queue of the worker.'),
  databaseConnections: setting('DATABASE_CONNECTIONS', '10', wholeNumber(1, 500),
    'Connections of one process for everything but exports, intake and the console, 1 to 500.'),
  databaseReadUrl: setting('DATABASE_READ_URL', '', optional(parser(postgresUrl.examples, oneAddress)),
    'Where pages are read while it has what DATABASE_URL has, with the same login: a streaming standby, or a load balancer in front of several. With Citus, nodes (SCALE.md). Empty: pages are read from DATABASE_URL.'),
  exportConnections: setting('EXPORT_CONNECTIONS', '16', wholeNumber(1, 500),
    'Connections of one process for exports, to each of the two addresses they are read from, 1 to 500. A slow reader gives its connection back.'),
  exportOnly: setting('EXPORT_ONLY', 'off', onOff,
    '`on` or `off`: only exports, docs and `checkAuth`, and nothing is written to DATABASE_URL, which may be read-only or a standby. With AUDIT_REQUIRED off.'),
  intakeConnections: setting('INTAKE_CONNECTIONS', '8', wholeNumber(1, 500),
    'Connections of one process for what front ends save and submit, 1 to 500.'),
  consoleDatabaseUrl: setting('CONSOLE_DATABASE_URL', '', optional(postgresUrl),
    'The same database under a login of its own for the console, which may change more than the rest. Empty: DATABASE_URL.'),
  databasePrepare: setting('DATABASE_PREPARE', 'on', onOff,
    '`on` or `off`: named prepared statements. Off behind a pooler in transaction mode.'),
  statementTimeoutMs: setting('STATEMENT_TIMEOUT', '30s', duration('100ms', '1h'),
    'How long one statement may run in PostgreSQL, 100ms to 1h. Through a pooler, set it for the role instead. A connection that says nothing for a third longer is given up.'),
  responseTimeoutMs: setting('RESPONSE_TIMEOUT', '20s', duration('100ms', '10m'),
    'How long a request may wait for the first byte of its answer, for whatever reason, before it is refused with 503, 100ms to 10m. The arrival of a body is not counted. An export waits for half of it, for its connection and its first applications.'),
  redisUrl: setting('REDIS_URL', '', optional(parser(['redis://:password@host:6379', 'redis://one:6379,redis://two:6379'], redisUrls)),
    'Redis or Valkey that carries jobs, and in which limits of keys, failed authentications and wrong passwords are counted for all processes on all machines, as `redis://…` or `rediss://…`; several, comma-separated, are nodes of one cluster. Empty: the database carries the jobs, and each process counts for itself.'),
}

/** The driver would try several hosts one after another, and read from the first that answers. */
function oneAddress(text: string): string {
  if (text.replace(/^[^@]*@/, '').includes(','))
    throw new Unusable('must be one address: of a standby, or of a load balancer in front of several')
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
