// A page with one form: heading, error summary, fields, submit button and Cancel.

/** @jsxImportSource preact */

import type { ComponentProps } from 'preact'
import { LinkButton } from './components.tsx'
import { ActionForm, ErrorSummary, Submit } from './fields.tsx'
import { Shell } from './shell.tsx'

interface FormPageProps extends ComponentProps<typeof Shell> {
  /** The address that the form is sent to. */
  path: string
  /** The button's text; no button if there is nothing to send. */
  submit: string | undefined
  look?: 'danger'
  /** The content above the errors. */
  errorTitle?: string
}

export function FormPage({ path, submit, look, errorTitle, children, ...shell }: FormPageProps) {
  const back = shell.crumbs?.findLast(crumb => crumb.path !== undefined)?.path
  return (
    <Shell {...shell}>
      <ErrorSummary title={errorTitle} />
      <div class="card narrow">
        <ActionForm action={path}>
          {children}
          <div class="actions">
            {submit !== undefined && <Submit look={look} text={submit} />}
            {back !== undefined && <LinkButton href={back} text="Cancel" />}
          </div>
        </ActionForm>
      </div>
    </Shell>
  )
}
