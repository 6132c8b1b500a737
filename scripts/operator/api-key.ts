// Creates, lists, edits, disables and retires API keys from a terminal. It must not keep secrets: the output of `create` is not stored.

import { Problem } from '../../src/base/problem.ts'
import type { OtherConfig } from '../../src/config/all-settings.ts'
import {
  createApiKey,
  disableApiKey,
  editApiKey,
  enableApiKey,
  listKeys,
  retireApiKey,
} from '../../src/core/keys/api-keys.ts'
import { parseExpiry } from '../../src/core/keys/expiry.ts'
import {
  type ApiKeyChanges,
  type ApiKeyDraft,
  isRequired,
  type KeySettingName,
  keySettings,
  permissions,
  settingNames,
  settingOf,
  textsOf,
} from '../../src/core/keys/key-settings.ts'
import { readPresentTime } from '../../src/db/database-clock.ts'
import type { ListedApiKey } from '../../src/db/keys/listed-keys.ts'
import { formatOffsetTime, type Micros } from '../../src/domain/values/offset-time.ts'
import { serviceAddress, usage } from '../command-line/environment.ts'
import { command, type Run, runCommands } from '../command-line/script-commands.ts'
import { printTable } from '../command-line/text-table.ts'

const permissionNames = Object.keys(permissions) as (keyof typeof permissions)[]
const words = permissionNames.map(name => permissions[name].word)
const required = settingNames.filter(isRequired).map(name => `--${keySettings[name].option}`)

const help = `Usage:
  scripts/api-key create <settings> [--may ${words.join(',')}]
  scripts/api-key list
  scripts/api-key edit <key ID> <settings>
  scripts/api-key disable <key ID>
  scripts/api-key enable <key ID>
  scripts/api-key retire <key ID>

Settings (create requires ${required.join(', ')}):
${settingNames
  .map(settingOf)
  .map(({ option, takes, schema, repeated }) => {
    const line = `  ${`--${option} ${takes}`.padEnd(28)} ${schema.description}`
    return repeated ? `${line} Repeat for each; --${option} '' for none.` : line
  })
  .join('\n')}

--may sets what a key may do, permanently. Default: export. annotate also needs export.

edit replaces whole lists. disable rejects the key from its next request until you enable it again; retire ends it permanently.

create prints the password. It is shown only once.`

type Options = Record<string, string | string[] | undefined>

const settingOptions = Object.fromEntries(
  settingNames
    .map(settingOf)
    .map(({ option, repeated = false }) => [option, { type: 'string' as const, multiple: repeated }]),
)

/** The settings in the options; settings without an option are missing. */
function readSettings(options: Options, now: Micros, timeZone: string): ApiKeyChanges {
  const given = settingNames.filter(name => options[keySettings[name].option] !== undefined)
  return Object.fromEntries(given.map(name => [name, readSetting(name, options, now, timeZone)]))
}

function readSetting(name: KeySettingName, options: Options, now: Micros, timeZone: string) {
  const { option, schema } = settingOf(name)
  const given = options[option]!
  if (typeof given !== 'string') return given.filter(item => item !== '')
  if (name !== 'expires_at') return 'items' in schema ? split(given) : given
  const expiry = parseExpiry(given, now, timeZone)
  if (typeof expiry === 'object') throw usage(`--${option} ${expiry.error}.`)
  return expiry
}

function create({ may = 'export', ...options }: Options): Run {
  const missing = required.filter(option => options[option.slice(2)] === undefined)
  if (missing.length > 0) throw usage(`Missing: ${missing.join(', ')}.`)
  const allowed = split(String(may))
  const unknown = allowed.filter(word => !words.some(known => known === word))
  if (unknown.length > 0) throw usage(`--may must be one or more of ${words.join(', ')}, not "${unknown.join(',')}".`)
  return async ({ sql, config, setting, actor }) => {
    const now = await readPresentTime(sql)
    const settings = readSettings(options, now, config.timeZone)
    const may = Object.fromEntries(permissionNames.map(name => [name, allowed.includes(permissions[name].word)]))
    const draft = { ...settings, ...may } as ApiKeyDraft
    const { key, ...credential } = await createApiKey(sql, setting('apiKeyPepper'), { ...draft, actor, now })
    console.log(`Created the key "${key.name}", valid until ${formatOffsetTime(key.expires_at, config.timeZone)}.
The password is shown only once.

Username:         ${credential.username}
Password:         ${credential.password}
API Secret Token: ${credential.apiSecretToken}

export TRIBUTARY_USERNAME='${credential.username}' TRIBUTARY_PASSWORD='${credential.password}'
curl -u "$TRIBUTARY_USERNAME:$TRIBUTARY_PASSWORD" ${serviceAddress(config)}/api/v1/checkAuth`)
  }
}

