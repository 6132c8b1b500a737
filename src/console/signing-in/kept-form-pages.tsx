// The pages of signing in, and of showing who one is, that keep a form which was sent: its fields are in them, hidden.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import { ErrorSummary, Submit, TextField } from '../../html/fields.tsx'
import { PlainPage, Shell } from '../../html/shell.tsx'
import { CodeField } from './second-factor-pages.tsx'
import { confirmLead, confirmTitle } from './sign-in-pages.tsx'
import type { Ways } from './sign-in-steps.ts'

export interface KeptForm {
  /** Where it was sent, and goes again. */
  action: string
  /** Undefined where it was too large to be kept. */
  fields: readonly (readonly [name: string, value: string])[] | undefined
}

interface KeptProps {
  ways: Ways
  kept: KeptForm
}

/** The fields that were sent, those that show who one is, and the provider in a tab of its own, so that this page stays with what it keeps. */
function Kept(props: {
  kept: KeptForm
  ways: Ways
  /** What asks for the password. */
  children: ComponentChildren
  /** Where to ask the provider, and what the link and the way on say. */
  at: string
  there: string
  done: string
}) {
  const { kept, ways, children, at, there, done } = props
  return (
    <form method="post" action={kept.action} noValidate>
      {kept.fields?.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {ways.password && children}
      {ways.provider !== undefined && (
        <>
          <p>
            <a id="oidc" class="button plain" target="_blank" rel="noopener" href={`${at}?next=/admin/signed-in`}>
              {there} in another tab
            </a>
          </p>
          <Submit look="plain" name="signed_in" value="yes" text={done} />
        </>
      )}
    </form>
  )
}

const PasswordField = ({ name }: { name: string }) => (
  <TextField name={name} label="Password" type="password" autocomplete="current-password" />
)

export function SignInFirstPage({ ways, kept, email }: KeptProps & { email: string }) {
  return (
    <PlainPage title="Sign in again">
      <ErrorSummary title="You are not signed in" />
      <p class="lead">
        Your session had ended, so nothing was changed yet.{' '}
        {kept.fields === undefined
          ? 'What you typed is too long to be kept on this page: sign in in another tab, then load this page again. Your browser sends it again, and you see it before anything is changed.'
          : 'What you typed is kept: you see it again once you are signed in, and send it then.'}
      </p>
      {kept.fields === undefined ? (
        <p>
          <a target="_blank" rel="noopener" href="/admin/sign-in?next=/admin/signed-in">
            Sign in in another tab
          </a>
        </p>
      ) : (
        <Kept
          kept={kept}
          ways={ways}
          at="/admin/sign-in/oidc"
          there={`Sign in with ${ways.provider}`}
          done="I have signed in there: continue"
        >
          <TextField name="sign_in_email" label="E-mail" type="email" value={email} autocomplete="username" />
          <PasswordField name="sign_in_password" />
          <CodeField name="sign_in_code" />
          <Submit text="Sign in" />
        </Kept>
      )}
    </PlainPage>
  )
}

export const ConfirmFirstPage = ({ ways, kept }: KeptProps) => (
  <Shell
    title={confirmTitle(ways)}
    part={undefined}
    lead={`${confirmLead} What you sent is kept, and is done when you continue.`}
  >
    <ErrorSummary title="Nothing was changed yet" />
    <div class="card narrow">
      <Kept
        kept={kept}
        ways={ways}
        at="/admin/confirm/oidc"
        there={`Show it to ${ways.provider}`}
        done="I have done so: continue"
      >
        <PasswordField name="confirm_password" />
        <CodeField name="confirm_code" />
        <Submit text="Continue" />
      </Kept>
    </div>
  </Shell>
)

/** The page of a tab that was used to sign in for another one. */
export const SignedInPage = () => (
  <PlainPage title="You are signed in">
    <p class="lead">Close this tab, and continue in the one that you came from.</p>
  </PlainPage>
)
