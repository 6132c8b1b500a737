// The pages of the Intermediaries panel.

/** @jsxImportSource preact */

import type { IntermediaryRow, OrganizationRow } from '../../../db/intermediary-rows.ts'
import { DeedForm, FaultSummary, type FormState, Submit, TextField } from '../../shell/fields.tsx'
import type { PageContext } from '../../shell/page-context.ts'
import { Badge, DoneNotice, figures, LinkButton, Notice, Table } from '../../shell/parts.tsx'
import { Shell } from '../../shell/shell.tsx'
import { Pages, SearchForm } from '../programs/programs-pages.tsx'

interface OrganizationsProps {
  context: PageContext
  organizations: readonly OrganizationRow[]
  search: string
  after: string
  next: string | null
  /** Whether submissions are checked against what stands here. */
  checked: boolean
}

export function OrganizationsPage({ context, organizations, search, after, next, checked }: OrganizationsProps) {
  const path = `${context.root}/admin/intermediaries`
  return (
    <Shell
      context={context}
      title="Intermediaries"
      part="intermediaries"
      lead="Organizations whose people submit on behalf of applicants."
      deeds={
        context.person?.role === 'ADMINISTRATOR' && (
          <LinkButton main href={`${path}/new`} icon="plus" text="Add an organization" />
        )
      }
    >
      {checked ? (
        <Notice tone="info">
          Submissions by intermediaries are taken from the people listed here, and from nobody else.
        </Notice>
      ) : (
        <Notice tone="attention">
          <strong>Submissions are not checked against this list.</strong> Any e-mail and organization is taken. The
          setting <code>INTERMEDIARIES=listed</code> changes that.
        </Notice>
      )}
      <SearchForm path={path} search={search} label="Find an organization" hint="Name" />
      <Table
        caption="Organizations"
        rows={organizations}
        empty={
          search !== '' || after !== ''
            ? 'No organization here matches. Try another word.'
            : 'No organization is listed yet.'
        }
        columns={[
          {
            head: 'Organization',
            cell: one => (
              <a class="strong" href={`${path}/${one.organization_id}`}>
                {one.name}
              </a>
            ),
          },
          { head: 'People', cell: one => figures(one.people), figures: true },
          { head: 'State', cell: one => <State disabled={one.disabled_at !== null} /> },
        ]}
      />
      <Pages path={path} search={search} after={after} next={next} what="organizations" />
    </Shell>
  )
}

const State = ({ disabled }: { disabled: boolean }) =>
  disabled ? <Badge tone="bad">disabled</Badge> : <Badge tone="good">active</Badge>

const crumb = { text: 'Intermediaries', path: '/admin/intermediaries' }
const nameHint = 'As exports will show it. Case and spacing make no difference when a submission names it.'

export function NewOrganizationPage({ context, form }: { context: PageContext; form: FormState }) {
  return (
    <Shell
      faulty={form.faults.length > 0}
      context={context}
      title="Add an organization"
      part="intermediaries"
      crumbs={[crumb, { text: 'Add' }]}
    >
      <FaultSummary form={form} />
      <div class="card narrow">
        <DeedForm action={`${context.root}/admin/intermediaries/new`}>
          <TextField form={form} name="name" label="Name" hint={nameHint} maxLength={200} />
          <Submit text="Add the organization" />
        </DeedForm>
      </div>
    </Shell>
  )
}

const said: Readonly<Record<string, string>> = {
  added: 'Added. Now add its people.',
  renamed: 'Renamed. It holds from the next submission; what was submitted before keeps the name of then.',
  disabled: 'Disabled. Nobody of this organization is listed any more.',
  enabled: 'Enabled, with the people it had.',
  'person-added': 'Added.',
  'person-disabled': 'Disabled.',
  'person-enabled': 'Enabled.',
}

interface OrganizationProps {
  context: PageContext
  form: FormState
  organization: OrganizationRow
  people: readonly IntermediaryRow[]
  after: string
  next: string | null
  done: string | null
  mayChange: boolean
}

export function OrganizationPage(props: OrganizationProps) {
  const { context, form, organization, people, done, mayChange } = props
  const path = `${context.root}/admin/intermediaries/${organization.organization_id}`
  const disabled = organization.disabled_at !== null
  return (
    <Shell
      faulty={form.faults.length > 0}
      context={context}
      title={organization.name}
      part="intermediaries"
      crumbs={[crumb, { text: organization.name }]}
      lead={<State disabled={disabled} />}
    >
      {form.faults.length === 0 && <DoneNotice said={said} done={done} />}
      <FaultSummary form={form} />
      <Table
        caption="People"
        rows={people}
        empty={mayChange ? 'Nobody is listed yet. Add the first e-mail below.' : 'Nobody is listed yet.'}
        columns={[
          { head: 'E-mail', cell: one => one.email },
          { head: 'State', cell: one => <State disabled={one.disabled_at !== null} /> },
          ...(mayChange ? [{ head: 'Change', cell: (one: IntermediaryRow) => <Turn path={path} person={one} /> }] : []),
        ]}
      />
      <Pages path={path} after={props.after} next={props.next} what="people" />
      {mayChange && (
        <div class="columns">
          <div class="card">
            <h2>Add a person</h2>
            <DeedForm action={`${path}/people`}>
              <TextField form={form} name="email" label="E-mail" type="email" hint="As submissions will name it." />
              <Submit text="Add" />
            </DeedForm>
          </div>
          <div class="card">
            <h2>The organization</h2>
            <DeedForm action={path}>
              <TextField
                form={form}
                name="name"
                label="Name"
                hint={nameHint}
                value={organization.name}
                maxLength={200}
              />
              <Submit look="plain" text="Rename" />
            </DeedForm>
            {disabled ? (
              <DeedForm action={`${path}/enable`}>
                <p>Enabling lists the organization again, with the people it had.</p>
                <Submit look="plain" text={`Enable ${organization.name}`} />
              </DeedForm>
            ) : (
              <DeedForm action={`${path}/disable`}>
                <p>Disabling takes all its people off the list at once. It can be undone; what was submitted stays.</p>
                <Submit look="danger" text={`Disable ${organization.name}`} />
              </DeedForm>
            )}
          </div>
        </div>
      )}
    </Shell>
  )
}

function Turn({ path, person }: { path: string; person: IntermediaryRow }) {
  const deed = person.disabled_at === null ? 'disable' : 'enable'
  return (
    <DeedForm action={`${path}/people/${person.intermediary_id}/${deed}`}>
      <Submit look="plain" text={deed === 'disable' ? 'Disable' : 'Enable'} unseen={` ${person.email}`} />
    </DeedForm>
  )
}
