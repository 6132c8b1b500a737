// Before an application, or an applicant with all applications, is erased for good: what goes, and what stays.

/** @jsxImportSource preact */

import { reasonMax } from '../../../core/applications/erase.ts'
import type { ApplicationDetails } from '../../../db/applications/application-details.ts'
import type { ApplicantApplications } from '../../../db/applications/erased-applications.ts'
import type { Program } from '../../../db/programs/programs.ts'
import { figures, When } from '../../html/components.tsx'
import { TextField } from '../../html/fields.tsx'
import { FormPage } from '../../html/form-page.tsx'
import { crumbsOf } from './application-page.tsx'
import { applicationsPath } from './list-query.ts'

interface EraseProps {
  program: Program
  application: ApplicationDetails
  /** Of an applicant: how many applications to which programs. */
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
      lead="Only a backup can bring it back. Copies that clients have pulled already are not reached."
      path={`${applicationsPath(program.slug)}/${application_id}/${eraseSteps[what as keyof typeof eraseSteps]}`}
      submit={`Erase the ${what}`}
      look="danger"
      errorTitle="Nothing is erased"
    >
      {held === undefined ? (
        <p>
          This erases the application of <When at={submit_time} />, its status, its notes and their history. Other
          applications of the applicant stay, and one that it replaced stays obsolete.
        </p>
      ) : (
        <>
          <p>This erases the applicant, answers that were saved and not submitted, and every application:</p>
          <ul>
            {held.map(({ display_name, applications }) => (
              <li>
                <span dir="auto">{display_name}</span>: {figures(applications)}
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="soft">Numbers and times stay, as does an entry in the audit log. Clients that pull go on without it.</p>
      <TextField
        name="reason"
        label="Reason"
        optional
        hint="For the audit log: name no person."
        maxLength={reasonMax}
      />
      <TextField name="confirmation" label={`Write ${id} to continue`} inputmode="numeric" />
    </FormPage>
  )
}

/** Their addresses below that of an application. */
export const eraseSteps = { application: 'erase', applicant: 'erase-applicant' } as const
