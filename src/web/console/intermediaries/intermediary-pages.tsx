// Pages about intermediary organizations and their people.

/** @jsxImportSource preact */

import type { IntermediaryRow, OrganizationRow } from '../../../db/people/intermediary-rows.ts'
import { Badge, type Column, counted, DoneNotice, figures, LinkButton, Notice, Table } from '../../html/components.tsx'
import { ActionForm, ErrorSummary, Submit, TextField } from '../../html/fields.tsx'
import { FormPage } from '../../html/form-page.tsx'
import { isPart, Pages, SearchForm } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import { inviteLead } from '../people/invite-pages.tsx'
import type { Ways } from '../signing-in/sign-in-steps.ts'

interface OrganizationsProps {
  items: readonly OrganizationRow[]
  next: string | null
  /** Whether submissions are checked against this list. */
  checked: boolean
}

const path = '/admin/intermediaries'

export function OrganizationsPage({ items, next, checked }: OrganizationsProps) {
  const { person, query } = usePage()
  return (
    <Shell
      title="Intermediaries"
      part="intermediaries"
      lead="Organizations whose people submit applications for others."
      actions={
        person?.role === 'ADMINISTRATOR' && <LinkButton main href={`${path}/new`} icon="plus" text="Add organization" />
      }
    >
      {checked ? (
        <Notice name="checked" tone="info">
          Only the people listed here can submit as intermediaries.
        </Notice>
      ) : (
        <Notice name="unchecked" tone="attention">
          <strong>Submissions aren’t checked against this list.</strong> All email addresses and organizations are
          accepted. To change that, set <code>INTERMEDIARIES=listed</code>.
        </Notice>
      )}
      <SearchForm path={path} label="Find an organization" hint="Name" />
      <Table
        caption="Organizations"
        rows={items}
        empty={
          isPart(query)
            ? 'No organizations match. Change the search.'
            : 'No organizations yet. Add the first one to list its people.'
        }
        columns={[
          {
            head: 'Organization',
            cell: ({ organization_id: id, name }) => (
              <a class="strong" dir="auto" href={`${path}/${id}`}>
                {name}
              </a>
            ),
          },
          { head: 'People', cell: ({ people }) => figures(people), figures: true },
          { head: 'Status', cell: ({ disabled_at }) => <State disabled={disabled_at !== null} /> },
        ]}
      />
      <Pages path={path} next={next} what="organizations" />
    </Shell>
  )
}

const State = ({ disabled }: { disabled: boolean }) =>
  disabled ? <Badge tone="bad">disabled</Badge> : <Badge tone="good">active</Badge>

const crumb = { text: 'Intermediaries', path }
const nameHint = 'Shown in exports. Submissions may differ in case and spacing.'

export const NewOrganizationPage = () => (
  <FormPage
    title="Add an organization"
    part="intermediaries"
    crumbs={[crumb, { text: 'Add' }]}
    path={`${path}/new`}
    submit="Add organization"
  >
    <TextField name="name" label="Name" hint={nameHint} maxLength={200} />
  </FormPage>
)

interface InviteProps {
  organization: OrganizationRow
  person: IntermediaryRow
  ways: Ways
}

export const InviteIntermediaryPage = ({ organization, person, ways }: InviteProps) => (
  <FormPage
    title={`Invite ${person.email}`}
    part="intermediaries"
    crumbs={[crumb, { text: organization.name, path: `${path}/${organization.organization_id}` }, { text: 'Invite' }]}
    lead={inviteLead(ways)}
    path={`${path}/${organization.organization_id}/people/${person.intermediary_id}/invite`}
    submit={ways.password ? 'Create link' : 'Invite'}
  >
    <p>
      This person can see and apply for the clients of <bdi>{organization.name}</bdi>, and has no other access.
    </p>
    <TextField name="name" label="Name" maxLength={200} />
  </FormPage>
)

interface RevokeProps {
  organization: OrganizationRow
  /** One person of the organization, or all of them. */
  person?: IntermediaryRow
}

export function RevokeCodesPage({ organization, person }: RevokeProps) {
  const { name, organization_id } = organization
  const at = `${path}/${organization_id}`
  const { codes } = person ?? organization
  return (
    <FormPage
      title={`Revoke ${counted(codes, 'client code')} seen by ${person?.email ?? name}`}
      part="intermediaries"
      crumbs={[crumb, { text: name, path: at }, { text: 'Revoke codes' }]}
      path={`${at}${person === undefined ? '' : `/people/${person.intermediary_id}`}/revoke-codes`}
      submit={codes === 0 ? undefined : 'Revoke codes'}
      look="danger"
    >
      <p>
        These clients can no longer return with their code. They get a new one from their organization, or from you on
        the page of their application. Saved answers and applications are kept.
      </p>
    </FormPage>
  )
}

