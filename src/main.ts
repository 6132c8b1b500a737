// The HTTP process: reads its configuration, then runs the service.

import { loadConfig } from './config/load-config.ts'
import { withSettingFiles } from './config/setting-files.ts'
import { failureLines } from './failure.ts'
import { serve } from './service.ts'

try {
  await serve(loadConfig(withSettingFiles(process.env)), process.env)
} catch (error) {
  for (const line of failureLines(error)) console.error(line)
  process.exit(1)
}
