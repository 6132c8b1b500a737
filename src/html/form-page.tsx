// A page that is there for one form: its heading, what was wrong, its fields and the button that sends it.

/** @jsxImportSource preact */

import type { ComponentProps } from 'preact'
import { ActionForm, ErrorSummary, Submit } from './fields.tsx'
import { usePage } from './page-context.ts'
import { Shell } from './shell.tsx'

interface FormPageProps extends ComponentProps<typeof Shell> {
  /** Where the form goes. */
  path: string
  /** What the button says. */
  submit: string
  look?: 'danger'
  /** The content above the errors. */
  errorTitle?: string
}

export function FormPage({ path, submit, look, errorTitle, children, ...shell }: FormPageProps) {
  const { root } = usePage()
  return (
    <Shell {...shell}>
      <ErrorSummary title={errorTitle} />
      <div class="card narrow">
        <ActionForm action={root + path}>
          {children}
          <Submit look={look} text={submit} />
        </ActionForm>
      </div>
    </Shell>
  )
}
