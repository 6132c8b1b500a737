// Proxies, TLS, and how long a connection or its reader may be idle.

import { setting } from './kinds/setting.ts'
import { duration, optional, subnets, text } from './kinds/setting-kinds.ts'

// biome-ignore format: a table, as SETTINGS.md is
export const connectionSettings = {
  trustedProxies: setting('TRUSTED_PROXIES', '', subnets,
    'Subnets (comma-separated CIDR) whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.'),
  tlsCert: setting('TLS_CERT', '', optional(text('/etc/tributary/tls/apply.pem')),
    'File with the certificate chain (PEM), to end TLS in the service itself. With TLS_KEY.'),
  tlsKey: setting('TLS_KEY', '', optional(text('/etc/tributary/tls/apply.key')),
    'File with the private key (PEM). With TLS_CERT.'),
  idleTimeoutMs: setting('IDLE_TIMEOUT', '75s', duration('1s', '4m'),
    'How long a connection may stay open without a request under way, 1s to 4m; up to four seconds longer. A head that is not complete within 12 s is given up.'),
  stallTimeoutMs: setting('STALL_TIMEOUT', '60s', duration('1s', '1h'),
    'How long a reader may take nothing before it is cut off, 1s to 1h.'),
}
