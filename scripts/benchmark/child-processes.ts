// The processes a benchmark starts, so that every one of them is ended, whatever happens.
// It ends nothing that it did not start.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface StartOptions {
  env?: Record<string, string>
  conversation?: boolean
  /** Its standard input. */
  input?: string
  timeoutMs?: number
}

export interface Started {
  pid: number
  process: Bun.Subprocess
  output(): string
  /** What it said on standard error, its last lines. */
  complaint(): string
  stop(): Promise<void>
}

const root = join(import.meta.dir, '../..')
const stopTimeoutMs = 15_000

export class ChildProcesses {
  readonly #running = new Set<Started>()
  readonly #folder = mkdtempSync(join(tmpdir(), 'tributary-bench-'))
  #count = 0

  /**
   * Starts a process whose output goes to files. With `conversation`, its standard input and output are pipes.
   * Nothing of our environment is handed on but PATH and HOME.
   */
  start(command: readonly string[], { env, conversation = false, input, timeoutMs }: StartOptions = {}): Started {
    const name = join(this.#folder, String(++this.#count))
    const child = Bun.spawn([...command], {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/', ...env },
      stdin: conversation ? 'pipe' : input === undefined ? 'ignore' : new Blob([input]),
      stdout: conversation ? 'pipe' : Bun.file(`${name}.out`),
      stderr: Bun.file(`${name}.err`),
      timeout: timeoutMs,
    })
    const started: Started = {
      pid: child.pid,
      process: child,
      output: () => textOf(`${name}.out`),
      complaint: () => lastLines(textOf(`${name}.err`)) || lastLines(textOf(`${name}.out`)),
      stop: async () => {
        this.#running.delete(started)
        await end(child)
        for (const kind of ['out', 'err']) rmSync(`${name}.${kind}`, { force: true })
      },
    }
    this.#running.add(started)
    return started
  }

  /** Runs a process to its end within `timeoutMs`. Throws with its own last words when it fails. Returns its output. */
  async run(command: readonly string[], options: StartOptions & { timeoutMs: number }): Promise<string> {
    const started = this.start(command, options)
    try {
      const code = await started.process.exited
      if (code === 0) return started.output()
      throw new Error(`${command.slice(0, 3).join(' ')} … ended with status ${code}: ${started.complaint()}`)
    } finally {
      await started.stop()
    }
  }

  /** Ends everything that still runs. */
  async stopAll(): Promise<void> {
    await Promise.all([...this.#running].map(child => child.stop()))
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Asks a process to end; one that does not hear is killed. */
async function end(child: Bun.Subprocess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const ended = await Promise.race([child.exited.then(() => true), Bun.sleep(stopTimeoutMs).then(() => false)])
  if (!ended) {
    child.kill('SIGKILL')
    await child.exited
  }
}

const lastLines = (text: string): string => text.trim().split('\n').slice(-8).join('\n')

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Waits until an address answers, with any status. Throws with the process's own words when it ends first. */
export async function untilAnswering(started: Started, url: string, timeoutMs = 30_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (performance.now() < deadline && started.process.exitCode === null && started.process.signalCode === null) {
    if (
      await fetch(url).then(
        response => response.ok,
        () => false,
      )
    )
      return
    await Bun.sleep(20)
  }
  throw new Error(`nothing answers at ${url}: ${started.complaint()}`)
}
