// The settings shown in the console, without the values of secrets.

import { settingGroups } from './all-settings.ts'
import type { Setting } from './kinds/setting.ts'
import type { Environment } from './load-config.ts'

export interface ShownSetting {
  /** The heading of its group. */
  group: string
  name: string
  /** The value as written; empty without a value. For a secret, only whether it is set; an address is shown without user and password. */
  value: string
  source: 'environment' | 'default'
  meaning: string
}

/** Every setting in SETTINGS.md's order, for an environment whose files have been read (setting-files). */
export function shownSettings(environment: Environment): ShownSetting[] {
  return Object.entries(settingGroups).flatMap(([group, settings]) =>
    Object.values<Setting>(settings).map(({ name, default: usual = '', secret, meaning }) => {
      const given = environment[name]
      const text = given || usual
      const value = secret && text !== '' ? 'set' : withoutCredentials(text)
      return { group, name, value, source: given ? 'environment' : 'default', meaning }
    }),
  )
}

/** The parts of an address, or of several, that aren't secret: scheme, host, port and path. Any other text is unchanged. */
function withoutCredentials(text: string): string {
  if (!/^\s*[a-z][a-z\d+.-]*:\/\//i.test(text)) return text
  const several = text.split(/,(?=\s*[a-z][a-z\d+.-]*:\/\/)/i)
  if (several.length > 1) return several.map(withoutCredentials).join(', ')
  if (!/[@?#]/.test(text)) return text
  const url = URL.parse(text)
  return url === null ? 'set' : `${url.protocol}//${url.host}${url.pathname}`
}
