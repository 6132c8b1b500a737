// Pages to sign in, choose a password, confirm your identity, and manage your account.

/** @jsxImportSource preact */

import { passwordLengthMin } from '../../../core/people/passwords.ts'
import { roleNames } from '../../../core/people/roles.ts'
import { timeZones } from '../../../core/people/time-zones.ts'
import type { SessionInList } from '../../../db/people/console-sessions.ts'
import { Badge, DoneNotice, LinkButton, Table, When, zoneName } from '../../html/components.tsx'
import { ActionForm, type Choice, Choices, ErrorSummary, SelectField, Submit, TextField } from '../../html/fields.tsx'
import { emptyForm, usePage } from '../../html/page-context.ts'
import { PlainPage, Shell } from '../../html/shell.tsx'
import { browserName } from './browser-name.ts'
import { CodeField } from './second-factor-pages.tsx'
import type { Ways } from './sign-in-steps.ts'

/** To the provider. A link rather than a form, because a form's policy would have to list every address that the provider redirects to. */
function ProviderLink({ path, next, text }: { path: string; next: string; text: string }) {
  return <LinkButton id="oidc" href={`${path}?next=${encodeURIComponent(next)}`} text={text} />
}

export function SignInPage({ ways, next }: { ways: Ways; next: string }) {
  return (
    <PlainPage title="Sign in">
      <ErrorSummary title="You couldn’t be signed in" />
      {ways.provider !== undefined && (
        <ProviderLink path="/admin/sign-in/oidc" next={next} text={`Sign in with ${ways.provider}`} />
      )}
      {ways.provider !== undefined && ways.password && <p class="soft">Or with a password:</p>}
      {ways.password && (
        <>
          <form method="post" action="/admin/sign-in" noValidate>
            <input type="hidden" name="next" value={next} />
            <TextField name="email" label="Email" type="email" autocomplete="username" />
            <TextField name="password" label="Password" type="password" autocomplete="current-password" />
            <CodeField />
            <Submit text="Sign in" />
          </form>
          <p class="soft">No password, or forgot it? Ask an administrator for a link to choose a new one.</p>
        </>
      )}
    </PlainPage>
  )
}

const rule = `At least ${passwordLengthMin} characters. A few unrelated words work well.`

const NewPasswordFields = () => (
  <>
    <TextField name="password" label="New password" type="password" autocomplete="new-password" hint={rule} />
    <TextField name="repeated" label="Confirm new password" type="password" autocomplete="new-password" />
  </>
)

export const PasswordPage = ({ person }: { person: { email: string; name: string } }) => (
  <PlainPage title="Choose a password">
    <p class="lead">
      For <bdi>{person.name}</bdi>, who signs in as <strong>{person.email}</strong>.
    </p>
    <ErrorSummary />
    <form method="post" noValidate>
      {/* So that password managers store both together. */}
      <input type="email" name="email" value={person.email} autocomplete="username" hidden />
      <NewPasswordFields />
      <Submit text="Save and sign in" />
    </form>
  </PlainPage>
)

export const confirmTitle = ({ provider }: Ways): string =>
  provider === undefined ? 'Confirm your password' : 'Confirm it’s you'
export const confirmLead = 'This step needs a recent sign-in. You won’t be asked again for ten minutes.'

export function ConfirmPage({ ways, next }: { ways: Ways; next: string }) {
  return (
    <Shell title={confirmTitle(ways)} part={undefined} lead={confirmLead}>
      <ErrorSummary />
      {ways.provider !== undefined && (
        <ProviderLink path="/admin/confirm/oidc" next={next} text={`Continue with ${ways.provider}`} />
      )}
      {ways.password && (
        <div class="card narrow">
          <ActionForm action="/admin/confirm">
            <input type="hidden" name="next" value={next} />
            <TextField name="password" label="Password" type="password" autocomplete="current-password" />
            <CodeField />
            <Submit text="Continue" />
          </ActionForm>
        </div>
      )}
    </Shell>
  )
}

interface AccountProps {
  ways: Ways
  sessions: readonly SessionInList[]
  /** The time zone that the person chose. */
  timeZone: string | null
}

