// scripts/audit: verifies the audit log against its seals, and moves its oldest part into files.

import { Problem } from '../../src/base/problem.ts'
import type { OtherConfig } from '../../src/config/all-settings.ts'
import { pruneAuditLog } from '../../src/core/audit/prune-audit.ts'
import { verifyAuditLog } from '../../src/core/audit/verify-audit.ts'
import { readPresentTime } from '../../src/db/database-clock.ts'
import { parseInstantParameter } from '../../src/domain/values/instant-parameter.ts'
import type { Micros } from '../../src/domain/values/offset-time.ts'
import { type ScriptContext, usage } from '../command-line/environment.ts'
import { command, runCommands, wholeNumber } from '../command-line/script-commands.ts'

const help = `Usage: scripts/audit verify [--seal <seal>] [--with <file> …]
       scripts/audit prune --before <date | days> --to <folder>

verify   Reads the whole log and recomputes every seal. Names each segment in which an event was changed, removed or
         inserted. A worker seals new events once a minute; newer ones are counted as not sealed yet. Prints the latest
         seal. Keep it where administrators of the database can't change it: given as --seal next time, it also shows
         whether the end was cut off or the log rewritten. Also checks the files of pruned segments that are
         passed with --with.
prune    Moves whole segments whose events are all older than a date, an instant or a number of days into one file,
         audit-….ndjson, and then removes them from the database. Their seals stay, so verify still covers the rest. The
         folder must exist. An interrupted run removes nothing: run it again with the same date, and delete the file of
         the interrupted run, which verify can't check.
         To find out which client was sent what, search the files too:
           jq -c 'select(.event[3]? == "applications_exported") | .event' audit-*.ndjson`

async function verify({ sql }: ScriptContext, kept: string | undefined, files: readonly string[]): Promise<void> {
  const { events, unsealed, pruned, errors, seal } = await verifyAuditLog(sql, kept, files)
  if (errors.length > 0) {
    throw new Problem('conflict', {
      detail: 'The audit log has been altered.',
      errors: errors.map(({ file, code, detail }) => ({ path: file ?? '', code, detail })),
    })
  }
  console.log(`The audit log is intact: ${counted(events)}${unsealed > 0 ? `, ${unsealed} not sealed yet` : ''}.`)
  for (const { file, checked } of pruned)
    console.log(`Pruned into ${file}: ${checked ? 'checked' : 'not checked; pass the file with --with'}.`)
  if (seal !== null) console.log(`Keep this seal elsewhere and pass it as --seal next time:\n${seal}`)
}

async function prune({ sql, config, actor }: ScriptContext, before: string, folder: string): Promise<void> {
  const pruned = await pruneAuditLog(sql, { before: cutOf(before, await readPresentTime(sql), config), folder, actor })
  if (pruned === undefined) console.log('There is nothing to prune.')
  else console.log(`${pruned.file}: ${counted(pruned.events)} removed from the database.`)
}

/** A number of days ago, or an instant that is not in the future. */
function cutOf(text: string, now: Micros, { timeZone }: OtherConfig): Micros {
  if (/^\d{1,5}$/.test(text)) return now - wholeNumber('--before', text) * 86_400_000_000
  const instant = parseInstantParameter(text, timeZone)
  if (typeof instant === 'object') throw usage(`--before: ${instant.error} A whole number means days.`)
  if (instant > now) throw usage('--before must not be in the future.')
  return instant
}

const counted = (events: number): string => `${events} ${events === 1 ? 'event' : 'events'}`

const text = { type: 'string' } as const

await runCommands(help, {
  verify: command(
    // A shell expands one pattern to several names.
    ['file…'],
    { seal: text, with: { ...text, multiple: true } },
    ({ seal, with: first }, ...others) => {
      if (others.length > 0 && first === undefined) throw usage('List files after --with.')
      return context => verify(context, seal, [...(first ?? []), ...others])
    },
  ),
  prune: command([], { before: text, to: text }, ({ before, to: folder }) => {
    if (before === undefined || folder === undefined) throw usage('Enter --before and --to.')
    return context => prune(context, before, folder)
  }),
})
