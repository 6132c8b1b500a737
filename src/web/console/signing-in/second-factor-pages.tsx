// Pages to set up two-factor authentication: the QR code, and the recovery codes, shown once.

/** @jsxImportSource preact */

import { LinkButton, Notice } from '../../html/components.tsx'
import { TextField } from '../../html/fields.tsx'
import { FormPage } from '../../html/form-page.tsx'
import { usePage } from '../../html/page-context.ts'
import { CopyButton, Secret } from '../../html/secret.tsx'
import { Shell } from '../../html/shell.tsx'
import { QrCode } from '../requests/qr-code.tsx'

/** Shown next to a password. Before sign-in it is unknown whether the person uses two-factor authentication. */
export function CodeField({ name = 'code' }: { name?: string }) {
  const { person, secondFactor } = usePage()
  if (person !== undefined && !secondFactor) return null
  return (
    <TextField
      name={name}
      label="Code"
      optional={person === undefined}
      hint={`${person === undefined ? 'If you use two-factor authentication: the' : 'The'} six digits from your app, or a recovery code.`}
      autocomplete="one-time-code"
      maxLength={30}
    />
  )
}

const crumbs = [{ text: 'Your account', path: '/admin/account' }, { text: 'Two-factor authentication' }]

export function SecondFactorPage(props: { secret: string; uri: string; sealed: string; has: boolean }) {
  const { secret, uri, sealed, has } = props
  return (
    <FormPage
      title={has ? 'Replace two-factor authentication' : 'Set up two-factor authentication'}
      part={undefined}
      crumbs={crumbs}
      lead="You’ll need a code from an authenticator app on your phone whenever you sign in with your password."
      path="/admin/account/second-factor"
      submit="Turn on"
    >
      {has && (
        <Notice name="replaces" tone="info">
          This replaces your current authenticator app and recovery codes.
        </Notice>
      )}
      <p>Scan this code with your authenticator app, or enter the secret there.</p>
      <QrCode text={uri} label="QR code with the secret" />
      <Secret id="secret" label="Secret" value={secret} />
      <p>
        <a href={uri}>Open in an app on this device</a>
      </p>
      <input type="hidden" name="sealed" value={sealed} />
      <TextField
        name="code"
        label="Code"
        hint="The six digits your app shows now."
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
      styles={['/assets/docs.css']}
      crumbs={crumbs}
      lead="Two-factor authentication is on. You’ve been signed out on all other devices."
    >
      <Notice name="shown-once" tone="attention">
        <strong>The codes are shown only this once.</strong> Use each code once if you lose your phone. Keep them on
        paper or in a password manager, away from the phone.
      </Notice>
      <div class="card narrow">
        <pre class="codes" id="codes">
          {codes.join('\n')}
        </pre>
        <div class="actions">
          <CopyButton of="codes" />
          <LinkButton
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join('\r\n')}\r\n`)}`}
            download="recovery-codes.txt"
            icon="download"
            text="Download"
          />
          <button type="button" class="plain" data-print hidden>
            Print
          </button>
          <LinkButton main href="/admin" text="Done" />
        </div>
      </div>
    </Shell>
  )
}
