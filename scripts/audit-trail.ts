// scripts/audit: shows the audit trail, and finds out whether it is as it was written.

import { parseArgs } from 'node:util'
import { verifyAuditTrail } from '../src/access/verify-audit.ts'
import type { Config } from '../src/config.ts'
import { type AuditFilter, readAuditEvents } from '../src/db/audit.ts'
import { formatOffsetTime } from '../src/domain/values/offset-time.ts'
import { parseInstantParameter } from '../src/export/instant-parameter.ts'
import { Problem } from '../src/problem.ts'
import { readCommandLine, runScript, type ScriptContext, UsageError } from './environment.ts'
import { textTable } from './text-table.ts'

const help = `Usage: scripts/audit list [--actor <actor>] [--action <action>] [--subject <subject>] [--from <when>] [--to <when>]
                          [--limit <number>] [--before <event>]
       scripts/audit verify [--noted <word>]

list     Events, newest first: who did what to what, from where. All filters given must hold.
           --actor    key:<key id>, operator:<system user> or retention.
           --action   Such as api_key_created, applications_exported, application_submitted, program_published.
           --subject  Such as a program's slug, a key's id, an application's id.
           --from     On or after a date or an instant such as 2026-01-31T09:30:00Z; --to before one.
           --limit    At most so many, 1 to 10000; 50 unless given.
           --before   Those before this event: for the next page.
verify   Reads the whole trail in order and computes its hashes again. Names the first event of each chain that was changed,
         removed or slipped in. Prints a word to be kept somewhere else: given as --noted next time, it tells whether what
         was there then still is, so that nobody can cut off the end or write all of it anew.`

type Run = (context: ScriptContext) => Promise<void>

function parseCommand([command, ...args]: string[]): Run {
  if (command === 'verify') {
    const { values } = parseArgs({ args, options: { noted: { type: 'string' } } })
    return context => verify(context, values.noted)
  }
  if (command !== 'list') throw usage(command === undefined ? 'Say what to do.' : `There is no command "${command}".`)
  const text = { type: 'string' as const }
  const options = { actor: text, action: text, subject: text, from: text, to: text, limit: text, before: text }
  const { values } = parseArgs({ args, options })
  const rowsMax = wholeNumber('--limit', values.limit ?? '50', 10_000)
  const beforeId = values.before === undefined ? undefined : wholeNumber('--before', values.before)
  return context => list(context, { rowsMax, beforeId }, config => filterOf(values, config))
}

function filterOf(values: Record<string, string | undefined>, { timeZone }: Config): AuditFilter {
  const instant = (name: 'from' | 'to') => {
    const text = values[name]
    const parsed = text === undefined ? undefined : parseInstantParameter(text, timeZone)
    if (typeof parsed === 'object') throw usage(`--${name}: ${parsed.fault}`)
    return parsed
  }
  const { actor, action, subject } = values
  return { actor, action, subject, from: instant('from'), to: instant('to') }
}

async function list(
  { sql, config }: ScriptContext,
  page: { rowsMax: number; beforeId: number | undefined },
  filter: (config: Config) => AuditFilter,
): Promise<void> {
  const events = await readAuditEvents(sql, filter(config), page)
  if (events.length === 0) {
    console.log('There are no such events.')
    return
  }
  const rows = events.map(event => [
    ...[String(event.audit_event_id), formatOffsetTime(event.happened_at, config.timeZone), event.actor, event.action],
    ...[event.subject, event.address ?? '', JSON.stringify(event.detail)],
  ])
  const head = ['Event', 'When', 'Actor', 'Action', 'Subject', 'From', 'Detail']
  for (const line of textTable([head, ...rows])) console.log(line)
  if (events.length === page.rowsMax) console.log(`\nEarlier ones: --before ${events.at(-1)!.audit_event_id}`)
}

async function verify({ sql }: ScriptContext, noted: string | undefined): Promise<void> {
  const { events, faults, note } = await verifyAuditTrail(sql, noted)
  if (faults.length > 0) {
    throw new Problem('conflict', {
      detail: 'The audit trail is not as it was written.',
      errors: faults.map(detail => ({ path: '', code: 'broken', detail })),
    })
  }
  console.log(`The audit trail is whole: ${events} ${events === 1 ? 'event' : 'events'}.`)
  console.log(`Keep this elsewhere, and give it to --noted next time:\n${note}`)
}

function wholeNumber(name: string, text: string, max = Number.MAX_SAFE_INTEGER): number {
  const value = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN
  if (value <= max) return value
  throw usage(`${name} must be a whole number from 1${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}.`)
}

const usage = (message: string): UsageError => new UsageError(`${message} scripts/audit --help tells more.`)

await runScript(await readCommandLine(help, parseCommand))
