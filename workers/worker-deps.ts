// Dependencies of job handlers, passed in by main so that tests can run a handler alone.

import type { Config } from '../src/config/all-settings.ts'
import type { Sql } from '../src/db/client.ts'

export interface WorkerDeps {
  db: Sql
  config: Pick<Config, 'timeZone' | 'enumeratorDepthMax' | 'exportProfile'>
}
