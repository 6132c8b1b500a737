// The binary that scripts/build makes, made once for a run of tests.

import { join } from 'node:path'
import { testPepper, testTokenKey } from './config.ts'
import { useFolder } from './fixtures.ts'
import { type Ended, outputOf, run } from './run.ts'

/** Its path, in a folder that is removed with the test file. */
export async function useBinary(environment: Record<string, string> = {}): Promise<string> {
  const folder = await useFolder()
  await outputOf([process.execPath, join(import.meta.dir, '../../scripts/releasing/build-binaries.ts'), folder], {
    env: { PATH: process.env.PATH, ...environment },
  })
  return join(folder, 'tributary')
}

/** Runs a command of the binary to its end, in a folder that is not a checkout. */
export const runBinary = (
  binary: string,
  args: readonly string[],
  environment: Record<string, string>,
  input: string | Blob = '',
): Promise<Ended> =>
  run([binary, ...args], {
    cwd: '/',
    env: { TRIBUTARY_ENV: 'development', PAGE_TOKEN_KEYS: testTokenKey, API_KEY_PEPPER: testPepper, ...environment },
    input,
  })
