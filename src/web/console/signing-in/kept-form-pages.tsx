// Pages shown between sending a form and its action: the session ended, or the person must confirm their identity.

/** @jsxImportSource preact */

import { LinkButton } from '../../html/components.tsx'
import { ErrorSummary, Submit, TextField } from '../../html/fields.tsx'
import { PlainPage, Shell } from '../../html/shell.tsx'
import { CodeField } from './second-factor-pages.tsx'
import { confirmLead, confirmTitle } from './sign-in-pages.tsx'
import type { Ways } from './sign-in-steps.ts'

/** It has no field and repeats nothing that was sent: the browser has that. */
export const SignInFirstPage = () => (
  <PlainPage title="Your session ended">
    <p class="lead">Nothing was saved. Your browser still has what you typed. To get it back:</p>
    <ol>
      <li>Sign in again in another tab.</li>
      <li>Come back to this tab and reload the page. If your browser asks whether to resend the form, confirm.</li>
      <li>Check what you typed, and submit it.</li>
    </ol>
    <LinkButton main newTab href="/admin/sign-in?next=/admin/signed-in" text="Sign in using another tab" />
  </PlainPage>
)

interface ConfirmFirstProps {
  ways: Ways
  /** The address that the form was sent to, and will be sent to again; and its content. */
  kept: { action: string; fields: readonly (readonly [name: string, value: string])[] }
}

export const ConfirmFirstPage = ({ ways, kept }: ConfirmFirstProps) => (
  <Shell title={confirmTitle(ways)} part={undefined} lead={`${confirmLead} What you entered is kept.`}>
    <ErrorSummary title="Your identity wasn’t confirmed" />
    <div class="card narrow">
      <form method="post" action={kept.action} noValidate>
        {kept.fields.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {ways.password && (
          <>
            <TextField name="confirm_password" label="Password" type="password" autocomplete="current-password" />
            <CodeField name="confirm_code" />
            <Submit text="Continue" />
          </>
        )}
        {ways.provider !== undefined && (
          <>
            {/* In a separate tab, so that this page keeps the form. */}
            <LinkButton
              id="oidc"
              newTab
              href="/admin/confirm/oidc?next=/admin/signed-in"
              text={`Confirm with ${ways.provider} in another tab`}
            />
            <Submit look="plain" name="confirmed_there" value="yes" text="Continue after confirming" />
          </>
        )}
      </form>
    </div>
  </Shell>
)

/** The page of a tab that was only used to sign in for another one. */
export const SignedInPage = () => (
  <PlainPage title="You are signed in">
    <p class="lead">Close this tab and continue in the previous one. Reload it if necessary.</p>
  </PlainPage>
)