const list: Run = async ({ sql, config }) => {
  const keys = await listKeys(sql, await readPresentTime(sql))
  if (keys.length === 0) {
    console.log('There are no API keys yet. Create one with scripts/api-key create.')
    return
  }
  const head = ['Key ID', 'Name', 'Programs', 'Hidden questions', 'Expires', 'State', 'Front end', 'Last used']
  printTable([head, ...keys.map(key => cells(key, config))])
}

function edit(keyId: string, options: Options): Run {
  if (Object.keys(options).length === 0)
    throw usage(`Enter what to change: ${settingNames.map(name => `--${keySettings[name].option}`).join(', ')}.`)
  return async ({ sql, config, actor }) => {
    const now = await readPresentTime(sql)
    const key = await editApiKey(sql, keyId, readSettings(options, now, config.timeZone), { actor, now })
    console.log(`${key.api_key_id} now has these settings:`)
    for (const name of settingNames) console.log(`  ${keySettings[name].label}: ${shown(key, name, config)}`)
  }
}

/** A setting as a line of text. */
const shown = (key: ListedApiKey, name: KeySettingName, { timeZone }: Pick<OtherConfig, 'timeZone'>): string =>
  name === 'expires_at' ? formatOffsetTime(key.expires_at, timeZone) : textsOf(key, name).join(', ') || 'none'

function retire(keyId: string): Run {
  return async ({ sql, config, actor }) => {
    const key = await retireApiKey(sql, keyId, { actor, now: await readPresentTime(sql) })
    console.log(
      `${key.api_key_id} ("${key.name}") was retired at ${formatOffsetTime(key.retired_at!, config.timeZone)}. Requests with it are rejected.`,
    )
  }
}

const turn =
  (what: typeof disableApiKey, outcome: string) =>
  (keyId: string): Run =>
  async ({ sql, actor }) => {
    const key = await what(sql, keyId, { actor, now: await readPresentTime(sql) })
    console.log(`${key.api_key_id} ("${key.name}") is ${outcome}.`)
  }
const disable = turn(disableApiKey, 'disabled: its requests are rejected until you enable it')
const enable = turn(enableApiKey, 'enabled: it works again')

function cells(key: ListedApiKey, { timeZone }: OtherConfig): string[] {
  const lastUsed =
    key.last_used_at === null
      ? 'never'
      : `${formatOffsetTime(key.last_used_at, timeZone)} from ${key.last_used_address}`
  return [
    key.api_key_id,
    key.name,
    key.programs.join(','),
    key.hidden_questions.join(', ') || '-',
    formatOffsetTime(key.expires_at, timeZone),
    key.state,
    key.front_end ?? '-',
    lastUsed,
  ]
}

/** A Problem that names options as they are typed instead of locations in a document. */
function inOptions(error: unknown): unknown {
  if (!(error instanceof Problem)) return error
  const optionOf = (member: string) =>
    member in permissions ? '--may' : `--${keySettings[member as KeySettingName].option}`
  const errors = error.errors.map(({ path, ...item }) => ({
    ...item,
    ...(path !== undefined && { parameter: optionOf(path.split('/')[1]!) }),
  }))
  return new Problem(error.kind, { detail: error.detail, errors })
}

const split = (text: string): string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')

/** Runs a command that changes the settings in its options. */
const naming =
  (run: Run): Run =>
  async context => {
    try {
      await run(context)
    } catch (error) {
      throw inOptions(error)
    }
  }

await runCommands(help, {
  create: command([], { ...settingOptions, may: { type: 'string' } }, options => naming(create(options as Options))),
  list: command([], {}, () => list),
  edit: command(['key ID'], settingOptions, (options, keyId) => naming(edit(keyId, options as Options))),
  disable: command(['key ID'], {}, (_, keyId) => disable(keyId)),
  enable: command(['key ID'], {}, (_, keyId) => enable(keyId)),
  retire: command(['key ID'], {}, (_, keyId) => retire(keyId)),
})
