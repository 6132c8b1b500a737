// Commands run to their end, with what they print.

export interface Ended {
  code: number
  out: string
  err: string
}

interface RunOptions {
  cwd?: string
  env?: Record<string, string | undefined>
  /** Its standard input; empty by default. */
  input?: string | Uint8Array<ArrayBuffer> | Blob
  /** Time after which it is killed. */
  timeoutMs?: number
}

/** The output and exit status of a command. It has the environment of the tests unless `env` is given. */
export const run = (command: readonly string[], options: RunOptions = {}): Promise<Ended> =>
  endOf(start(command, options))

/** The same, for a test that stops it midway. */
export function start(
  command: readonly string[],
  { cwd, env, input = '', timeoutMs }: RunOptions = {},
): Bun.Subprocess<Blob, 'pipe', 'pipe'> {
  const limit = timeoutMs === undefined ? {} : { timeout: timeoutMs, killSignal: 'SIGKILL' as const }
  return Bun.spawn([...command], { cwd, env, stdin: new Blob([input]), stdout: 'pipe', stderr: 'pipe', ...limit })
}

export async function endOf(child: Bun.ReadableSubprocess): Promise<Ended> {
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out, err }
}

/** The output of a command that must succeed; throws with its errors if it does not. */
export async function outputOf(command: readonly string[], options?: RunOptions): Promise<string> {
  const { code, out, err } = await run(command, options)
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${err === '' ? out : err}`)
  return out
}
