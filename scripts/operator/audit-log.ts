// scripts/audit: finds out whether the audit log is as it was written, and moves the oldest of it into files.

import { pruneAuditLog } from '../../src/audit/prune-audit.ts'
import { verifyAuditLog } from '../../src/audit/verify-audit.ts'
import type { OtherConfig } from '../../src/config/all-settings.ts'
import { settleAuditErrors } from '../../src/db/audit/audit-chains.ts'
import type { Micros } from '../../src/domain/values/offset-time.ts'
import { parseInstantParameter } from '../../src/export/requests/instant-parameter.ts'
import { Problem } from '../../src/problem.ts'
import { type ScriptContext, usage } from '../command-line/environment.ts'
import { command, runCommands, wholeNumber } from '../command-line/script-commands.ts'

const help = `Usage: scripts/audit verify [--noted <word>] [--with <file> …] [--settle]
       scripts/audit prune --before <date | days> --to <folder>

verify   Reads the whole log in order and computes its hashes again. Names the first event of each chain that was changed,
         removed or slipped in. Prints a seal to be kept elsewhere: given as --noted next time, it shows whether what
         was there then still is, so that a cut end, or a log that was written again from its start, is noticed. The files
         given with --with, into which it was pruned, are checked as well, on their own and against what the database recorded
         of them. A worker does the same once a night, without the files. What it finds to be wrong is in the metric
         tributary_audit_faults until the log is verified with --settle, after it was found out what happened.
prune    Moves the oldest events into one file, audit-….ndjson, and then out of the database: of each chain what comes before
         its first event on or after a date or an instant, or less than so many days old. Chains continue from where they were cut,
         the cut is an event itself, and verify holds for the rest. The folder must be there. Interrupted, it has removed
         nothing: ask again, with the same date. The file of such a run, which verify does not know, can be removed.
         Each line of a file is an event; so, for what was sent to which client, ask the files too:
           jq -c 'select(.event[3] == "applications_exported") | .event' audit-*.ndjson`

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

await runCommands(help, {
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
