// Shows an application, and gives it a status or a note, from a terminal.
// It must not show answers: those go out by the export alone.

import { parseArgs } from 'node:util'
import { findApplication, readAnnotationStates } from '../../src/db/applications/annotations.ts'
import { loadProgram } from '../../src/db/programs/programs.ts'
import { formatOffsetTime, type Micros } from '../../src/domain/values/offset-time.ts'
import { Problem } from '../../src/problem.ts'
import { annotate } from '../../src/upkeep/annotate.ts'
import {
  readCommandLine,
  refuseMore,
  runScript,
  type ScriptContext,
  unknownCommand,
  usage,
} from '../command-line/environment.ts'

const help = `Usage:
  scripts/application show <program> <application id>
  scripts/application status <program> <application id> <status | --none> [--note <text>]
  scripts/application note <program> <application id> <text | --none>

  show    What it is, its status and note, and every one it ever had. Its answers are not shown.
  status  Gives it one of the program's statuses, or takes its status away.
  note    Gives it a note in place of the last one, or takes it away.

A note without a letter or sign in it is refused, since it may come from a variable that was not set: --none takes a note away.`

interface Command {
  name: 'show' | 'status' | 'note'
  slug: string
  applicationId: number
  /** The status or the note; null for none. */
  value: string | null
  note: string | undefined
}

function parseCommand(args: readonly string[]): Command {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { none: { type: 'boolean', default: false }, note: { type: 'string' } },
    allowPositionals: true,
  })
  const [name, slug, idText, value, ...rest] = positionals
  if (name !== 'show' && name !== 'status' && name !== 'note') throw unknownCommand(name)
  if (slug === undefined || idText === undefined)
    throw usage('Name a program by its slug, and an application by its id.')
  if (!/^[1-9][0-9]{0,14}$/.test(idText)) throw usage(`"${idText}" is not the id of an application.`)
  refuseMore(rest)
  const given = Number(value !== undefined) + Number(values.none)
  if (given !== (name === 'show' ? 0 : 1))
    throw usage(name === 'show' ? 'There is nothing to set.' : `Give a ${name}, or --none, and not both.`)
  if (values.note !== undefined && name !== 'status') throw usage('--note goes with status only.')
  const note = name === 'note' ? value : values.note
  if (note?.trim() === '')
    throw usage(`The note is empty. scripts/application note ${slug} ${idText} --none takes one away.`)
  return { name, slug, applicationId: Number(idText), value: value ?? null, note: values.note }
}

async function run(command: Command, { sql, config, actor }: ScriptContext): Promise<void> {
  const { name, slug, applicationId, value, note } = command
  const { program_id } = await loadProgram(sql, slug)
  if (name !== 'show') {
    await annotate(sql, {
      program_id,
      application_id: applicationId,
      actor,
      timeZone: config.timeZone,
      now: Date.now() * 1000,
      ...(name === 'status' ? { status: value, note } : { note: value }),
    })
  }
  await show({ sql, config }, program_id, applicationId)
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

const command = await readCommandLine(help, parseCommand)
await runScript(context => run(command, context))
