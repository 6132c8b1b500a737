// The HTTP process: reads its configuration, then runs the service.

import { failureLines } from './base/failure.ts'
import { loadConfig } from './config/load-config.ts'
import { withSettingFiles } from './config/setting-files.ts'
import { shownSettings } from './config/shown-settings.ts'
import { serve } from './service.ts'

try {
  const environment = withSettingFiles(process.env)
  await serve(loadConfig(environment), shownSettings(environment))
} catch (error) {
  for (const line of failureLines(error)) console.error(line)
  process.exit(1)
}
