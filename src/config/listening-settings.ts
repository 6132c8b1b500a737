// Settings for the addresses and ports that processes listen on.

import { setting } from './kinds/setting.ts'
import { onOff, optional, text, wholeNumber } from './kinds/setting-kinds.ts'

/** Each process has its own port, so that all of them can run on one machine. */
export const healthPorts = { service: 8081, worker: 8082, follower: 8083 } as const

// biome-ignore format: a table, as SETTINGS.md is
export const listeningSettings = {
  host: setting('HOST', '127.0.0.1', text('127.0.0.1', 'localhost', '0.0.0.0'),
    'Address to listen on; `0.0.0.0` or `::` for all.'),
  port: setting('PORT', '8080', wholeNumber(0, 65_535),
    'Port of the service, 0 to 65535; 0 picks a free one.'),
  healthHost: setting('HEALTH_HOST', '127.0.0.1', text('127.0.0.1', '0.0.0.0'),
    'Address for `/livez`, `/readyz` and `/metrics`. Must not be reachable by the public.'),
  healthPort: setting('HEALTH_PORT', '', optional(wholeNumber(0, 65_535)),
    'Port for `/livez`, `/readyz` and `/metrics`. Empty: service 8081, worker 8082, follower 8083.'),
  reusePort: setting('REUSE_PORT', 'off', onOff,
    '`on` or `off`: let several processes on one machine listen on PORT and share its connections.'),
}
