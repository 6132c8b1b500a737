// Addresses and ports that the processes listen on.

import { setting } from './kinds/setting.ts'
import { onOff, optional, text, wholeNumber } from './kinds/setting-kinds.ts'

/** Each process has one of its own, so that all can run on one machine. */
export const healthPorts = { service: 8081, worker: 8082, follower: 8083 } as const

// biome-ignore format: a table, as SETTINGS.md is
export const listeningSettings = {
  host: setting('HOST', '127.0.0.1', text('127.0.0.1', 'localhost', '0.0.0.0'),
    'Address to listen on; `0.0.0.0` or `::` for all.'),
  port: setting('PORT', '8080', wholeNumber(0, 65_535),
    'Port of the service, 0 to 65535; 0 picks a free one.'),
  healthHost: setting('HEALTH_HOST', '127.0.0.1', text('127.0.0.1', '0.0.0.0'),
    'Address on which `/livez`, `/readyz` and `/metrics` are; give another one only where strangers do not reach it.'),
  healthPort: setting('HEALTH_PORT', '', optional(wholeNumber(0, 65_535)),
    'Port of `/livez`, `/readyz` and `/metrics`, 0 to 65535; 0 picks a free one. Empty: 8081 of the service, 8082 of a worker, 8083 of the follower of a CiviForm. Several of a kind on one machine need one each.'),
  reusePort: setting('REUSE_PORT', 'off', onOff,
    '`on` or `off`: lets several processes of one machine listen on PORT, each getting a share of the connections.'),
}
