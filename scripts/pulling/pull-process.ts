// The process as the pull commands see it: arguments, environment, output, and how they exit.

import type { ToolProcess } from '@tributary/cli'

/** Runs one command and ends the process with its exit status. */
export async function asProcess(command: (tool: ToolProcess) => Promise<number>): Promise<never> {
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      // A second signal stops it without finishing the current step.
      if (ending.signal.aborted) process.exit(3)
      ending.abort(new Error('Interrupted.'))
    })
  const output = process.stdout
  const say = (line: string): void => console.error(line)
  const [args, environment] = [process.argv.slice(2), process.env]
  const status = await command({ args, environment, signal: ending.signal, output, say })
  process.exit(status)
}
