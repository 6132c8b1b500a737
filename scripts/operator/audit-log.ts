// scripts/audit: shows the audit log, finds out whether it is as it was written, and moves the oldest of it into files.

import { findDisclosures } from '../../src/audit/disclosure.ts'
import { pruneAuditLog } from '../../src/audit/prune-audit.ts'
import { verifyAuditLog } from '../../src/audit/verify-audit.ts'
import type { OtherConfig } from '../../src/config/all-settings.ts'
import { type AuditFilter, readAuditEvents } from '../../src/db/audit/audit.ts'
import { readPrunedPlaces, settleAuditErrors } from '../../src/db/audit/audit-chains.ts'
import { readApiKeyNames } from '../../src/db/keys/api-key-rows.ts'
import { formatOffsetTime, type Micros } from '../../src/domain/values/offset-time.ts'
import { parseInstantParameter } from '../../src/export/requests/instant-parameter.ts'
import { Problem } from '../../src/problem.ts'
import { type ScriptContext, usage } from '../command-line/environment.ts'
import { command, runCommands, wholeNumber } from '../command-line/script-commands.ts'
import { printTable } from '../command-line/text-table.ts'

const help = `Usage: scripts/audit list [--actor <actor>] [--action <action>] [--subject <subject>] [--from <when>] [--to <when>]
                          [--limit <number>] [--before <event>]
       scripts/audit sent <application id> [--limit <number>]
       scripts/audit verify [--noted <word>] [--with <file> …] [--settle]
       scripts/audit prune --before <date | days> --to <folder>

list     Events, newest first: who did what to what, from where. All filters given must hold.
           --actor    key:<key id>, admin:<e-mail>, admin-token:<token id>:<e-mail>, operator:<system user> or retention.
           --action   Such as api_key_created, applications_exported, application_submitted, program_published.
           --subject  Such as a program's slug, a key's id, an application's id.
           --from     On or after a date or an instant such as 2026-01-31T09:30:00Z; --to before one.
           --limit    At most so many, 1 to 10000; 50 unless given.
           --before   Those before this event: for the next page.
sent     Which clients were ever sent this application, and when, newest first; at most so many pages, 1 to 10000, 100 unless given.
         For each page it says whether that is certain. What was pruned is in the files.
verify   Reads the whole log in order and computes its hashes again. Names the first event of each chain that was changed,
         removed or slipped in. Prints a seal to be kept elsewhere: given as --noted next time, it shows whether what
         was there then still is, so that a cut end, or a log that was written again from its start, is noticed. The files
         given with --with, into which it was pruned, are checked as well, on their own and against what the database recorded
         of them. A worker does the same once a night, without the files. What it finds to be wrong is in the metric
         tributary_audit_faults until the log is verified with --settle, after it was found out what happened.
prune    Moves the oldest events into one file, audit-….ndjson, and then out of the database: of each chain what comes before
         its first event on or after a date or an instant, or less than so many days old. Chains continue from where they were cut,
         the cut is an event itself, and verify holds for the rest. The folder must be there. Interrupted, it has removed
         nothing: ask again, with the same date. What such a run may leave, audit-….ndjson.partial, or a file that verify does not
         know, can be removed. Each line of a file is an event; so, for what was sent to which client, ask the files too:
           jq -c 'select(.event[3] == "applications_exported") | .event' audit-*.ndjson`

function filterOf(values: Record<string, string | undefined>, { timeZone }: OtherConfig): AuditFilter {
  const instant = (name: 'from' | 'to') => {
    const text = values[name]
    const parsed = text === undefined ? undefined : parseInstantParameter(text, timeZone)
    if (typeof parsed === 'object') throw usage(`--${name}: ${parsed.error}`)
    return parsed
  }
  const { actor, action, subject } = values
  return { actor, action, subject, from: instant('from'), to: instant('to') }
}

async function list(
  { sql, config }: ScriptContext,
  page: { rowsMax: number; beforeId: number | undefined },
  filter: (config: OtherConfig) => AuditFilter,
): Promise<void> {
  const events = await readAuditEvents(sql, filter(config), page)
  const pruned = events.length < page.rowsMax && (await readPrunedPlaces(sql)).length > 0
  if (events.length === 0) console.log('There are no such events.')
  if (pruned) console.error('Older events were pruned into files; scripts/audit verify names them.')
  if (events.length === 0) return
  const rows = events.map(event => [
    ...[String(event.audit_event_id), formatOffsetTime(event.happened_at, config.timeZone), event.actor, event.action],
    ...[event.subject, event.address ?? '', JSON.stringify(event.detail)],
  ])
  const head = ['Event', 'When', 'Actor', 'Action', 'Subject', 'From', 'Detail']
  printTable([head, ...rows])
  if (events.length === page.rowsMax) console.log(`\nEarlier ones: --before ${events.at(-1)!.audit_event_id}`)
}

