// The binary that scripts/build makes, made once for a run of tests.

import { join } from 'node:path'
import { testPepper, testTokenKey } from './config.ts'
import { useFolder } from './fixtures.ts'

/** Where it is, in a folder that ends with the test file. */
export async function useBinary(environment: Record<string, string> = {}): Promise<string> {
  const folder = await useFolder()
  const build = Bun.spawn([process.execPath, join(import.meta.dir, '../../scripts/build-binaries.ts'), folder], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [said, code] = await Promise.all([build.stderr.text(), build.exited])
  if (code !== 0) throw new Error(`scripts/build ended with ${code}: ${said}`)
  return join(folder, 'tributary')
}

/** Runs a command of the binary to its end, from a folder that is no checkout. */
export async function runBinary(
  binary: string,
  args: readonly string[],
  environment: Record<string, string>,
  input: string | Blob = '',
): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([binary, ...args], {
    cwd: '/',
    env: {
      TRIBUTARY_ENV: 'development',
      PAGE_TOKEN_KEYS: testTokenKey,
      API_KEY_PEPPER: testPepper,
      ...environment,
    },
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out, err }
}
