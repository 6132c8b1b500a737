// The tool for those who pull, run as they run it: a process of its own, told the key by its environment.

import { join } from 'node:path'
import { endWithParent } from '../../scripts/end-with-parent.ts'
import type { TestKey } from './keys.ts'
import { type Ended, endOf, start } from './run.ts'

const script = join(import.meta.dir, '../../scripts/tributary.ts')

export type RunningTool = ReturnType<typeof start>

/** `program` are the words that start it: the script under Bun unless given; `environment` is beside the key. */
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

/**
 * The most memory it has at once, by what the system says while it runs. What it says afterwards would have to be taken with care:
 * a process begins with the maximum of the one that started it.
 */
export async function residentMaxOf(child: RunningTool): Promise<number> {
  let kilobytes = 0
  while (child.exitCode === null) {
    const status = await Bun.file(`/proc/${child.pid}/status`)
      .text()
      .catch(() => '')
    kilobytes = Math.max(kilobytes, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0))
    await Bun.sleep(5)
  }
  return kilobytes * 1024
}
