// scripts/erase: takes an application or an applicant out of the database for good.

import { eraseApplicant, eraseApplication, parseReason } from '../../src/core/applications/erase.ts'
import { findApplication } from '../../src/db/applications/annotations.ts'
import { readApplicantHoldings } from '../../src/db/applications/erased-applications.ts'
import { loadProgram } from '../../src/db/programs/programs.ts'
import { command, type Run, runCommands, wholeNumber } from '../command-line/script-commands.ts'

const help = `Usage:
  scripts/erase application <program> <application id> [--reason <text>] --yes
  scripts/erase applicant <applicant id> [--reason <text>] --yes

  application  One application with its status, notes and history.
  applicant    Everything of one applicant in every program: applications, answers in progress, the applicant.

Without --yes, both say what would go, and erase nothing. What is erased cannot be brought back but from
a backup. Ids, times and numbers stay, as tombstones and in the audit log; walks continue, without what was erased. The application
that an erased one had superseded stays OBSOLETE. The reason goes into the audit log: it should name no person.`

const erases = { yes: { type: 'boolean', default: false }, reason: { type: 'string' } } as const
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

const counted = (applications: number): string =>
  `${applications} ${applications === 1 ? 'application' : 'applications'}`

await runCommands(help, {
  application: command(['program', 'application id'], erases, application),
  applicant: command(['applicant id'], erases, applicant),
})
