// Where the processes listen.

import { setting } from './setting.ts'
import { onOff, text, wholeNumber } from './setting-kinds.ts'

// biome-ignore format: a table, as SETTINGS.md is
export const listeningSettings = {
  host: setting('HOST', '127.0.0.1', text,
    'Address to listen on; `0.0.0.0` or `::` for all.'),
  port: setting('PORT', '8080', wholeNumber(0, 65_535),
    'Port of the service, 0 to 65535; 0 picks a free one.'),
  healthHost: setting('HEALTH_HOST', '127.0.0.1', text,
    'Address on which `/livez`, `/readyz` and `/metrics` are; give another one only where strangers do not reach it.'),
  healthPort: setting('HEALTH_PORT', '8081', wholeNumber(0, 65_535),
    'Port of `/livez`, `/readyz` and `/metrics`, 0 to 65535; 0 picks a free one.'),
  workerHealthPort: setting('WORKER_HEALTH_PORT', '8082', wholeNumber(0, 65_535),
    'The same port of a worker, 0 to 65535; 0 picks a free one. Several workers on one machine need one each.'),
  followerHealthPort: setting('FOLLOWER_HEALTH_PORT', '8083', wholeNumber(0, 65_535),
    'The same port of the follower of a CiviForm, 0 to 65535; 0 picks a free one.'),
  reusePort: setting('REUSE_PORT', 'off', onOff,
    '`on` or `off`: lets several processes of one machine listen on PORT, each getting a share of the connections.'),
}
