// The form to invite a person, and the page with the link to pass on.

/** @jsxImportSource preact */

import { LinkButton, Notice } from '../../html/components.tsx'
import { TextField } from '../../html/fields.tsx'
import { FormPage } from '../../html/form-page.tsx'
import type { NamedProgram } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { CopyButton, Message } from '../../html/secret.tsx'
import { Shell } from '../../html/shell.tsx'
import type { Ways } from '../signing-in/sign-in-steps.ts'
import { crumb, RoleFields } from './people-pages.tsx'

export const inviteLead = (ways: Ways): string =>
  ways.password
    ? 'You’ll get a link to pass on. The person uses it to choose a password within seven days.'
    : `The person signs in with ${ways.provider} and is recognized by this email address. No password is needed.`

export const InvitePage = ({ programs, ways }: { programs: readonly NamedProgram[]; ways: Ways }) => (
  <FormPage
    title="Invite a person"
    part="people"
    crumbs={[crumb, { text: 'Invite' }]}
    lead={inviteLead(ways)}
    path="/admin/people/invite"
    submit={ways.password ? 'Create link' : 'Invite'}
  >
    <TextField name="name" label="Name" maxLength={200} />
    <TextField
      name="email"
      label="Email"
      type="email"
      hint={`${ways.password ? 'The person signs in with this address.' : `As verified by ${ways.provider}.`} You can’t change it later.`}
    />
    <RoleFields programs={programs} />
  </FormPage>
)

function messageFor(name: string, link: string, ways: Ways, installation: string): string {
  const how = ways.password
    ? `Choose your password for ${installation} at this address:\n\n${link}\n\nThe link works once, within seven days.`
    : `You can now sign in to ${installation} with ${ways.provider}:\n\n${link}`
  return `Hello ${name},\n\n${how}\n`
}

export function LinkPage({ name, link, ways }: { name: string; link: string; ways: Ways }) {
  const { config } = usePage()
  return (
    <Shell
      title={ways.password ? 'Invitation link' : `${name} can sign in`}
      part="people"
      crumbs={[crumb, { text: name }]}
    >
      {ways.password ? (
        <Notice name="shown-once" tone="attention">
          <strong>The link is shown only this once.</strong> Send it to {name} over a secure channel. It works once,
          within seven days. If it’s lost, create a new one.
        </Notice>
      ) : (
        <Notice name="by-provider" tone="good">
          Send {name} this address. They sign in with {ways.provider} and are recognized by their email address.
        </Notice>
      )}
      <div class="card">
        <p class="copied">
          <code id="link">{link}</code>
          <CopyButton of="link" />
        </p>
      </div>
      <Message>{messageFor(name, link, ways, config.installationName || 'Tributary')}</Message>
      <p>
        <LinkButton main href="/admin/people" text={ways.password ? 'I’ve copied it' : 'Done'} />
      </p>
    </Shell>
  )
}
