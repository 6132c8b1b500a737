// All settings of the service: name, default, limits and description. A new setting is an entry in the file of its group.

import { applySettings } from './apply-settings.ts'
import { civiformSettings } from './civiform-settings.ts'
import { connectionSettings } from './connection-settings.ts'
import { consoleSettings } from './console-settings.ts'
import type { Derived } from './constants.ts'
import { databaseSettings } from './database-settings.ts'
import type { Setting } from './kinds/setting.ts'
import { limitSettings } from './limit-settings.ts'
import { listeningSettings } from './listening-settings.ts'
import { pageSettings } from './page-settings.ts'
import { watchingSettings } from './watching-settings.ts'
import { webhookSettings } from './webhook-settings.ts'

/** By the headings that people see, in SETTINGS.md's order. */
export const settingGroups = {
  'Environment, database and jobs': databaseSettings,
  'Listening addresses': listeningSettings,
  'Addresses, times and pages': pageSettings,
  'Proxies, TLS and connections': connectionSettings,
  'Limits and rules': limitSettings,
  'The console': consoleSettings,
  'Applicants’ pages': applySettings,
  Webhooks: webhookSettings,
  'Shutdown and logging': watchingSettings,
  'Following CiviForm': civiformSettings,
}

export const settings = {
  ...databaseSettings,
  ...listeningSettings,
  ...pageSettings,
  ...connectionSettings,
  ...limitSettings,
  ...consoleSettings,
  ...applySettings,
  ...webhookSettings,
  ...watchingSettings,
  ...civiformSettings,
}

type Values<Settings extends Readonly<Record<string, Setting>>> = {
  [K in keyof Settings]: ReturnType<Settings[K]['parse']>
}
export type Config = Values<typeof settings> & Derived

/** Without the secrets of API keys and page tokens. Only the service uses them; other processes neither require them nor read their files. */
export const otherSettings = withoutKeySecrets(settings)
export type OtherConfig = Values<typeof otherSettings> & Derived

function withoutKeySecrets<Settings extends { pageTokenKeys: unknown; apiKeyPepper: unknown }>({
  pageTokenKeys: _,
  apiKeyPepper: __,
  ...others
}: Settings): Omit<Settings, 'pageTokenKeys' | 'apiKeyPepper'> {
  return others
}
