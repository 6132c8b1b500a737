// Starts a script's child processes and always stops them, even after errors. It stops no other processes.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryOf } from './is-alive.ts'

interface StartOptions {
  env?: Record<string, string>
  /** Its standard input. */
  input?: string
  timeoutMs?: number
}

interface Started {
  process: Bun.Subprocess
  output(): string
  /** Its last output, on standard error or else on standard output. */
  complaint(): string
  /** Stops it. Returns its peak memory in bytes. */
  stop(): Promise<number>
}

const root = join(import.meta.dir, '../..')
const stopTimeoutMs = 15_000
const runTimeoutMs = 30 * 60_000

export class ChildProcesses {
  readonly #running = new Set<Started>()
  readonly #folder = mkdtempSync(join(tmpdir(), 'tributary-script-'))
  #count = 0

  /** Starts a process whose output goes to files. Of our environment, it only gets PATH and HOME. */
  start(command: readonly string[], { env, input, timeoutMs }: StartOptions = {}): Started {
    const path = join(this.#folder, String(++this.#count))
    const child = Bun.spawn([...command], {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/', ...env },
      stdin: input === undefined ? 'ignore' : new Blob([input]),
      stdout: Bun.file(`${path}.out`),
      stderr: Bun.file(`${path}.err`),
      timeout: timeoutMs,
    })
    const textOf = (kind: string): string => readFileSync(`${path}.${kind}`, 'utf8').trim()
    const started: Started = {
      process: child,
      output: () => textOf('out'),
      complaint: () => (textOf('err') || textOf('out')).split('\n').slice(-8).join('\n'),
      stop: async () => {
        this.#running.delete(started)
        const peakBytes = memoryOf(child.pid, 'VmHWM')
        child.kill('SIGTERM')
        const patience = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
        await child.exited
        clearTimeout(patience)
        for (const kind of ['out', 'err']) rmSync(`${path}.${kind}`, { force: true })
        return peakBytes
      },
    }
    this.#running.add(started)
    return started
  }

  /** Runs a process to its end, which must come in time, and returns its output. If it fails, throws with its last output. */
  async run(
    command: readonly string[],
    options: StartOptions = {},
    onEnd: (child: Bun.Subprocess) => void = () => {},
  ): Promise<string> {
    const started = this.start(command, { timeoutMs: runTimeoutMs, ...options })
    try {
      const code = await started.process.exited
      onEnd(started.process)
      if (code === 0) return started.output()
      throw new Error(`${command.slice(0, 3).join(' ')} … exited with status ${code}: ${started.complaint()}`)
    } finally {
      await started.stop()
    }
  }

  /** The CPU time of a process from start to end in milliseconds. Throws like `run`. */
  async cpuMs(command: readonly string[], options: StartOptions = {}): Promise<number> {
    let usage: { cpuTime: { total: bigint | number } } | undefined
    await this.run(command, options, child => {
      usage = child.resourceUsage()
    })
    return Number(usage!.cpuTime.total) / 1000
  }

  /** Ends every process that is still running. */
  async stopAll(): Promise<void> {
    await Promise.all([...this.#running].map(child => child.stop()))
  }

  async end(): Promise<void> {
    await this.stopAll()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
