// The tool for those who pull: called as a function, or run as they run it, a process of its own that gets the key from its environment.

import { join } from 'node:path'
import { Writable } from 'node:stream'
import { endWithParent } from '../../scripts/processes/end-with-parent.ts'
import { memoryOf } from '../../scripts/processes/is-alive.ts'
import { runPull, runTypes, runVerify } from '../../src/clients/pull/run-pull.ts'
import type { TestKey } from './keys.ts'
import { type Ended, endOf, start } from './run.ts'

const script = join(import.meta.dir, '../../scripts/tributary.ts')

export type RunningTool = ReturnType<typeof start>

/** `program` are the words that start it: the script under Bun by default; `environment` is added to the key's. */
export function startTool(
  key: TestKey,
  args: readonly string[],
  program = [process.execPath, script],
  environment: Readonly<Record<string, string>> = {},
): RunningTool {
  const child = start([...program, ...args], {
    env: { PATH: process.env.PATH, TRIBUTARY_USERNAME: key.username, TRIBUTARY_PASSWORD: key.password, ...environment },
  })
  endWithParent(child, { signal: 'SIGKILL' })
  return child
}

export const runTool = (...started: Parameters<typeof startTool>): Promise<Ended> => endOf(startTool(...started))

const commands = { pull: runPull, types: runTypes, verify: runVerify } as const

/** The same in this process: the output of the commands, and their exit status. */
export async function callTool({ username, password }: TestKey, [name, ...args]: readonly string[]): Promise<Ended> {
  const out: Buffer[] = []
  const said: string[] = []
  const output = new Writable({ write: (chunk, _, done) => done(void out.push(Buffer.from(chunk))) })
  const code = await commands[name as keyof typeof commands]({
    args,
    environment: { TRIBUTARY_USERNAME: username, TRIBUTARY_PASSWORD: password },
    signal: new AbortController().signal,
    output,
    say: line => void said.push(`${line}\n`),
  })
  return { code, out: Buffer.concat(out).toString(), err: said.join('') }
}

/** Its peak memory, as reported by the system while it runs. */
export async function residentMaxOf(child: RunningTool): Promise<number> {
  let bytes = 0
  while (child.exitCode === null) {
    // None if it has just ended.
    bytes = Math.max(bytes, memoryOf(child.pid, 'VmHWM') || 0)
    await Bun.sleep(5)
  }
  return bytes
}
