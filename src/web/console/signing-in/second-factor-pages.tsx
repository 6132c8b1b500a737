// The pages of a second factor: its secret as a code to be scanned, and the recovery codes, once.

/** @jsxImportSource preact */

import { LinkButton, Notice } from '../../html/components.tsx'
import { TextField } from '../../html/fields.tsx'
import { FormPage } from '../../html/form-page.tsx'
import { usePage } from '../../html/page-context.ts'
import { CopyButton, Secret } from '../../html/secret.tsx'
import { Shell } from '../../html/shell.tsx'
import { QrCode } from '../requests/qr-code.tsx'

/** Asked for alongside a password: of those who are not signed in yet it is not known whether they have one. */
export function CodeField({ name = 'code' }: { name?: string }) {
  const { person, secondFactor } = usePage()
  if (person !== undefined && !secondFactor) return null
  return (
    <TextField
      name={name}
      label="Code"
      optional={person === undefined}
      hint={`${person === undefined ? 'If you have a second factor: six' : 'Six'} digits that your app shows, or a recovery code.`}
      autocomplete="one-time-code"
      maxLength={30}
    />
  )
}

const crumbs = [{ text: 'Your account', path: '/admin/account' }, { text: 'Second factor' }]

export function SecondFactorPage(props: { secret: string; uri: string; sealed: string; has: boolean }) {
  const { secret, uri, sealed, has } = props
  return (
    <FormPage
      title={has ? 'Set up another second factor' : 'Set up a second factor'}
      part={undefined}
      crumbs={crumbs}
      lead="Signing in with your password then also takes a code from an authenticator app on your phone."
      path="/admin/account/second-factor"
      submit="Set up the second factor"
    >
      {has && (
        <Notice name="replaces" tone="info">
          It takes the place of the one that you have, and of its recovery codes.
        </Notice>
      )}
      <p>Scan this with the app, or type the secret into it.</p>
      <QrCode text={uri} label="The secret as a QR code" />
      <Secret id="secret" label="Secret" value={secret} />
      <p>
        <a href={uri}>Open it in an app on this device</a>
      </p>
      <input type="hidden" name="sealed" value={sealed} />
      <TextField
        name="code"
        label="Code"
        hint="The six digits that the app shows now."
        inputmode="numeric"
        autocomplete="one-time-code"
        maxLength={10}
      />
    </FormPage>
  )
}

export function RecoveryCodesPage({ codes }: { codes: readonly string[] }) {
  return (
    <Shell
      title="Your recovery codes"
      part={undefined}
      crumbs={crumbs}
      lead="The second factor is set up. Everywhere else you are signed out."
    >
      <Notice name="shown-once" tone="attention">
        <strong>This is the only time they are shown.</strong> Each signs you in once in place of a code, when the phone
        is gone. Keep them apart from it, on paper or where you keep passwords.
      </Notice>
      <div class="card narrow">
        <pre class="codes" id="codes">
          {codes.join('\n')}
        </pre>
        <div class="actions">
          <CopyButton of="codes" />
          <LinkButton main href="/admin" text="Done" />
        </div>
      </div>
    </Shell>
  )
}
