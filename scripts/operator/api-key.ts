// Makes, lists, edits, disables and retires API keys from a terminal.
// It must not keep a secret: what `create` prints is printed once and stored nowhere.

import type { OtherConfig } from '../../src/config/all-settings.ts'
import { readPresentTime } from '../../src/db/database-clock.ts'
import { formatOffsetTime } from '../../src/domain/values/offset-time.ts'
import {
  createApiKey,
  disableApiKey,
  editApiKey,
  enableApiKey,
  type ListedApiKey,
  listKeys,
  retireApiKey,
} from '../../src/keys/api-keys.ts'
import { parseExpiry } from '../../src/keys/expiry.ts'
import { Problem } from '../../src/problem.ts'
import { serviceAddress, usage } from '../command-line/environment.ts'
import { command, type Run, runCommands } from '../command-line/script-commands.ts'
import { printTable } from '../command-line/text-table.ts'

const help = `Usage:
  scripts/api-key create --name <name> --programs <slug,…> --expires <when> --subnets <cidr,…|anywhere> [--may export,…]
                         [--front-end <name>] [--hide <question>]…
  scripts/api-key list
  scripts/api-key edit <key id> [--name <name>] [--programs <slug,…>] [--subnets <cidr,…|anywhere>]
                         [--front-end <name>] [--hide <question>]…
  scripts/api-key disable <key id>
  scripts/api-key enable <key id>
  scripts/api-key retire <key id>

  --name      Whose key it is and what for.
  --programs  The programs it may reach, by slug.
  --expires   90d, or a date (through the end of that day), or an instant such as 2027-01-31T12:00:00Z; within 366 days.
  --subnets   Where it may be used from, such as 192.0.2.0/24,2001:db8::/32; or the word anywhere.
  --may       What it may do, one or several: export (the default), submit; with export also annotate, which sets status and note.
  --front-end The form front end that a key which may submit is for. Keys of one front end share its applicants; to keys of
              any other those do not exist.
  --hide      A question that the key never sees, by its admin name in the question bank; once for each. It is hidden in every
              program, now and later, with all that is repeated under it, in exports, schemas and docs. edit replaces the whole
              list; --hide '' hides none.

disable refuses the key from its next request on, until enable lets it in again; retire ends it for good.

The password is printed once, by create, and cannot be had again.`

type Options = Record<string, string | undefined>

const text = { type: 'string' } as const
const changeable = {
  name: text,
  programs: text,
  subnets: text,
  'front-end': text,
  hide: { ...text, multiple: true },
} as const

/** Names of hidden questions; undefined when `--hide` was not given. */
const hiddenBy = (given: string[] | undefined): string[] | undefined => given?.filter(name => name !== '')

function create(options: Options, hidden: string[]): Run {
  const missing = ['name', 'programs', 'expires', 'subnets'].filter(name => options[name] === undefined)
  if (missing.length > 0) throw usage(`Missing: ${missing.map(name => `--${name}`).join(', ')}.`)
  const may = split(options.may ?? 'export')
  const unknown = may.filter(word => !['export', 'submit', 'annotate'].includes(word))
  if (unknown.length > 0)
    throw usage(`--may takes export, submit and annotate, one or several, not "${unknown.join(',')}".`)
  return async ({ sql, config, setting, actor }) => {
    const now = await readPresentTime(sql)
    const expiry = parseExpiry(options.expires!, now, config.timeZone)
    if (typeof expiry === 'object') throw usage(`--expires ${expiry.error}.`)
    const { key, ...credential } = await createApiKey(sql, setting('apiKeyPepper'), {
      name: options.name!,
      programs: split(options.programs!),
      expires_at: expiry,
      allowed_subnets: split(options.subnets!),
      may_export: may.includes('export'),
      may_submit: may.includes('submit'),
      may_annotate: may.includes('annotate'),
      front_end: options['front-end'],
      hidden_questions: hidden,
      actor,
      now,
    })
    console.log(`Made the key "${key.name}", good until ${formatOffsetTime(key.expires_at, config.timeZone)}.
The password is shown this once.

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
    console.log('There are no API keys yet. scripts/api-key create makes one.')
    return
  }
  const head = ['Key id', 'Name', 'Programs', 'Never sees', 'Expires', 'State', 'Front end', 'Last used']
  printTable([head, ...keys.map(key => cells(key, config))])
}

function edit(keyId: string, options: Options, hidden: string[] | undefined): Run {
  if (Object.keys(options).length === 0 && hidden === undefined)
    throw usage('Say what to change: --name, --programs, --subnets, --front-end or --hide.')
  return async ({ sql, config, actor }) => {
    const key = await editApiKey(
      sql,
      keyId,
      {
        ...(options.name === undefined ? {} : { name: options.name }),
        ...(options.programs === undefined ? {} : { programs: split(options.programs) }),
        ...(options.subnets === undefined ? {} : { allowed_subnets: split(options.subnets) }),
        ...(options['front-end'] === undefined ? {} : { front_end: options['front-end'] }),
        ...(hidden === undefined ? {} : { hidden_questions: hidden }),
      },
      { actor, now: await readPresentTime(sql) },
    )
    const [id, name, programs, , expires] = cells(key, config)
    const hides = key.hidden_questions.length === 0 ? '' : ` It never sees: ${key.hidden_questions.join(', ')}.`
    console.log(
      `${id} is now "${name}": programs ${programs}, from ${key.allowed_subnets.join(',')}, until ${expires}.${hides}`,
    )
  }
}

function retire(keyId: string): Run {
  return async ({ sql, config, actor }) => {
    const key = await retireApiKey(sql, keyId, { actor, now: await readPresentTime(sql) })
    console.log(
      `${key.api_key_id} ("${key.name}") is retired since ${formatOffsetTime(key.retired_at!, config.timeZone)} and opens nothing any more.`,
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
const disable = turn(disableApiKey, 'disabled: it is refused until you enable it')
const enable = turn(enableApiKey, 'enabled: it works as before')

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

/** A Problem that names options as they are typed, not places in a document. */
function inOptions(error: unknown): unknown {
  if (!(error instanceof Problem)) return error
  const optionOf: Record<string, string> = {
    name: '--name',
    programs: '--programs',
    expires_at: '--expires',
    allowed_subnets: '--subnets',
    may_export: '--may',
    may_annotate: '--may',
    front_end: '--front-end',
    hidden_questions: '--hide',
  }
  const errors = error.errors.map(({ path, ...item }) => ({ ...item, parameter: optionOf[path?.split('/')[1] ?? ''] }))
  return new Problem(error.kind, { detail: error.detail, errors })
}

const split = (text: string): string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')

/** Runs a command that sets what options name. */
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
  create: command([], { ...changeable, expires: text, may: text }, ({ hide, ...options }) =>
    naming(create(options, hiddenBy(hide) ?? [])),
  ),
  list: command([], {}, () => list),
  edit: command(['key id'], changeable, ({ hide, ...options }, keyId) => naming(edit(keyId, options, hiddenBy(hide)))),
  disable: command(['key id'], {}, (_, keyId) => disable(keyId)),
  enable: command(['key id'], {}, (_, keyId) => enable(keyId)),
  retire: command(['key id'], {}, (_, keyId) => retire(keyId)),
})
