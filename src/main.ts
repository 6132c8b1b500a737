// The HTTP process: reads its configuration, then runs the service or, with PROCESSES, the supervisor of several.
// Each is imported only by the process that runs it, so a supervisor loads nothing of the service.

import { availableParallelism } from 'node:os'
import { loadConfig } from './config/load-config.ts'
import { withSettingFiles } from './config/setting-files.ts'
import { failureLines } from './failure.ts'
import { placeOf, placeVariable, processCount } from './processes/process-share.ts'

try {
  const config = loadConfig(withSettingFiles(process.env))
  const place = placeOf(process.env[placeVariable])
  const processes = processCount(config, availableParallelism())
  if (place === undefined && processes > 1) {
    const { supervise } = await import('./processes/supervise.ts')
    await supervise(config, processes, { main: import.meta.path, environment: process.env })
  } else {
    const { serve } = await import('./service.ts')
    await serve(config, process.env, place)
  }
} catch (error) {
  for (const line of failureLines(error)) console.error(line)
  process.exit(1)
}
