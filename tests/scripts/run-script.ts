// Runs a script of this checkout as an operator would, against a database of the test's own.

import { join } from 'node:path'
import { testPepper } from '../support/config.ts'
import { type Ended, endOf, start } from '../support/run.ts'

const scripts = join(import.meta.dir, '../../scripts')

/** `name` is that of the file in a folder of scripts, without `.ts`: no two share one. `input` goes to its standard input. */
export const runScript = (...started: Parameters<typeof startScript>): Promise<Ended> => endOf(startScript(...started))

/** The same, for a test that ends it in the middle. */
export const startScript = (
  name: string,
  databaseUrl: string,
  args: readonly string[],
  input = '',
  environment: Record<string, string> = {},
): ReturnType<typeof start> =>
  start([process.execPath, ...new Bun.Glob(`*/${name}.ts`).scanSync({ cwd: scripts, absolute: true }), ...args], {
    env: {
      PATH: process.env.PATH,
      TRIBUTARY_ENV: 'development',
      DATABASE_URL: databaseUrl,
      // Who makes keys needs it; no other script has a use for the service's secrets.
      ...(name === 'api-key' ? { API_KEY_PEPPER: testPepper } : {}),
      INSTANCE_TIME_ZONE: 'UTC',
      ...environment,
    },
    input,
  })
