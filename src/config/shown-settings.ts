// The settings as the console shows them. No value of a secret is among them.

import type { Subnet } from '../domain/values/ip-address.ts'
import { type Config, settingGroups } from './all-settings.ts'
import { formatDuration } from './kinds/durations.ts'
import type { Setting } from './kinds/setting.ts'
import type { Environment } from './load-config.ts'

export interface ShownSetting {
  /** What it is set about, for a heading. */
  group: string
  name: string
  /** As it would be written; empty without a value. A secret is only reported to be set, and an address is without user and password. */
  value: string
  source: 'environment' | 'default'
  meaning: string
}

/** Every setting, in SETTINGS.md's order. */
export function shownSettings(config: Config, environment: Environment): ShownSetting[] {
  return Object.entries(settingGroups).flatMap(([group, settings]) =>
    (Object.entries(settings) as [keyof Config, Setting][]).map(([key, { name, meaning, secret }]) => {
      const value = shownValue(key, config[key], secret)
      // The environment may also name a file that has it (setting-files).
      const isGiven = environment[name] || environment[`${name}_FILE`]
      return { group, name, value, source: isGiven ? 'environment' : 'default', meaning }
    }),
  )
}

function shownValue(key: keyof Config, value: Config[keyof Config], secret: boolean): string {
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return ''
  if (secret) return 'set'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'number') return key.endsWith('Ms') ? formatDuration(value) : String(value)
  if (typeof value === 'string') return withoutCredentials(value)
  return (value as readonly (Subnet | string)[])
    .map(item => (typeof item === 'string' ? withoutCredentials(item) : item.text))
    .join(', ')
}

/** An address, or several, as far as it is no secret: scheme, host, port and path. Any other text as it is. */
function withoutCredentials(text: string): string {
  if (!/^\s*[a-z][a-z\d+.-]*:\/\//i.test(text)) return text
  const several = text.split(/,(?=\s*[a-z][a-z\d+.-]*:\/\/)/i)
  if (several.length > 1) return several.map(withoutCredentials).join(', ')
  if (!/[@?#]/.test(text)) return text
  const url = URL.parse(text)
  return url === null ? 'set' : `${url.protocol}//${url.host}${url.pathname}`
}
