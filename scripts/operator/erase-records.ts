// scripts/erase: takes an application or an applicant out of the database for good, and sets how long a program keeps its own.

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
  parseReason,
  retentionDaysMax,
  setRetention,
} from '../../src/upkeep/erase.ts'
import { type ScriptContext, usage } from '../command-line/environment.ts'
import { command, type Run, runCommands, wholeNumber } from '../command-line/script-commands.ts'

const help = `Usage:
  scripts/erase application <program> <application id> [--reason <text>] --yes
  scripts/erase applicant <applicant id> [--reason <text>] --yes
  scripts/erase retention [<program> <days | --none>] [--yes]
  scripts/erase expired

  application  One application with its status, notes and history.
  applicant    Everything of one applicant in every program: applications, answers in progress, the applicant.
  retention    After how many days a program's applications are erased, and answers in progress that were not touched for
               as long. Without a program: what is set. --yes where that erases applications that are there already.
  expired      Erases immediately what its program keeps no longer. The worker does the same every minute.

Without --yes, all three say what would go, and erase nothing. What is erased cannot be brought back but from
a backup. Ids, times and numbers stay, as tombstones and in the audit log; walks continue, without what was erased. The application
that an erased one had superseded stays OBSOLETE. The reason goes into the audit log: it should name no person.`

const yes = { type: 'boolean', default: false } as const
const erases = { yes, reason: { type: 'string' } } as const
interface Given {
  yes: boolean
  reason?: string | undefined
}

function application(given: Given, slug: string, idText: string): Run {
  const application_id = wholeNumber('The id of an application', idText)
  const reason = parseReason(given.reason)
  return async ({ sql, actor }) => {
    const { program_id } = await loadProgram(sql, slug)
    const found = await findApplication(sql, program_id, application_id)
    if (found !== undefined && !given.yes) {
      const state = found.is_current ? 'CURRENT' : 'OBSOLETE'
      return console.log(
        `Application ${application_id} of applicant ${found.applicant_id} (${state}) would be erased, with its status, notes and history. Nothing was: add --yes to do it.`,
      )
    }
    await eraseApplication(sql, { program_id, application_id }, { actor, reason })
    console.log(`Application ${application_id} is erased.`)
  }
}

function applicant(given: Given, idText: string): Run {
  const applicantId = wholeNumber('The id of an applicant', idText)
  const reason = parseReason(given.reason)
  return async ({ sql, actor }) => {
    const holdings = await readApplicantHoldings(sql, applicantId)
    if (holdings !== undefined && !given.yes) {
      for (const { slug, applications, in_progress } of holdings)
        console.log(`${slug}: ${counted(applications)}${in_progress > 0 ? ' and answers in progress' : ''}`)
      return console.log(`All of this and applicant ${applicantId} would be erased. Nothing was: add --yes to do it.`)
    }
    const erased = await eraseApplicant(sql, applicantId, { actor, reason })
    console.log(`Applicant ${applicantId} is erased, with ${counted(erased.length)}.`)
  }
}

function retention(given: { yes: boolean; none: boolean }, slug: string | undefined, text: string | undefined): Run {
  if (given.none && slug === undefined) throw usage('Name the program that is to keep its applications.')
  if (slug !== undefined && given.none === (text !== undefined))
    throw usage('Give a number of days, or --none, and not both.')
  const days = text === undefined ? null : wholeNumber('The number of days', text, retentionDaysMax)
  return async ({ sql, actor }) => {
    if (slug !== undefined && !(await keepFor({ sql, actor }, slug, { days, yes: given.yes }))) return
    const retentions = (await readRetentions(sql)).filter(one => one.slug === (slug ?? one.slug))
    for (const { slug, retention_days } of retentions)
      console.log(`${slug}: erased ${retention_days} ${retention_days === 1 ? 'day' : 'days'} after submission`)
    if (retentions.length === 0)
      console.log(slug === undefined ? 'Every program keeps its applications.' : `${slug}: kept permanently`)
  }
}

const expired: Run = async ({ sql, actor }) => {
  const erased = await eraseExpired(sql, actor)
  for (const { slug, applications, inProgress } of erased)
    console.log(`${slug}: ${counted(applications)} erased, and answers in progress of ${inProgress} applicants`)
  if (erased.length === 0) console.log('Nothing has expired.')
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

await runCommands(help, {
  application: command(['program', 'application id'], erases, application),
  applicant: command(['applicant id'], erases, applicant),
  retention: command(['program?', 'days?'], { yes, none: yes }, retention),
  expired: command([], {}, () => expired),
})
