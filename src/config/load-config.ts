// Reads the configuration of a process from the environment, once. Called only by mains and scripts.

import { Problem, type ProblemItem } from '../base/problem.ts'
import { type Config, type OtherConfig, type otherSettings, settings } from './all-settings.ts'
import { derivedFrom } from './constants.ts'
import { type Setting, Unusable } from './kinds/setting.ts'
import { earlierErrors, errorsBetween } from './settings-together.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Loads one setting, for a command that needs no other. Throws a Problem. */
export function readSetting<K extends keyof typeof settings>(environment: Environment, key: K): Config[K] {
  return readSettings<Pick<Config, K>>(environment, { [key]: settings[key] }, () => [])[key]
}

/**
 * Loads the configuration from an environment. Throws one Problem that names every invalid setting and the reason. An empty variable counts as
 * missing.
 */
export function loadConfig(environment: Environment): Config
/** The settings that processes other than the service use. */
export function loadConfig(environment: Environment, which: typeof otherSettings): OtherConfig
export function loadConfig(environment: Environment, which: Readonly<Record<string, Setting>> = settings): OtherConfig {
  const config = readSettings<OtherConfig>(environment, which, config => [
    ...errorsBetween(config),
    ...earlierErrors(config, environment),
  ])
  return { ...config, ...derivedFrom(config) }
}

function readSettings<C>(
  environment: Environment,
  which: Readonly<Record<string, Setting>>,
  errorsBetween: (config: C) => Iterable<readonly [name: string, detail: string]>,
): C {
  const errors: ProblemItem[] = []
  const addError = (parameter: string, detail: string) => errors.push({ parameter, code: 'unusable_setting', detail })
  const config: Record<string, unknown> = {}
  for (const [key, { name, default: usual, parse, meaning }] of Object.entries(which)) {
    const text = environment[name] || usual
    try {
      if (text === undefined) addError(name, `is not set. ${meaning}`)
      else config[key] = parse(text)
    } catch (error) {
      if (!(error instanceof Unusable)) throw error
      addError(name, error.message)
    }
  }
  for (const [name, detail] of errorsBetween(config as C)) addError(name, detail)
  if (errors.length > 0) {
    throw new Problem('invalid_request', {
      detail: `${errors.length === 1 ? 'A setting is' : `${errors.length} settings are`} invalid:`,
      errors,
    })
  }
  return config as C
}
