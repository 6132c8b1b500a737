// Asks the health port of this machine whether its process is ready, for a container, which has no other program to ask with.
// Exits with 0 when it is, and else says why not and exits with 1.

import { loadConfig } from '../src/config.ts'
import { withSettingFiles } from '../src/setting-files.ts'
import { exitCode, UsageError } from './environment.ts'

const answerMs = 4000

process.exit(
  await exitCode(async () => {
    const asked = process.argv[2] ?? 'service'
    if (asked !== 'service' && asked !== 'worker')
      throw new UsageError('Say service or worker; without it, the service.')
    const { healthHost, healthPort, workerHealthPort } = loadConfig(withSettingFiles(process.env))
    const everywhere = ['0.0.0.0', '::'].includes(healthHost)
    const host = everywhere ? '127.0.0.1' : healthHost.includes(':') ? `[${healthHost}]` : healthHost
    const address = `http://${host}:${asked === 'service' ? healthPort : workerHealthPort}/readyz`
    const response = await fetch(address, { signal: AbortSignal.timeout(answerMs) }).catch(error => {
      throw new Error(`${address} does not answer: ${(error as Error).message}`)
    })
    if (!response.ok) throw new Error(`${address} answers ${response.status}`)
  }),
)
