// The pages of the Intermediaries panel.

/** @jsxImportSource preact */

import type { IntermediaryRow, OrganizationRow } from '../../../db/people/intermediary-rows.ts'
import { Badge, DoneNotice, figures, LinkButton, Notice, Table } from '../../html/components.tsx'
import { ActionForm, ErrorSummary, Submit, TextField } from '../../html/fields.tsx'
import { FormPage } from '../../html/form-page.tsx'
import { isPart, Pages, SearchForm } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'

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
      lead="Organizations whose people submit on behalf of applicants."
      actions={
        person?.role === 'ADMINISTRATOR' && (
          <LinkButton main href={`${path}/new`} icon="plus" text="Add an organization" />
        )
      }
    >
      {checked ? (
        <Notice name="checked" tone="info">
          Only the people listed here may submit as intermediaries.
        </Notice>
      ) : (
        <Notice name="unchecked" tone="attention">
          <strong>Submissions are not checked against this list.</strong> Any e-mail and organization is taken. The
          setting <code>INTERMEDIARIES=listed</code> changes that.
        </Notice>
      )}
      <SearchForm path={path} label="Find an organization" hint="Name" />
      <Table
        caption="Organizations"
        rows={items}
        empty={isPart(query) ? 'No organization here matches. Try another word.' : 'No organization is listed yet.'}
        columns={[
          {
            head: 'Organization',
            cell: one => (
              <a class="strong" dir="auto" href={`${path}/${one.organization_id}`}>
                {one.name}
              </a>
            ),
          },
          { head: 'People', cell: one => figures(one.people), figures: true },
          { head: 'State', cell: one => <State disabled={one.disabled_at !== null} /> },
        ]}
      />
      <Pages path={path} next={next} what="organizations" />
    </Shell>
  )
}

const State = ({ disabled }: { disabled: boolean }) =>
  disabled ? <Badge tone="bad">disabled</Badge> : <Badge tone="good">active</Badge>

const crumb = { text: 'Intermediaries', path }
const nameHint = 'As exports will show it. Case and spacing make no difference when a submission names it.'

export const NewOrganizationPage = () => (
  <FormPage
    title="Add an organization"
    part="intermediaries"
    crumbs={[crumb, { text: 'Add' }]}
    path={`${path}/new`}
    submit="Add the organization"
  >
    <TextField name="name" label="Name" hint={nameHint} maxLength={200} />
  </FormPage>
)

const doneTexts: Readonly<Record<string, string>> = {
  added: 'Added. Now add its people.',
  renamed: 'Renamed. It holds from the next submission; what was submitted before keeps the name of then.',
  disabled: 'Disabled. No one of this organization is listed any more.',
  enabled: 'Enabled, with the people it had.',
  'person-added': 'Added.',
  'person-disabled': 'Disabled.',
  'person-enabled': 'Enabled.',
}

interface OrganizationProps {
  organization: OrganizationRow
  people: { items: readonly IntermediaryRow[]; next: string | null }
}

export function OrganizationPage({ organization, people }: OrganizationProps) {
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
        empty={mayChange ? 'No people are listed yet. Add the first e-mail below.' : 'No people are listed yet.'}
        columns={[
          { head: 'E-mail', cell: one => one.email },
          { head: 'State', cell: one => <State disabled={one.disabled_at !== null} /> },
          ...(mayChange ? [{ head: 'Change', cell: (one: IntermediaryRow) => <Turn path={at} person={one} /> }] : []),
        ]}
      />
      <Pages path={at} next={people.next} what="people" />
      {mayChange && (
        <div class="columns">
          <div class="card">
            <h2>Add a person</h2>
            <ActionForm action={`${at}/people`}>
              <TextField name="email" label="E-mail" type="email" hint="As submissions will name it." />
              <Submit text="Add" />
            </ActionForm>
          </div>
          <div class="card">
            <h2>The organization</h2>
            <ActionForm action={at}>
              <TextField name="name" label="Name" hint={nameHint} value={organization.name} maxLength={200} />
              <Submit look="plain" text="Rename" />
            </ActionForm>
            {disabled ? (
              <ActionForm action={`${at}/enable`}>
                <p>Enabling lists the organization again, with the people it had.</p>
                <Submit look="plain" text={`Enable ${organization.name}`} />
              </ActionForm>
            ) : (
              <ActionForm action={`${at}/disable`}>
                <p>
                  Disabling takes all its people off the list immediately. It can be undone; what was submitted stays.
                </p>
                <Submit look="danger" text={`Disable ${organization.name}`} />
              </ActionForm>
            )}
          </div>
        </div>
      )}
    </Shell>
  )
}

function Turn({ path, person }: { path: string; person: IntermediaryRow }) {
  const action = person.disabled_at === null ? 'disable' : 'enable'
  return (
    <ActionForm action={`${path}/people/${person.intermediary_id}/${action}`}>
      <Submit look="plain" text={action === 'disable' ? 'Disable' : 'Enable'} unseen={` ${person.email}`} />
    </ActionForm>
  )
}
