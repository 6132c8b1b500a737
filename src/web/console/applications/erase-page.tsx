// The confirmation page for erasing an application, or an applicant with all their applications.

/** @jsxImportSource preact */

import { reasonMax } from '../../../core/applications/erase.ts'
import type { ApplicationDetails } from '../../../db/applications/application-details.ts'
import type { ApplicantApplications } from '../../../db/applications/erased-applications.ts'
import type { Program } from '../../../db/programs/programs.ts'
import { figures, When } from '../../html/components.tsx'
import { TextField } from '../../html/fields.tsx'
import { FormPage } from '../../html/form-page.tsx'
import { applicationsPath, crumbsOf } from './list-query.ts'

interface EraseProps {
  program: Program
  application: ApplicationDetails
  /** When erasing an applicant: their number of applications per program. */
  held?: readonly ApplicantApplications[]
}

export function ErasePage({ program, application, held }: EraseProps) {
  const { application_id, applicant_id, submit_time } = application
  const [what, id] = held === undefined ? ['application', application_id] : ['applicant', applicant_id]
  return (
    <FormPage
      title={`Erase ${what} ${id}`}
      part="applications"
      crumbs={[...crumbsOf(program, application_id), { text: 'Erase' }]}
      lead="You can’t undo this. Copies that connected systems have already exported are not erased."
      path={`${applicationsPath(program.slug)}/${application_id}/${eraseSteps[what as keyof typeof eraseSteps]}`}
      submit={`Erase ${what}`}
      look="danger"
      errorTitle="Nothing was erased"
    >
      {held === undefined ? (
        <p>
          This erases the application submitted <When at={submit_time} />, with its status, notes and history. The
          applicant’s other applications are kept. An application it replaced stays obsolete.
        </p>
      ) : (
        <>
          <p>This erases the applicant, any saved answers that weren’t submitted, and all applications:</p>
          <ul>
            {held.map(({ display_name, applications }) => (
              <li>
                <span dir="auto">{display_name}</span>: {figures(applications)}
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="soft">IDs and timestamps are kept in the audit log. Later exports leave out what was erased.</p>
      <TextField
        name="reason"
        label="Reason"
        optional
        hint="Recorded in the audit log. Don’t name anyone."
        maxLength={reasonMax}
      />
      <TextField name="confirmation" label={`Type ${id} to confirm`} inputmode="numeric" />
    </FormPage>
  )
}

/** The last part of their URLs, below the application's. */
export const eraseSteps = { application: 'erase', applicant: 'erase-applicant' } as const
