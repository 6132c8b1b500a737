// scripts/erase: takes an application or an applicant out of the database for good, and sets how long a program keeps its own.

import { parseArgs } from 'node:util'
import { findApplication } from '../../src/db/applications/annotations.ts'
import { readApplicantHoldings, readRetentions } from '../../src/db/applications/erased-applications.ts'
import { loadProgram } from '../../src/db/programs/programs.ts'
import { Problem } from '../../src/problem.ts'
import {
  eraseApplicant,
  eraseApplication,
  eraseExpired,
  expiredMax,
  measureRetention,
  retentionDaysMax,
  setRetention,
} from '../../src/upkeep/erase.ts'
import { readCommandLine, refuseMore, runScript, type ScriptContext, usage } from '../command-line/environment.ts'

const help = `Usage:
  scripts/erase application <program> <application id> [--reason <text>] --yes
  scripts/erase applicant <applicant id> [--reason <text>] --yes
  scripts/erase retention [<program> <days | --none>] [--yes]
  scripts/erase expired

  application  One application with its status, notes and history.
  applicant    Everything of one applicant in every program: applications, answers in progress, the applicant.
  retention    After how many days a program's applications are erased, and answers in progress that were not touched for
               as long. Without a program: what is set. --yes where that erases applications that are there already.
  expired      Erases at once what its program keeps no longer. The worker does the same every minute.

Without --yes, all three say what would go, and erase nothing. What is erased cannot be brought back but from
a backup. Ids, times and numbers stay, as tombstones and in the audit log; walks go on, without what was erased. The application
that an erased one had superseded stays OBSOLETE. The reason goes into the audit log: it should name no person.`

type Command =
  | { name: 'application'; slug: string; applicationId: number; reason: string | undefined; yes: boolean }
  | { name: 'applicant'; applicantId: number; reason: string | undefined; yes: boolean }
  | { name: 'retention'; slug: string | undefined; days: number | null; yes: boolean }
  | { name: 'expired' }

function parseCommand(args: readonly string[]): Command {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      yes: { type: 'boolean', default: false },
      none: { type: 'boolean', default: false },
      reason: { type: 'string' },
    },
    allowPositionals: true,
  })
  const { yes, none, reason } = values
  const [name, ...words] = positionals
  if (none && name !== 'retention') throw usage('--none goes with retention only.')
  const erases = name === 'application' || name === 'applicant'
  if (reason !== undefined && !erases) throw usage('--reason goes with application and applicant only.')
  if (yes && !erases && name !== 'retention') throw usage('--yes goes with application, applicant and retention only.')
  if (name === 'application') {
    refuseMore(words.slice(2))
    if (words[0] === undefined) throw usage('Name a program by its slug, and an application by its id.')
    return { name, slug: words[0], applicationId: parseId(words[1], 'application'), reason, yes }
  }
  if (name === 'applicant') {
    refuseMore(words.slice(1))
    return { name, applicantId: parseId(words[0], 'applicant'), reason, yes }
  }
  if (name === 'retention') {
    refuseMore(words.slice(2))
    const [slug, days] = words
    if (slug === undefined) {
      if (none) throw usage('Name the program that is to keep its applications.')
      return { name, slug: undefined, days: null, yes }
    }
    if (none === (days !== undefined)) throw usage('Give a number of days, or --none, and not both.')
    return { name, slug, days: none ? null : parseDays(days!), yes }
  }
  if (name === 'expired') {
    refuseMore(words)
    return { name }
  }
  throw usage(name === undefined ? 'Say what to erase.' : `There is no command "${name}".`)
}

function parseId(text: string | undefined, of: string): number {
  if (text === undefined) throw usage(`Name an ${of} by its id.`)
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw usage(`"${text}" is not the id of an ${of}.`)
  return Number(text)
}

function parseDays(text: string): number {
  const days = /^[1-9][0-9]{0,6}$/.test(text) ? Number(text) : Number.NaN
  if (!(days <= retentionDaysMax)) throw usage(`"${text}" is not a number of days from 1 to ${retentionDaysMax}.`)
  return days
}

async function run(command: Command, { sql, actor }: ScriptContext): Promise<void> {
  if (command.name === 'application') {
    const { program_id } = await loadProgram(sql, command.slug)
    const place = { program_id, application_id: command.applicationId }
    const found = await findApplication(sql, place.program_id, place.application_id)
    if (found !== undefined && !command.yes) {
      const state = found.is_current ? 'CURRENT' : 'OBSOLETE'
      return console.log(
        `Application ${place.application_id} of applicant ${found.applicant_id} (${state}) would be erased, with its status, notes and history. Nothing was: add --yes to do it.`,
      )
    }
    await eraseApplication(sql, place, { actor, reason: command.reason })
    console.log(`Application ${place.application_id} is erased.`)
  } else if (command.name === 'applicant') {
    const { applicantId, reason } = command
    const holdings = await readApplicantHoldings(sql, applicantId)
    if (holdings !== undefined && !command.yes) {
      for (const { slug, applications, in_progress } of holdings)
        console.log(`${slug}: ${counted(applications)}${in_progress > 0 ? ' and answers in progress' : ''}`)
      return console.log(`All of this and applicant ${applicantId} would be erased. Nothing was: add --yes to do it.`)
    }
    const erased = await eraseApplicant(sql, applicantId, { actor, reason })
    console.log(`Applicant ${applicantId} is erased, with ${counted(erased.length)}.`)
  } else if (command.name === 'retention') {
    if (command.slug !== undefined && !(await keepFor({ sql, actor }, command.slug, command))) return
    const retentions = (await readRetentions(sql)).filter(({ slug }) => slug === (command.slug ?? slug))
    for (const { slug, retention_days } of retentions)
      console.log(`${slug}: erased ${retention_days} ${retention_days === 1 ? 'day' : 'days'} after submission`)
    if (retentions.length === 0)
      console.log(
        command.slug === undefined ? 'Every program keeps its applications.' : `${command.slug}: kept for ever`,
      )
  } else {
    const expired = await eraseExpired(sql, actor)
    for (const { slug, applications, inProgress } of expired)
      console.log(`${slug}: ${counted(applications)} erased, and answers in progress of ${inProgress} applicants`)
    if (expired.length === 0) console.log('Nothing has expired.')
  }
}

/** Whether it was set; says what would go where that was not asked for. */
async function keepFor(
  { sql, actor }: Pick<ScriptContext, 'sql' | 'actor'>,
  slug: string,
  { days, yes }: { days: number | null; yes: boolean },
): Promise<boolean> {
  try {
    await setRetention(sql, slug, { days, actor, confirmation: yes ? slug : undefined })
    return true
  } catch (error) {
    if (!(error instanceof Problem) || error.errors[0]?.parameter !== 'confirmation') throw error
    const { program_id } = await loadProgram(sql, slug)
    const { expired } = await measureRetention(sql, program_id, days!)
    const most = expired === expiredMax ? 'At least ' : ''
    console.log(`${most}${counted(expired)} of ${slug} would be erased. Nothing was set: add --yes to do it.`)
    return false
  }
}

const counted = (applications: number): string =>
  `${applications} ${applications === 1 ? 'application' : 'applications'}`

const command = await readCommandLine(help, parseCommand)
await runScript(context => run(command, context))
