// Reads settings from files: API_KEY_PEPPER_FILE names a file that contains API_KEY_PEPPER, the way container engines and systemd provide
// secrets.

import { readFileSync } from 'node:fs'
import { Problem, type ProblemItem } from '../base/problem.ts'
import { settings } from './all-settings.ts'
import type { Setting } from './kinds/setting.ts'
import type { Environment } from './load-config.ts'

/** The environment with the content of every `<SETTING>_FILE` of these settings. Throws one Problem that names each unreadable file. */
export function withSettingFiles(
  environment: Environment,
  which: Readonly<Record<string, Pick<Setting, 'name'>>> = settings,
): Environment {
  const read: Record<string, string> = {}
  const errors: ProblemItem[] = []
  for (const { name } of Object.values(which)) {
    const parameter = `${name}_FILE`
    const path = environment[parameter]
    if (!path) continue
    const addError = (detail: string): number => errors.push({ parameter, code: 'unusable_setting', detail })
    if (environment[name]) addError(`must not be set when ${name} is`)
    else {
      try {
        // A text file ends with a line break that isn't part of the value.
        read[name] = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
      } catch (error) {
        addError(`names a file that cannot be read: ${path} (${(error as NodeJS.ErrnoException).code})`)
      }
    }
  }
  if (errors.length > 0) throw new Problem('invalid_request', { detail: 'Settings cannot be read:', errors })
  return { ...environment, ...read }
}
