// scripts/docs: asks for the docs of programs to be made again, and says how far that is.

import { readDerivedStatus } from '../../src/db/derived/derived-status.ts'
import { measureOutbox } from '../../src/db/derived/outbox.ts'
import { loadProgram, readPrograms } from '../../src/db/programs/programs.ts'
import { regenerateDocs } from '../../src/derived/sweep.ts'
import { formatOffsetTime } from '../../src/domain/values/offset-time.ts'
import type { ScriptContext } from '../command-line/environment.ts'
import { command, runCommands } from '../command-line/script-commands.ts'
import { printTable } from '../command-line/text-table.ts'

const help = `Usage: scripts/docs regenerate [--program <slug>]
       scripts/docs status [--program <slug>]

regenerate   Asks for the generated docs of a program's active and draft versions, or of every program's, to be made again.
             Returns immediately and says what it asked for; asked twice, it runs once. Until they are made, and if that fails,
             the docs there were are shown.
status       What is derived from each version: asked for, under way, there, or failed and why.`

async function regenerate({ sql, actor }: ScriptContext, programId: number | undefined): Promise<void> {
  const versions = await regenerateDocs(sql, programId, { actor })
  if (versions.length === 0) console.log('There is no active or draft version to make docs of.')
  else
    console.log(
      `Asked for the docs of program ${versions.length === 1 ? 'version' : 'versions'} ${versions.join(', ')}.`,
    )
}

async function status({ sql, config }: ScriptContext, programId: number | undefined): Promise<void> {
  const programs = await readPrograms(sql)
  const slugs = new Map<number, string>()
  for (const program of programs) {
    if (programId !== undefined && program.program_id !== programId) continue
    for (const id of [program.active_version_id, program.draft_version_id]) if (id !== null) slugs.set(id, program.slug)
  }
  const rows = (await readDerivedStatus(sql)).filter(row => slugs.has(row.program_version_id))
  const { waiting } = await measureOutbox(sql)
  const table = rows.map(row => [
    ...[slugs.get(row.program_version_id)!, String(row.program_version_id), row.job_name, row.state],
    ...[formatOffsetTime(row.updated_at, config.timeZone), row.last_error ?? ''],
  ])
  if (rows.length === 0) console.log('There is nothing to derive yet.')
  else printTable([['Program', 'Version', 'Job', 'State', 'Since', 'Last error'], ...table])
  if (waiting > 0) console.log(`\n${waiting} ${waiting === 1 ? 'job waits' : 'jobs wait'} to be handed to the workers.`)
}

/** Of all programs, or of the one that is named. */
const ofProgram = (run: (context: ScriptContext, programId: number | undefined) => Promise<void>) =>
  command([], { program: { type: 'string' } }, ({ program: slug }) => async context => {
    const program = slug === undefined ? undefined : await loadProgram(context.sql, slug)
    await run(context, program?.program_id)
  })

await runCommands(help, { regenerate: ofProgram(regenerate), status: ofProgram(status) })
