// The pages of signing in, of choosing and asking for a password, and of one's own account.

/** @jsxImportSource preact */

import { passwordLengthMin } from '../../../access/passwords.ts'
import { type Person, roleNames } from '../../../access/roles.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import type { ProblemItem } from '../../../problem.ts'
import { Choices, DeedForm, emptyForm, FaultSummary, type FormState, Submit, TextField } from '../../shell/fields.tsx'
import type { PageContext } from '../../shell/page-context.ts'
import { LinkButton, Notice, Table, When } from '../../shell/parts.tsx'
import { PlainPage, Shell } from '../../shell/shell.tsx'
import type { Ways } from './sign-in-steps.ts'

/** Off to the provider. A link and not a form: a form's policy would have to name every address the provider sends people over. */
function ProviderLink(props: { context: PageContext; path: string; next: string; text: string }) {
  const { context, path, next, text } = props
  return <LinkButton id="oidc" href={`${context.root}${path}?next=${encodeURIComponent(next)}`} text={text} />
}

export function SignInPage({ context, ways, form }: { context: PageContext; ways: Ways; form: FormState }) {
  const next = form.values.get('next') ?? '/admin'
  return (
    <PlainPage faulty={form.faults.length > 0} context={context} title="Sign in">
      <FaultSummary form={form} title="You are not signed in" />
      {ways.provider !== undefined && (
        <ProviderLink context={context} path="/admin/sign-in/oidc" next={next} text={`Sign in with ${ways.provider}`} />
      )}
      {ways.provider !== undefined && ways.password && <p class="soft">Or with a password:</p>}
      {ways.password && (
        <>
          <form method="post" action={`${context.root}/admin/sign-in`} noValidate>
            <input type="hidden" name="next" value={next} />
            <TextField form={form} name="email" label="E-mail" type="email" autocomplete="username" />
            <TextField form={form} name="password" label="Password" type="password" autocomplete="current-password" />
            <Submit text="Sign in" />
          </form>
          <p class="soft">No password yet, or lost it? An administrator can give you a link to choose one.</p>
        </>
      )}
    </PlainPage>
  )
}

const rule = `At least ${passwordLengthMin} characters. A few words in a row are good.`

function NewPasswordFields({ form }: { form: FormState }) {
  return (
    <>
      <TextField
        form={form}
        name="password"
        label="New password"
        type="password"
        autocomplete="new-password"
        hint={rule}
      />
      <TextField form={form} name="repeated" label="New password again" type="password" autocomplete="new-password" />
    </>
  )
}

export function PasswordPage(props: {
  context: PageContext
  person: { email: string; name: string }
  faults: readonly ProblemItem[]
}) {
  const form = { ...emptyForm, faults: props.faults }
  return (
    <PlainPage faulty={form.faults.length > 0} context={props.context} title="Choose a password">
      <p class="lead">
        For {props.person.name}, who signs in as <strong>{props.person.email}</strong>.
      </p>
      <FaultSummary form={form} />
      <form method="post" noValidate>
        {/* So that password managers keep the two together. */}
        <input type="email" name="email" value={props.person.email} autocomplete="username" hidden />
        <NewPasswordFields form={form} />
        <Submit text="Choose it and sign in" />
      </form>
    </PlainPage>
  )
}

export const confirmTitle = ({ provider }: Ways): string =>
  provider === undefined ? 'Your password, once more' : 'Show once more that it is you'
export const confirmLead =
  'What comes next hands out a secret, widens what somebody may do, or erases. So we ask again; it then holds for ten minutes.'

export function ConfirmPage(props: { context: PageContext; ways: Ways; next: string; faults: readonly ProblemItem[] }) {
  const { context, ways, next } = props
  const form = { ...emptyForm, faults: props.faults }
  return (
    <Shell
      faulty={form.faults.length > 0}
      context={context}
      title={confirmTitle(ways)}
      part={undefined}
      lead={confirmLead}
    >
      <FaultSummary form={form} />
      {ways.provider !== undefined && (
        <ProviderLink context={context} path="/admin/confirm/oidc" next={next} text={`Go on with ${ways.provider}`} />
      )}
      {ways.password && (
        <div class="card narrow">
          <DeedForm action={`${context.root}/admin/confirm`}>
            <input type="hidden" name="next" value={next} />
            <TextField form={form} name="password" label="Password" type="password" autocomplete="current-password" />
            <Submit text="Go on" />
          </DeedForm>
        </div>
      )}
    </Shell>
  )
}

export function AccountPage(props: {
  context: PageContext
  ways: Ways
  person: Person
  sessions: readonly { created_at: Micros; seen_at: Micros; address: string | null }[]
  faults: readonly ProblemItem[]
  changed: boolean
}) {
  const { context, person } = props
  const form = { ...emptyForm, faults: props.faults }
  return (
    <Shell
      faulty={form.faults.length > 0}
      context={context}
      title="Your account"
      part={undefined}
      lead={`${person.name}, ${person.email}. ${roleNames[person.role]}.`}
    >
      {props.changed && (
        <Notice tone="good">
          Your password is changed. Everywhere else you are signed out. API tokens go on until you retire them.
        </Notice>
      )}
      <FaultSummary form={form} />
      <h2>Where you are signed in</h2>
      <Table
        caption="Sign-ins of this account"
        rows={props.sessions}
        empty="Nowhere."
        columns={[
          { head: 'From', cell: one => <code>{one.address ?? 'unknown'}</code> },
          { head: 'Since', cell: one => <When at={one.created_at} /> },
          { head: 'Last seen', cell: one => <When at={one.seen_at} /> },
        ]}
      />
      <DeedForm action={`${context.root}/admin/sign-out`}>
        <input type="hidden" name="everywhere" value="yes" />
        <Choices
          form={emptyForm}
          name="tokens"
          legend="API tokens"
          choices={[{ value: 'yes', text: 'Retire all my API tokens, too', hint: 'Otherwise they go on.' }]}
          chosen={[]}
          many
        />
        <Submit look="plain" text="Sign out everywhere" />
      </DeedForm>
      <h2>API tokens</h2>
      <p>
        A program of yours can do here what you may do, with{' '}
        <a href={`${context.root}/admin/account/tokens`}>a token</a>.
      </p>
      {props.ways.password && (
        <>
          <h2>Change your password</h2>
          <div class="card narrow">
            <DeedForm action={`${context.root}/admin/account/password`}>
              <TextField
                form={form}
                name="current"
                label="Present password"
                type="password"
                autocomplete="current-password"
              />
              <NewPasswordFields form={form} />
              <Submit text="Change it" />
            </DeedForm>
          </div>
        </>
      )}
    </Shell>
  )
}
