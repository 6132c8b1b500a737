// Inviting a person to the console, and the link to pass on.

/** @jsxImportSource preact */

import { LinkButton, Notice } from '../../html/components.tsx'
import { TextField } from '../../html/fields.tsx'
import { FormPage } from '../../html/form-page.tsx'
import type { NamedProgram } from '../../html/lists.tsx'
import { CopyButton } from '../../html/secret.tsx'
import { Shell } from '../../html/shell.tsx'
import type { Ways } from '../signing-in/sign-in-steps.ts'
import { crumb, RoleFields } from './people-pages.tsx'

export const InvitePage = ({ programs, ways }: { programs: readonly NamedProgram[]; ways: Ways }) => (
  <FormPage
    title="Invite a person"
    part="people"
    crumbs={[crumb, { text: 'Invite' }]}
    lead={
      ways.password
        ? 'You get a link to pass on. With it the person chooses a password; it is good for seven days.'
        : `The person signs in with ${ways.provider}, and is recognized by this e-mail. There is no password.`
    }
    path="/admin/people/invite"
    submit={ways.password ? 'Create the link' : 'Invite'}
  >
    <TextField name="name" label="Name" maxLength={200} />
    <TextField
      name="email"
      label="E-mail"
      type="email"
      hint={`${ways.password ? 'What the person signs in with.' : `As ${ways.provider} has verified it.`} It cannot be changed later.`}
    />
    <RoleFields programs={programs} />
  </FormPage>
)

export function LinkPage({ name, link, ways }: { name: string; link: string; ways: Ways }) {
  return (
    <Shell
      title={ways.password ? 'The link is ready' : `${name} can sign in`}
      part="people"
      crumbs={[crumb, { text: name }]}
    >
      {ways.password ? (
        <Notice name="shown-once" tone="attention">
          <strong>This is the only time the link is shown.</strong> Give it to {name} in a way you trust. It works once,
          within seven days. If it is lost, create another.
        </Notice>
      ) : (
        <Notice name="by-provider" tone="good">
          Send {name} the address: they sign in with {ways.provider}, and are recognized there by their e-mail.
        </Notice>
      )}
      <div class="card">
        <p class="copied">
          <code id="link">{link}</code>
          <CopyButton of="link" />
        </p>
      </div>
      <p>
        <LinkButton main href="/admin/people" text={ways.password ? 'Done, hide it for good' : 'Done'} />
      </p>
    </Shell>
  )
}
