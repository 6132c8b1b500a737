// The follower as an installation runs it: a process of its own, that can be asked to end, or killed.

import { join } from 'node:path'
import { testPepper, testTokenKey } from '../config.ts'
import { endWithFile } from '../fixtures.ts'

export interface FollowerProcess {
  pid: number
  /** Kills it, in the middle of whatever it does. */
  kill(): Promise<void>
  /** Stops it like a platform. */
  stop(): Promise<{ code: number; lines: Record<string, unknown>[] }>
  /** Its output, once it has ended or while it is ended. */
  ended: Promise<{ code: number; lines: Record<string, unknown>[]; errors: string }>
}

const running = new Set<Bun.Subprocess>()

export function startFollowerProcess(
  { url, readerUrl }: { url: string; readerUrl: string },
  environment: Record<string, string> = {},
): FollowerProcess {
  if (running.size === 0)
    endWithFile(async () => {
      for (const subprocess of running) subprocess.kill('SIGKILL')
      await Promise.all([...running].map(subprocess => subprocess.exited))
    })
  const child = Bun.spawn([process.execPath, join(import.meta.dir, '../../../workers/follow-civiform.ts')], {
    env: {
      PATH: process.env.PATH,
      TRIBUTARY_ENV: 'development',
      DATABASE_URL: url,
      API_KEY_PEPPER: testPepper,
      PAGE_TOKEN_KEYS: testTokenKey,
      CIVIFORM_DATABASE_URL: readerUrl,
      CIVIFORM_BASE_URL: 'https://forms.example.test',
      HEALTH_PORT: '0',
      ...environment,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  running.add(child)
  const ended = Promise.all([child.exited, child.stdout.text(), child.stderr.text()]).then(([code, out, errors]) => {
    running.delete(child)
    return { code, lines: parseLines(out), errors }
  })
  return {
    pid: child.pid,
    kill: async () => {
      child.kill('SIGKILL')
      await child.exited
    },
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
    ended,
  }
}

/** Without a line that a killed process did not finish. */
const parseLines = (text: string): Record<string, unknown>[] =>
  text.split('\n').flatMap(line => {
    try {
      return [JSON.parse(line) as Record<string, unknown>]
    } catch {
      return []
    }
  })
