// The input of a release: the commit, and the arguments of its commands.

import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { $ } from 'bun'
import { refuseMore } from '../command-line/environment.ts'

/** A folder from the command line, or this default, and the options with these names. */
export function readFolder<Name extends string>(
  usual: string,
  ...names: readonly Name[]
): { folder: string; options: { [N in Name]?: string } } {
  const known = Object.fromEntries(names.map(name => [name, { type: 'string' }] as const))
  const { values, positionals } = parseArgs({ options: known, allowPositionals: true })
  const [folder = usual, ...rest] = positionals
  refuseMore(rest)
  return { folder: resolve(folder), options: values as { [N in Name]?: string } }
}

/** From TRIBUTARY_COMMIT or git; undefined outside a checkout, as in an image built without it. */
export async function releaseCommit(): Promise<string | undefined> {
  if (process.env.TRIBUTARY_COMMIT) return process.env.TRIBUTARY_COMMIT
  const git = await $`git -C ${join(import.meta.dir, '../..')} rev-parse --short=12 HEAD`.nothrow().quiet()
  return git.exitCode === 0 ? git.stdout.toString().trim() : undefined
}
