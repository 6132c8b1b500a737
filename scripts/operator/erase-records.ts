// scripts/erase: permanently erases an application or an applicant from the database.

import { eraseApplicant, eraseApplication, parseReason } from '../../src/core/applications/erase.ts'
import { findApplication } from '../../src/db/applications/annotations.ts'
import { readApplicantHoldings } from '../../src/db/applications/erased-applications.ts'
import { loadProgram } from '../../src/db/programs/programs.ts'
import { command, type Run, runCommands, wholeNumber } from '../command-line/script-commands.ts'

const help = `Usage:
  scripts/erase application <program> <application ID> [--reason <text>] --yes
  scripts/erase applicant <applicant ID> [--reason <text>] --yes

  application  One application with its status, notes and history.
  applicant    One applicant with all applications and answers in progress, in every program.

Without --yes, both commands show what would be erased and erase nothing. Only a backup can bring erased data back. IDs, times and
numbers stay, as tombstones and in the audit log; walks continue without what was erased. An application that an erased one had
superseded stays OBSOLETE. The reason goes into the audit log and should not name anyone.`

const erases = { yes: { type: 'boolean', default: false }, reason: { type: 'string' } } as const
interface Given {
  yes: boolean
  reason?: string | undefined
}

function application(given: Given, slug: string, idText: string): Run {
  const application_id = wholeNumber('The application ID', idText)
  const reason = parseReason(given.reason)
  return async ({ sql, actor }) => {
    const { program_id } = await loadProgram(sql, slug)
    const found = await findApplication(sql, program_id, application_id)
    if (found !== undefined && !given.yes) {
      const state = found.is_current ? 'CURRENT' : 'OBSOLETE'
      return console.log(
        `Application ${application_id} of applicant ${found.applicant_id} (${state}) would be erased, with its status, notes and history. Add --yes to erase it.`,
      )
    }
    await eraseApplication(sql, { program_id, application_id }, { actor, reason })
    console.log(`Application ${application_id} was erased.`)
  }
}

function applicant(given: Given, idText: string): Run {
  const applicantId = wholeNumber('The applicant ID', idText)
  const reason = parseReason(given.reason)
  return async ({ sql, actor }) => {
    const holdings = await readApplicantHoldings(sql, applicantId)
    if (holdings !== undefined && !given.yes) {
      for (const { slug, applications, in_progress } of holdings)
        console.log(`${slug}: ${counted(applications)}${in_progress > 0 ? ' and answers in progress' : ''}`)
      return console.log(`All of this and applicant ${applicantId} would be erased. Add --yes to erase them.`)
    }
    const erased = await eraseApplicant(sql, applicantId, { actor, reason })
    console.log(`Applicant ${applicantId} was erased, with ${counted(erased.length)}.`)
  }
}

const counted = (applications: number): string =>
  `${applications} ${applications === 1 ? 'application' : 'applications'}`

await runCommands(help, {
  application: command(['program', 'application ID'], erases, application),
  applicant: command(['applicant ID'], erases, applicant),
})
