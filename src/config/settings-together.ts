// Rules that involve several settings.

import { type OtherConfig, settings } from './all-settings.ts'
import { healthPorts } from './listening-settings.ts'

type FieldError = readonly [name: string, detail: string]

/** Settings that must be set together or not at all. */
const sets = [
  ['tlsCert', 'tlsKey'],
  ['oidcIssuer', 'oidcClientId', 'oidcClientSecret'],
  ['s3AccessKeyId', 's3SecretAccessKey'],
] as const

/** The name of a setting and the expected value. Invalid settings are undefined here, and no comparison with them fails. */
export function* errorsBetween(config: OtherConfig): Generator<FieldError> {
  const { environment, host, baseUrl, port, healthPort = healthPorts.service, apply, filesDir } = config
  for (const set of sets) {
    const missing = set.filter(key => !config[key])
    const given = set.filter(key => config[key]).map(key => settings[key].name)
    if (given.length > 0)
      for (const key of missing) yield [settings[key].name, `must be set when ${given.join(' or ')} is`]
  }
  if (environment === 'development' && !isLoopback(host))
    yield ['HOST', 'must be 127.0.0.1, ::1 or localhost when TRIBUTARY_ENV is development']
  if (environment === 'production' && baseUrl?.startsWith('http:'))
    yield ['BASE_URL', 'must begin with https:// when TRIBUTARY_ENV is production']
  // An applicant chooses the host of a request, and other systems follow these links.
  if (apply && filesDir !== undefined && environment === 'production' && baseUrl === '')
    yield ['BASE_URL', 'must be set when APPLY is on and FILES_DIR is set: applications contain links to their files']
  if (filesDir !== undefined && 'bucket' in filesDir && !config.s3AccessKeyId)
    yield ['S3_ACCESS_KEY_ID', 'must be set when FILES_DIR is a bucket']
  yield* signInErrors(config)
  if (config.exportOnly) yield* exportOnlyErrors(config)
  if (healthPort === port && port !== 0) yield ['HEALTH_PORT', 'must differ from PORT']
}

/**
 * Settings that were replaced by others. If they were ignored, one would shift every time of a CiviForm, and the other would send reads to the
 * primary.
 */
export function* earlierErrors(
  { civiformDatabase, databaseReadUrl }: OtherConfig,
  environment: Readonly<Record<string, string | undefined>>,
): Generator<FieldError> {
  const zone = environment.CIVIFORM_DATABASE_TIME_ZONE
  if (civiformDatabase !== undefined && zone && zone !== civiformDatabase.zone)
    yield ['CIVIFORM_DATABASE_TIME_ZONE', `must be removed; end CIVIFORM_DATABASE_URL with ?timezone=${zone}`]
  const earlier = ['EXPORT_DATABASE_URL', 'EXPORT_DATABASE_URL_FILE'].find(name => environment[name])
  if (earlier !== undefined && databaseReadUrl === undefined)
    yield [
      earlier,
      'must be replaced by DATABASE_READ_URL, with the address of one standby, or of a load balancer in front of several',
    ]
}

function* signInErrors({ environment, baseUrl, passwordSignIn, oidcIssuer }: OtherConfig): Generator<FieldError> {
  if (oidcIssuer === undefined && passwordSignIn === false)
    yield ['PASSWORD_SIGN_IN', 'must be on unless OIDC_ISSUER is set; otherwise nobody could sign in']
  // The address that the provider redirects to must not depend on a request's host.
  if (oidcIssuer !== undefined && environment === 'production' && baseUrl === '')
    yield ['BASE_URL', 'must be set when OIDC_ISSUER is: the provider redirects people to it']
  if (oidcIssuer?.startsWith('http:') && !(environment === 'development' && isLoopback(new URL(oidcIssuer).hostname)))
    yield ['OIDC_ISSUER', 'must begin with https://, unless it is on loopback and TRIBUTARY_ENV is development']
}

/** Settings that would silently have no effect where nothing can be written. */
function* exportOnlyErrors({ auditRequired, logLevel }: OtherConfig): Generator<FieldError> {
  if (auditRequired)
    yield [
      'AUDIT_REQUIRED',
      'must be off when EXPORT_ONLY is on: audit entries then go to the process log. To store them in the database, set DATABASE_URL to the primary and DATABASE_READ_URL to this standby',
    ]
  if (!['trace', 'debug', 'info'].includes(logLevel))
    yield ['LOG_LEVEL', 'must be info, debug or trace when EXPORT_ONLY is on: the log is then the audit log']
}

const isLoopback = (host: string): boolean => ['127.0.0.1', '[::1]', '::1', 'localhost'].includes(host)
