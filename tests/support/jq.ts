// jq from npm (jq itself, compiled to WebAssembly), so that what README and the samples do with it runs on any machine.
// As a program: `bun jq.ts [-c] [-r] [-e] filter [file]`.

import { chmod, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
// @ts-expect-error it brings no types
import jq from 'jq-web'

/** A PATH on which `jq` is this program, which is written to `folder`. */
export async function pathWithJq(folder: string): Promise<string> {
  const program = join(folder, 'jq')
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${import.meta.path}' "$@"\n`)
  await chmod(program, 0o755)
  return `${dirname(program)}:${process.env.PATH}`
}

if (import.meta.main) {
  const args = process.argv.slice(2)
  const flags = args.filter(arg => arg.startsWith('-'))
  const [filter = '.', file] = args.filter(arg => !arg.startsWith('-'))
  const input = await (file === undefined ? Bun.stdin : Bun.file(file)).text()
  const { raw } = (await jq) as { raw(input: string, filter: string, flags: string[]): string | undefined }
  try {
    const out = raw(input, filter, flags)
    if (out !== undefined) process.stdout.write(`${out}\n`)
  } catch (error) {
    process.exitCode = Number(/exit code: (\d+)/.exec((error as Error).message)?.[1] ?? 5)
    if (process.exitCode > 1) console.error((error as Error).message)
  }
}
