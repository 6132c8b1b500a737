// What the commands for those who pull get of their process, and how they end it.

import type { ToolProcess } from '../src/pull/run-pull.ts'

/** Runs one command and ends the process with its exit status. */
export async function asProcess(command: (tool: ToolProcess) => Promise<number>): Promise<never> {
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      // Asked a second time, it does not finish what it is at.
      if (ending.signal.aborted) process.exit(3)
      ending.abort(new Error('Interrupted.'))
    })
  process.exit(await command({ args: process.argv.slice(2), environment: process.env, signal: ending.signal }))
}
