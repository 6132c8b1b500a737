// Inviting somebody to the console, and the link that is passed on.

/** @jsxImportSource preact */

import { DeedForm, FaultSummary, Submit, TextField } from '../../shell/fields.tsx'
import type { PageContext } from '../../shell/page-context.ts'
import { LinkButton, Notice } from '../../shell/parts.tsx'
import { CopyButton } from '../../shell/secret.tsx'
import { Shell } from '../../shell/shell.tsx'
import type { Ways } from '../signing-in/sign-in-steps.ts'
import { crumb, type EditProps, RoleFields } from './people-pages.tsx'

export function InvitePage({ context, form, programs, ways }: EditProps & { ways: Ways }) {
  return (
    <Shell
      faulty={form.faults.length > 0}
      context={context}
      title="Invite somebody"
      part="people"
      crumbs={[crumb, { text: 'Invite' }]}
      lead={
        ways.password
          ? 'You get a link to pass on. With it the person chooses a password; it is good for seven days.'
          : `The person signs in with ${ways.provider}, and is recognised by this e-mail. There is no password.`
      }
    >
      <FaultSummary form={form} />
      <div class="card narrow">
        <DeedForm action={`${context.root}/admin/people/invite`}>
          <TextField form={form} name="name" label="Name" maxLength={200} />
          <TextField
            form={form}
            name="email"
            label="E-mail"
            type="email"
            hint={`${ways.password ? 'What the person signs in with.' : `As ${ways.provider} has verified it.`} It cannot be changed later.`}
          />
          <RoleFields context={context} form={form} programs={programs} />
          <Submit text={ways.password ? 'Make the link' : 'Invite'} />
        </DeedForm>
      </div>
    </Shell>
  )
}

export function LinkPage(props: { context: PageContext; name: string; link: string; ways: Ways }) {
  const { context, name, link, ways } = props
  return (
    <Shell
      context={context}
      title={ways.password ? 'The link is ready' : `${name} can sign in`}
      part="people"
      crumbs={[crumb, { text: name }]}
    >
      {ways.password ? (
        <Notice tone="attention">
          <strong>This is the only time the link is shown.</strong> Pass it to {name} on a way you trust. It is good for
          seven days, and once. If it is lost, make another.
        </Notice>
      ) : (
        <Notice tone="good">
          Tell {name} where: they sign in with {ways.provider}, and are recognised there by their e-mail.
        </Notice>
      )}
      <div class="card">
        <p class="copied">
          <code id="link">{link}</code>
          <CopyButton of="link" />
        </p>
      </div>
      <p>
        <LinkButton
          main
          href={`${context.root}/admin/people`}
          text={ways.password ? 'Done, hide it for good' : 'Done'}
        />
      </p>
    </Shell>
  )
}