const doneTexts = {
  zone: 'Time zone saved. The console now shows times in this zone.',
  password:
    'Password changed. You’ve been signed out on all other devices. API tokens keep working until you retire them.',
}

export function AccountPage({ ways, sessions, timeZone }: AccountProps) {
  const { person, secondFactor } = usePage()
  const { name, email, role } = person!
  return (
    <Shell title="Your account" part={undefined} lead={`${name}, ${email}. ${roleNames[role]}.`}>
      <DoneNotice texts={doneTexts} />
      <ErrorSummary />
      <div class="columns">
        {ways.password && <PasswordCard />}
        <div class="asides">
          {ways.password && <SecondFactorCard has={secondFactor === true} />}
          {role !== 'INTERMEDIARY' && <TimeZoneCard chosen={timeZone} />}
          {role !== 'INTERMEDIARY' && <TokensCard />}
        </div>
      </div>
      <h2>Active sessions</h2>
      <Table
        caption="Active sessions"
        rows={sessions}
        empty="No active sessions."
        columns={[
          {
            head: 'Browser',
            cell: session => (
              <>
                {browserName(session.user_agent)} {session.is_current && <Badge tone="good">this session</Badge>}
              </>
            ),
          },
          { head: 'Address', cell: session => <code>{session.address ?? 'unknown'}</code> },
          { head: 'Signed in', cell: session => <When at={session.created_at} /> },
          { head: 'Last active', cell: session => <When at={session.seen_at} /> },
        ]}
      />
      <section class="card narrow">
        <ActionForm action="/admin/sign-out">
          <input type="hidden" name="everywhere" value="yes" />
          {role !== 'INTERMEDIARY' && (
            <Choices
              form={emptyForm}
              name="tokens"
              legend="Sign out on all devices"
              choices={[{ value: 'yes', text: 'Also retire all my API tokens', hint: 'Otherwise they keep working.' }]}
              chosen={[]}
              many
            />
          )}
          <Submit look="plain" text="Sign out everywhere" />
        </ActionForm>
      </section>
    </Shell>
  )
}

/** By region, the first part of a time zone's identifier: New York under America. */
const zoneChoices: readonly Choice[] = timeZones.map(value => {
  const [group, place] = value.split('/')
  return { value, text: zoneName(value), ...(place !== undefined && group !== undefined && { group }) }
})

/** The time zone of times in the console. Exports and the API keep the instance's. */
function TimeZoneCard({ chosen }: { chosen: string | null }) {
  const { config } = usePage()
  return (
    <section class="card" id="time-zone">
      <h2>Time zone</h2>
      <ActionForm action="/admin/account/time-zone">
        <SelectField
          name="time_zone"
          label="Times in the console"
          hint="Exports and the API don’t change."
          value={chosen ?? ''}
          choices={[{ value: '', text: `Default: ${zoneName(config.timeZone)}` }, ...zoneChoices]}
        />
        <Submit look="plain" text="Save" unseen=" time zone" />
      </ActionForm>
    </section>
  )
}

const TokensCard = () => (
  <section class="card">
    <h2>API tokens</h2>
    <p>Tokens let scripts and other systems use the API with your permissions.</p>
    <LinkButton href="/admin/account/tokens" text="Manage API tokens" />
  </section>
)

const PasswordCard = () => (
  <section class="card">
    <h2>Password</h2>
    <ActionForm action="/admin/account/password">
      <TextField name="current" label="Current password" type="password" autocomplete="current-password" />
      <CodeField />
      <NewPasswordFields />
      <Submit text="Change password" />
    </ActionForm>
  </section>
)

const SecondFactorCard = ({ has }: { has: boolean }) => (
  <section class="card">
    <h2>Two-factor authentication</h2>
    <p>
      {has
        ? 'On. You sign in with your password and a code from your authenticator app.'
        : 'Off. Protect your account with a code from an authenticator app in addition to your password.'}
    </p>
    <LinkButton href="/admin/account/second-factor" text={has ? 'Replace' : 'Set up'} />
  </section>
)
