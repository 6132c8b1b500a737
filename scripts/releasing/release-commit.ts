// The commit that a release is made of.

import { join } from 'node:path'
import { $ } from 'bun'

/** From TRIBUTARY_COMMIT or git; undefined outside a checkout, as in an image built without it. */
export async function releaseCommit(): Promise<string | undefined> {
  if (process.env.TRIBUTARY_COMMIT) return process.env.TRIBUTARY_COMMIT
  const git = await $`git -C ${join(import.meta.dir, '../..')} rev-parse --short=12 HEAD`.nothrow().quiet()
  return git.exitCode === 0 ? git.stdout.toString().trim() : undefined
}