async function sent({ sql, config }: ScriptContext, applicationId: number, rowsMax: number): Promise<void> {
  const found = await findDisclosures(sql, applicationId, { rowsMax })
  if (found.length === 0)
    throw new Problem('not_found', {
      detail: `There is no application ${applicationId}, and none of this id was erased.`,
    })
  if ((await readPrunedPlaces(sql)).length > 0)
    console.error('Older events were pruned into files, which are not looked into; scripts/audit verify names them.')
  const names = await readApiKeyNames(
    sql,
    found.flatMap(({ pages }) => pages.map(({ actor }) => actor.slice('key:'.length))),
  )
  const when = (at: Micros): string => formatOffsetTime(at, config.timeZone)
  for (const { place, pages, nextBefore } of found) {
    const erased = place.erased_at === null ? '' : `, erased ${when(place.erased_at)}`
    console.log(`${place.slug}, submission ${place.submit_seq}, ${when(place.submit_time)}${erased}:`)
    const rows = pages.map(({ actor, happened_at, address, detail, doubts, questions }) => [
      ...[actor, names.get(actor.slice('key:'.length)) ?? '', when(happened_at), address ?? '', String(detail.walk)],
      questions,
      doubts.length === 0 ? 'certain' : `possible: ${doubts.join('; ')}`,
    ])
    if (rows.length === 0) console.log('No client was sent it.')
    else {
      const head = ['Client', 'Name', 'When', 'From', 'Walk', 'Questions', 'Sent']
      printTable([head, ...rows])
    }
    if (nextBefore !== undefined) console.log(`There are more than ${rowsMax}: --limit takes more of them.`)
  }
}

async function verify(
  { sql }: ScriptContext,
  noted: string | undefined,
  files: readonly string[],
  settle: boolean,
): Promise<void> {
  const { events, pruned, errors, note } = await verifyAuditLog(sql, noted, files)
  if (errors.length > 0) {
    throw new Problem('conflict', {
      detail: 'The audit log is not as it was written.',
      errors: errors.map(detail => ({ path: '', code: 'broken', detail })),
    })
  }
  console.log(`The audit log is whole: ${counted(events)}.`)
  if (settle && (await settleAuditErrors(sql, note))) console.log('Settled what a worker had found.')
  for (const { file, checked } of pruned)
    console.log(`Pruned into ${file}: ${checked ? 'checked' : 'not checked: give the file with --with'}.`)
  console.log(`Keep this elsewhere, and give it to --noted next time:\n${note}`)
}

async function prune({ sql, config, actor }: ScriptContext, before: string, folder: string): Promise<void> {
  const pruned = await pruneAuditLog(sql, { before: cutOf(before, config), folder, actor })
  if (pruned === undefined) console.log('There is nothing to prune.')
  else console.log(`${pruned.file}: ${counted(pruned.events)} removed from the database.`)
}

/** A number of days ago, or an instant that is not to come. */
function cutOf(text: string, { timeZone }: OtherConfig): Micros {
  const now = Date.now() * 1000
  if (/^\d{1,5}$/.test(text)) return now - wholeNumber('--before', text) * 86_400_000_000
  const instant = parseInstantParameter(text, timeZone)
  if (typeof instant === 'object') throw usage(`--before: ${instant.error} A whole number is one of days.`)
  if (instant > now) throw usage('--before must not lie in the future.')
  return instant
}

const counted = (events: number): string => `${events} ${events === 1 ? 'event' : 'events'}`

const text = { type: 'string' } as const
const rowsMax = (limit: string): number => wholeNumber('--limit', limit, 10_000)

await runCommands(help, {
  list: command(
    [],
    { actor: text, action: text, subject: text, from: text, to: text, before: text, limit: { ...text, default: '50' } },
    values => {
      const beforeId = values.before === undefined ? undefined : wholeNumber('--before', values.before)
      const page = { rowsMax: rowsMax(values.limit), beforeId }
      return context => list(context, page, config => filterOf(values, config))
    },
  ),
  sent: command(['application id'], { limit: { ...text, default: '100' } }, ({ limit }, id) => {
    const [applicationId, most] = [wholeNumber('The application id', id), rowsMax(limit)]
    return context => sent(context, applicationId, most)
  }),
  verify: command(
    // A shell makes several names of one pattern.
    ['file…'],
    { noted: text, with: { ...text, multiple: true }, settle: { type: 'boolean', default: false } },
    ({ noted, with: first, settle }, ...others) => {
      if (others.length > 0 && first === undefined) throw usage('Files are given with --with.')
      return context => verify(context, noted, [...(first ?? []), ...others], settle)
    },
  ),
  prune: command([], { before: text, to: text }, ({ before, to: folder }) => {
    if (before === undefined || folder === undefined) throw usage('Say --before when, and --to which folder.')
    return context => prune(context, before, folder)
  }),
})
