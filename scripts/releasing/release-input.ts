// What a release is made of: the commit, and the arguments of its commands.

import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { $ } from 'bun'
import { refuseMore } from '../command-line/environment.ts'

/** A folder, or this one, and the only option, from the command line. */
export function readFolder(usual: string, name: string): { folder: string; option: string | undefined } {
  const { values, positionals } = parseArgs({ options: { [name]: { type: 'string' } }, allowPositionals: true })
  const [folder = usual, ...rest] = positionals
  refuseMore(rest)
  return { folder: resolve(folder), option: values[name] }
}

/** From TRIBUTARY_COMMIT or git; undefined outside a checkout, as in an image built without it. */
export async function releaseCommit(): Promise<string | undefined> {
  if (process.env.TRIBUTARY_COMMIT) return process.env.TRIBUTARY_COMMIT
  const git = await $`git -C ${join(import.meta.dir, '../..')} rev-parse --short=12 HEAD`.nothrow().quiet()
  return git.exitCode === 0 ? git.stdout.toString().trim() : undefined
}
