// The pages that lead to an application: the choice of a program, and the list with its filters.

/** @jsxImportSource preact */

import type { ListedApplication, ProgramWithSubmissions } from '../../db/applications/application-lists.ts'
import type { Program } from '../../db/programs/programs.ts'
import { FaultSummary, SelectField, Submit, TextField } from '../../html/fields.tsx'
import { Pages } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { Badge, figures, LinkButton, Named, Table, When } from '../../html/parts.tsx'
import { Shell } from '../../html/shell.tsx'
import { applicationsPath, type ListPage, listSearch, statusValue } from './list-query.ts'

interface ChoiceProps {
  programs: readonly ProgramWithSubmissions[]
  next: string | null
}

export function ProgramChoicePage({ programs, next }: ChoiceProps) {
  const { root, person } = usePage()
  return (
    <Shell
      title="Applications"
      part="applications"
      lead="What applicants submitted, program by program. Choose one to look through its applications."
    >
      <Table
        caption="Programs"
        rows={programs}
        empty={
          person?.role === 'PROGRAM_ADMINISTRATOR'
            ? 'You have no program yet. An administrator gives you programs on your page under People.'
            : 'There is no program yet. When one is published, its applications are found here.'
        }
        columns={[
          {
            head: 'Program',
            cell: ({ slug, display_name }) => (
              <Named href={root + applicationsPath(slug)} name={display_name} small={<code>{slug}</code>} />
            ),
          },
          { head: 'Submitted so far', figures: true, cell: ({ submissions }) => figures(submissions) },
        ]}
      />
      <Pages path="/admin/applications" next={next} what="programs" />
    </Shell>
  )
}

export function ApplicationsPage({ program, applications, older, newer }: ListPage & { program: Program }) {
  const { root, form: query } = usePage()
  const path = root + applicationsPath(program.slug)
  const search = listSearch(query.values)
  const filtered = query.values.size > 0
  return (
    <Shell
      title={`Applications to ${program.display_name}`}
      heading={program.display_name}
      part="applications"
      crumbs={[{ text: 'Applications', path: '/admin/applications' }, { text: program.display_name }]}
      lead="Newest first. Each submission is an application of its own; one that was submitted again is obsolete."
    >
      <Filters path={path} program={program} />
      {query.faults.length === 0 && (
        <Table<ListedApplication>
          caption="Applications, newest first"
          rows={applications}
          empty={
            filtered ? (
              <>
                No application is like that. <a href={path}>Show all of them</a>
              </>
            ) : (
              'Nobody has applied yet. Each application is found here as soon as it is submitted.'
            )
          }
          columns={[
            {
              head: 'Application',
              cell: ({ application_id }) => (
                <a class="strong figure" href={`${path}/${application_id}${search}`}>
                  {application_id}
                </a>
              ),
            },
            { head: 'Submitted', cell: ({ submit_time }) => <When at={submit_time} /> },
            {
              head: 'Applicant',
              cell: ({ applicant_id }) => (
                <a class="figure" href={`${path}?applicant=${applicant_id}`}>
                  {applicant_id}
                </a>
              ),
            },
            { head: 'Revision', cell: ({ is_current }) => <RevisionBadge isCurrent={is_current} /> },
            {
              head: 'Status',
              cell: ({ status, status_last_modified_time, has_note }) => (
                <>
                  {status ?? <span class="soft">none</span>}
                  {has_note && <span class="soft"> · has a note</span>}
                  {status_last_modified_time !== null && (
                    <small>
                      since <When at={status_last_modified_time} />
                    </small>
                  )}
                </>
              ),
            },
          ]}
        />
      )}
      {(newer || older) && applications.length > 0 && (
        <nav class="pages" aria-label="Pages">
          {newer && (
            <>
              <LinkButton href={path + search} text="Newest" />
              <LinkButton
                rel="prev"
                href={path + listSearch(query.values, 'newer', applications[0])}
                icon="chevron-left"
                text="Newer"
              />
            </>
          )}
          {older && (
            <LinkButton
              rel="next"
              href={path + listSearch(query.values, 'older', applications.at(-1))}
              icon="chevron-right"
              text="Older"
            />
          )}
        </nav>
      )}
    </Shell>
  )
}

export const RevisionBadge = ({ isCurrent }: { isCurrent: boolean }) =>
  isCurrent ? <Badge tone="good">current</Badge> : <Badge>obsolete</Badge>

function Filters({ path, program }: { path: string; program: Program }) {
  const query = usePage().form
  const sought = query.values.get('status')
  // A status that the program no longer offers is still what some applications have.
  const statuses = [...program.statuses]
  if (sought?.startsWith('is:') && !statuses.includes(sought.slice(3))) statuses.push(sought.slice(3))
  const dateType = (name: string) =>
    query.faults.some(({ parameter }) => parameter === name) ? ('text' as const) : ('date' as const)
  return (
    <search>
      <FaultSummary title="The list needs another look at its filters" />
      <form class="sieve card" method="get" action={path} noValidate>
        <TextField name="from" label="Submitted on or after" type={dateType('from')} />
        <TextField name="to" label="Submitted before" type={dateType('to')} />
        <SelectField
          name="status"
          label="Status"
          choices={[
            { value: '', text: 'Any' },
            { value: statusValue(null), text: 'None yet' },
            ...statuses.map(status => ({ value: statusValue(status), text: status })),
          ]}
        />
        <SelectField
          name="revision"
          label="Revision"
          choices={[
            { value: '', text: 'Any' },
            { value: 'CURRENT', text: 'Current' },
            { value: 'OBSOLETE', text: 'Obsolete' },
          ]}
        />
        <TextField name="applicant" label="Applicant" inputmode="numeric" />
        <TextField name="application" label="Application" inputmode="numeric" />
        <div class="actions">
          <Submit icon="search" text="Show" />
          {query.values.size > 0 && <LinkButton href={path} text="Clear" />}
        </div>
      </form>
    </search>
  )
}
