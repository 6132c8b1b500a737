// Runs a script of this checkout as an operator would, against a database of the test's own.

import { join } from 'node:path'
import { testPepper, testTokenKey } from '../support/config.ts'

export interface Ended {
  code: number
  out: string
  err: string
}

/** `name` is that of the file in scripts, without `.ts`. `input` goes to its standard input. */
export async function runScript(...started: Parameters<typeof startScript>): Promise<Ended> {
  const script = startScript(...started)
  const [out, err, code] = await Promise.all([script.stdout.text(), script.stderr.text(), script.exited])
  return { code, out, err }
}

/** The same, for a test that ends it in the middle. */
export function startScript(
  name: string,
  databaseUrl: string,
  args: readonly string[],
  input = '',
  environment: Record<string, string> = {},
): Bun.Subprocess<Blob, 'pipe', 'pipe'> {
  return Bun.spawn([process.execPath, join(import.meta.dir, `../../scripts/${name}.ts`), ...args], {
    env: {
      PATH: process.env.PATH,
      TRIBUTARY_ENV: 'development',
      DATABASE_URL: databaseUrl,
      API_KEY_PEPPER: testPepper,
      PAGE_TOKEN_KEYS: testTokenKey,
      INSTANCE_TIME_ZONE: 'UTC',
      ...environment,
    },
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
}