const doneTexts: Readonly<Record<string, string>> = {
  added: 'Organization added. Now add its people.',
  renamed: 'Organization renamed. New submissions use the new name; earlier ones keep the old name.',
  disabled:
    'Organization disabled. Its people have been signed out and can no longer submit. Client codes they have seen work until you revoke them.',
  enabled: 'Organization enabled. Its people can submit again.',
  'person-added': 'Person added. They can submit now.',
  'person-disabled':
    'Person disabled. They have been signed out and can no longer submit. Client codes they have seen work until you revoke them.',
  'person-enabled': 'Person enabled. They can submit again.',
  'codes-revoked': 'Codes revoked. These clients need a new code.',
}

interface OrganizationProps {
  organization: OrganizationRow
  people: { items: readonly IntermediaryRow[]; next: string | null }
  /** Whether people apply in browsers here. */
  apply: boolean
}

export function OrganizationPage({ organization, people, apply }: OrganizationProps) {
  const { person } = usePage()
  const at = `${path}/${organization.organization_id}`
  const mayChange = person?.role === 'ADMINISTRATOR'
  const disabled = organization.disabled_at !== null
  return (
    <Shell
      title={`${organization.name} · Intermediaries`}
      heading={organization.name}
      part="intermediaries"
      crumbs={[crumb, { text: organization.name }]}
      lead={<State disabled={disabled} />}
    >
      <DoneNotice texts={doneTexts} />
      <ErrorSummary />
      <Table
        caption="People"
        rows={people.items}
        empty={mayChange ? 'No people yet. Add the first one below.' : 'No people yet.'}
        columns={personColumns(mayChange ? at : undefined, apply && !disabled)}
      />
      <Pages path={at} next={people.next} what="people" />
      {mayChange && (
        <div class="columns">
          <div class="card">
            <h2>Add a person</h2>
            <ActionForm action={`${at}/people`}>
              <TextField name="email" label="Email" type="email" hint="The address given in submissions." />
              <Submit text="Add" />
            </ActionForm>
          </div>
          <div class="card">
            <h2>Organization</h2>
            <ActionForm action={at}>
              <TextField name="name" label="Name" hint={nameHint} value={organization.name} maxLength={200} />
              <Submit look="plain" text="Rename" />
            </ActionForm>
            {disabled ? (
              <ActionForm action={`${at}/enable`}>
                <p>Enabling lets its people submit again.</p>
                <Submit look="plain" text={`Enable ${organization.name}`} />
              </ActionForm>
            ) : (
              <ActionForm action={`${at}/disable`}>
                <p>
                  Disabling stops submissions from all its people immediately. Earlier submissions are kept. You can
                  enable it again later.
                </p>
                <Submit look="danger" text={`Disable ${organization.name}`} />
              </ActionForm>
            )}
            {organization.codes > 0 && (
              <LinkButton href={`${at}/revoke-codes`} text={`Revoke ${counted(organization.codes, 'client code')}…`} />
            )}
          </div>
        </div>
      )}
    </Shell>
  )
}

const personColumns = (changeAt: string | undefined, invites: boolean): Column<IntermediaryRow>[] => [
  { head: 'Email', cell: ({ email }) => email },
  {
    head: 'Sign-in',
    cell: ({ email, intermediary_id, disabled_at, person_id }) =>
      person_id !== null ? (
        <a href={`/admin/people/${person_id}`}>
          Invited<span class="unseen"> {email}</span>
        </a>
      ) : invites && changeAt !== undefined && disabled_at === null ? (
        <a href={`${changeAt}/people/${intermediary_id}/invite`}>
          Invite<span class="unseen"> {email}</span>
        </a>
      ) : (
        '–'
      ),
  },
  {
    head: 'Codes seen',
    figures: true,
    cell: ({ email, intermediary_id, codes }) =>
      codes === 0 || changeAt === undefined ? (
        figures(codes)
      ) : (
        <>
          {figures(codes)}{' '}
          <a href={`${changeAt}/people/${intermediary_id}/revoke-codes`}>
            Revoke<span class="unseen"> {email}</span>
          </a>
        </>
      ),
  },
  { head: 'Status', cell: ({ disabled_at }) => <State disabled={disabled_at !== null} /> },
  ...(changeAt === undefined
    ? []
    : [{ head: 'Change', cell: (person: IntermediaryRow) => <Turn path={changeAt} person={person} /> }]),
]

function Turn({ path, person }: { path: string; person: IntermediaryRow }) {
  const action = person.disabled_at === null ? 'disable' : 'enable'
  return (
    <ActionForm action={`${path}/people/${person.intermediary_id}/${action}`}>
      <Submit look="plain" text={action === 'disable' ? 'Disable' : 'Enable'} unseen={` ${person.email}`} />
    </ActionForm>
  )
}
