// Checks on this machine's health port whether its process is ready, for containers, which have no other HTTP client, and for systemd,
// which waits for it. Exits with 0 if it is; otherwise prints the reason and exits with 1.

import { parseArgs } from 'node:util'
import { Problem } from '../../src/base/problem.ts'
import { otherSettings } from '../../src/config/all-settings.ts'
import { parseDuration } from '../../src/config/kinds/durations.ts'
import { healthPorts } from '../../src/config/listening-settings.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { withSettingFiles } from '../../src/config/setting-files.ts'
import { exitCode, hostInUrl, usage } from '../command-line/environment.ts'

const answerMs = 4000
const pauseMs = 100

process.exit(
  await exitCode(async () => {
    const { values, positionals } = parseArgs({ options: { wait: { type: 'string' } }, allowPositionals: true })
    const [asked = 'service', ...rest] = positionals
    const waitMs = parseDuration(values.wait ?? '0ms')
    if (!(asked in healthPorts) || rest.length > 0 || waitMs === undefined)
      throw usage('Usage: tributary health [service | worker | follower] [--wait <duration, such as 60s>]')
    const { healthHost, healthPort } = loadConfig(withSettingFiles(process.env, otherSettings), otherSettings)
    const address = `http://${hostInUrl(healthHost)}:${healthPort ?? healthPorts[asked as keyof typeof healthPorts]}/readyz`
    const end = performance.now() + waitMs
    for (;;) {
      const error = await errorAt(address)
      if (error === undefined) return
      if (performance.now() >= end) throw new Problem('unavailable', { detail: error })
      await Bun.sleep(pauseMs)
    }
  }),
)

async function errorAt(address: string): Promise<string | undefined> {
  try {
    const { ok, status } = await fetch(address, { signal: AbortSignal.timeout(answerMs) })
    return ok ? undefined : `${address} responded with ${status}.`
  } catch (error) {
    return `${address} does not respond: ${(error as Error).message}`
  }
}
