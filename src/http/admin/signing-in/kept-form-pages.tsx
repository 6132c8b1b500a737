// The pages of signing in, and of showing who one is, that keep a form which was sent: its fields are in them, hidden.

/** @jsxImportSource preact */

import type { ProblemItem } from '../../../problem.ts'
import { emptyForm, FaultSummary, type FormState, Submit, TextField } from '../../shell/fields.tsx'
import type { PageContext } from '../../shell/page-context.ts'
import { PlainPage, Shell } from '../../shell/shell.tsx'
import { confirmLead, confirmTitle } from './sign-in-pages.tsx'
import type { Ways } from './sign-in-steps.ts'

export interface KeptForm {
  /** Where it was sent, and goes again. */
  action: string
  /** Undefined where it was too large to be kept. */
  fields: readonly (readonly [name: string, value: string])[] | undefined
}

const Kept = ({ fields }: KeptForm) => (
  <>
    {fields?.map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
)

/** The fault stands at the first field of the page. */
const formOf = (fault: ProblemItem | undefined, parameter: string): FormState =>
  fault === undefined ? emptyForm : { ...emptyForm, faults: [{ ...fault, parameter }] }

/** The provider in a tab of its own, so that this page stays with what it keeps. */
const ProviderTab = (props: { context: PageContext; path: string; text: string }) => (
  <p>
    <a
      id="oidc"
      class="button plain"
      target="_blank"
      rel="noopener"
      href={`${props.context.root}${props.path}?next=/admin/signed-in`}
    >
      {props.text}
    </a>
  </p>
)

export function SignInFirstPage(props: {
  context: PageContext
  ways: Ways
  kept: KeptForm
  email: string
  fault: ProblemItem | undefined
}) {
  const { context, ways, kept } = props
  const form = formOf(props.fault, 'sign_in_email')
  return (
    <PlainPage context={context} title="Sign in again" faulty={form.faults.length > 0}>
      <FaultSummary form={form} title="You are not signed in" />
      <p class="lead">
        Your session had ended, so nothing was changed yet.{' '}
        {kept.fields === undefined
          ? 'What you typed is too long to be kept on this page: sign in in another tab, then load this page again. Your browser sends it again, and you see it before anything is changed.'
          : 'What you typed is kept: you see it again once you are signed in, and send it then.'}
      </p>
      {kept.fields === undefined ? (
        <p>
          <a target="_blank" rel="noopener" href={`${context.root}/admin/sign-in?next=/admin/signed-in`}>
            Sign in in another tab
          </a>
        </p>
      ) : (
        <form method="post" action={kept.action} noValidate>
          <Kept {...kept} />
          {ways.password && (
            <>
              <TextField
                form={form}
                name="sign_in_email"
                label="E-mail"
                type="email"
                value={props.email}
                autocomplete="username"
              />
              <TextField
                form={form}
                name="sign_in_password"
                label="Password"
                type="password"
                autocomplete="current-password"
              />
              <Submit text="Sign in" />
            </>
          )}
          {ways.provider !== undefined && (
            <>
              <ProviderTab
                context={context}
                path="/admin/sign-in/oidc"
                text={`Sign in with ${ways.provider} in another tab`}
              />
              <Submit look="plain" name="signed_in" value="yes" text="I have signed in there: go on" />
            </>
          )}
        </form>
      )}
    </PlainPage>
  )
}

export function ConfirmFirstPage(props: {
  context: PageContext
  ways: Ways
  kept: KeptForm
  fault: ProblemItem | undefined
}) {
  const { context, ways, kept } = props
  const form = formOf(props.fault, 'confirm_password')
  return (
    <Shell
      context={context}
      title={confirmTitle(ways)}
      part={undefined}
      lead={`${confirmLead} What you sent is kept, and is done when you go on.`}
      faulty={form.faults.length > 0}
    >
      <FaultSummary form={form} title="Nothing was changed yet" />
      <div class="card narrow">
        <form method="post" action={kept.action} noValidate>
          <Kept {...kept} />
          {ways.password && (
            <>
              <TextField
                form={form}
                name="confirm_password"
                label="Password"
                type="password"
                autocomplete="current-password"
              />
              <Submit text="Go on" />
            </>
          )}
          {ways.provider !== undefined && (
            <>
              <ProviderTab
                context={context}
                path="/admin/confirm/oidc"
                text={`Show it to ${ways.provider} in another tab`}
              />
              <Submit look="plain" name="signed_in" value="yes" text="I have done so: go on" />
            </>
          )}
        </form>
      </div>
    </Shell>
  )
}

/** Where a tab ends in which somebody signed in for another one. */
export const SignedInPage = ({ context }: { context: PageContext }) => (
  <PlainPage context={context} title="You are signed in">
    <p class="lead">Close this tab, and go on in the one that you came from.</p>
  </PlainPage>
)
