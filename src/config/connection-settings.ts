// Settings for proxies, TLS and idle connections.

import { setting } from './kinds/setting.ts'
import { duration, optional, subnets, text } from './kinds/setting-kinds.ts'

// biome-ignore format: a table, as SETTINGS.md is
export const connectionSettings = {
  trustedProxies: setting('TRUSTED_PROXIES', '', subnets,
    'Subnets whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted: comma-separated CIDR.'),
  tlsCert: setting('TLS_CERT', '', optional(text('/etc/tributary/tls/apply.pem')),
    'Certificate chain file (PEM), to terminate TLS in the service. With TLS_KEY.'),
  tlsKey: setting('TLS_KEY', '', optional(text('/etc/tributary/tls/apply.key')),
    'Private key file (PEM). With TLS_CERT.'),
  idleTimeoutMs: setting('IDLE_TIMEOUT', '75s', duration('1s', '4m'),
    'How long a connection may stay open without a request, 1s to 4m. Closing can take four seconds more.'),
  stallTimeoutMs: setting('STALL_TIMEOUT', '60s', duration('1s', '1h'),
    'How long a reader may stall before it is disconnected, 1s to 1h.'),
}
