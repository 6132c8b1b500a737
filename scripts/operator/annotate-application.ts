// Shows an application, and gives it a status or a note, from a terminal.
// It must not show answers: those go out by the export alone.

import { findApplication, readAnnotationStates } from '../../src/db/applications/annotations.ts'
import { loadProgram } from '../../src/db/programs/programs.ts'
import { formatOffsetTime, type Micros } from '../../src/domain/values/offset-time.ts'
import { Problem } from '../../src/problem.ts'
import { annotate } from '../../src/upkeep/annotate.ts'
import { type ScriptContext, usage } from '../command-line/environment.ts'
import { command, type Run, runCommands, wholeNumber } from '../command-line/script-commands.ts'

const help = `Usage:
  scripts/application show <program> <application id>
  scripts/application status <program> <application id> <status | --none> [--note <text>]
  scripts/application note <program> <application id> <text | --none>

  show    What it is, its status and note, and every one it ever had. Its answers are not shown.
  status  Gives it one of the program's statuses, or takes its status away.
  note    Gives it a note in place of the last one, or takes it away.

A note without a letter or sign in it is refused, since it may come from a variable that was not set: --none takes a note away.`

const words = ['program', 'application id']
const none = { type: 'boolean', default: false } as const

/** Sets what is given, and shows the application as it is then. */
function set(
  kind: 'status' | 'note',
  value: string | undefined,
  given: { none: boolean; note?: string | undefined },
  place: string,
) {
  if ((value !== undefined) === given.none) throw usage(`Give a ${kind}, or --none, and not both.`)
  const note = kind === 'note' ? value : given.note
  if (note?.trim() === '') throw usage(`The note is empty. scripts/application note ${place} --none takes one away.`)
  return kind === 'note' ? { note: value ?? null } : { status: value ?? null, note }
}

function run(slug: string, idText: string, change: ReturnType<typeof set> | undefined): Run {
  const application_id = wholeNumber('The id of an application', idText)
  return async ({ sql, config, actor }) => {
    const { program_id } = await loadProgram(sql, slug)
    const now = Date.now() * 1000
    if (change !== undefined)
      await annotate(sql, { program_id, application_id, actor, timeZone: config.timeZone, now, ...change })
    await show({ sql, config }, program_id, application_id)
  }
}

type Shown = Pick<ScriptContext, 'sql' | 'config'>

async function show({ sql, config }: Shown, programId: number, applicationId: number): Promise<void> {
  const application = await findApplication(sql, programId, applicationId)
  if (application === undefined)
    throw new Problem('not_found', { detail: `There is no application ${applicationId} in this program.` })
  const at = (time: Micros): string => formatOffsetTime(time, config.timeZone)
  const { status, status_last_modified_time, application_note } = application
  const since = status_last_modified_time === null ? '' : `, since ${at(status_last_modified_time)}`
  console.log(`Application ${applicationId} of applicant ${application.applicant_id}, ${application.is_current ? 'CURRENT' : 'OBSOLETE'}
Submitted:  ${at(application.submit_time)}, to program version ${application.program_version_id}
Begun:      ${at(application.create_time)}
Status:     ${status ?? 'none'}${since}
Note:       ${application_note ?? 'none'}`)
  const states = await readAnnotationStates(sql, programId, applicationId)
  if (states.length > 0) console.log('\nHistory:')
  for (const state of states)
    console.log(
      `  ${at(state.changed_at)}  ${state.changed_by}  ${state.status ?? 'no status'}  ${state.application_note ?? ''}`,
    )
}

await runCommands(help, {
  show: command(words, {}, (_, slug, id) => run(slug, id, undefined)),
  status: command([...words, 'status?'], { none, note: { type: 'string' } }, (given, slug, id, value) =>
    run(slug, id, set('status', value, given, `${slug} ${id}`)),
  ),
  note: command([...words, 'text?'], { none }, (given, slug, id, value) =>
    run(slug, id, set('note', value, given, `${slug} ${id}`)),
  ),
})
