// The pages that lead to an application: the choice of a program, and the list with its filters.

/** @jsxImportSource preact */

import type { ListedApplication, ProgramWithSubmissions } from '../../../db/applications/application-lists.ts'
import type { ClientSent } from '../../../db/audit/disclosures.ts'
import type { Program } from '../../../db/programs/programs.ts'
import { Badge, type Column, DoneNotice, figures, LinkButton, Named, Table, When } from '../../html/components.tsx'
import { ErrorSummary, SelectField, Submit, TextField } from '../../html/fields.tsx'
import { FilterBar, IntakeBadge, Pages } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import {
  applicationsPath,
  changedMax,
  countedMax,
  type FoundApplicant,
  type filterNames,
  type ListPage,
  listSearch,
  statusValue,
} from './list-query.ts'

interface ChoiceProps {
  programs: readonly ProgramWithSubmissions[]
  next: string | null
}

export function ProgramChoicePage({ programs, next }: ChoiceProps) {
  const { person } = usePage()
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
            cell: ({ slug, display_name, intake_state }) => (
              <>
                <Named href={applicationsPath(slug)} name={display_name} small={<code>{slug}</code>} />
                <IntakeBadge state={intake_state} />
              </>
            ),
          },
          { head: 'Submitted so far', figures: true, cell: ({ submissions }) => figures(submissions) },
        ]}
      />
      <Pages path="/admin/applications" next={next} what="programs" />
    </Shell>
  )
}

/** The clients that were sent each application, those that were last first. */
export interface SentTo {
  clientsOf: ReadonlyMap<number, readonly (ClientSent & { name: string })[]>
  /** Whether part of the audit log is in files, which are not searched. */
  isPruned: boolean
}

/** A page of a list with what surrounds it. */
export interface Listing extends ListPage {
  /** How many applications the program has. */
  total: number
  /** How many the filters find, counted up to `countedMax`; undefined without filters. */
  found: number | undefined
  /** Whose each is; undefined for those who may not read answers. */
  who: ReadonlyMap<number, FoundApplicant> | undefined
  sentTo: SentTo
}

export function ApplicationsPage({ program, ...listing }: Listing & { program: Program }) {
  const { form: query, origin } = usePage()
  const { applications, total, found, who, sentTo } = listing
  const path = applicationsPath(program.slug)
  const search = listSearch(query.values)
  const list = (
    <Table<ListedApplication>
      caption="Applications, newest first"
      rows={applications}
      empty={
        query.values.size > 0 ? (
          <>
            No application is like that. <a href={path}>Show all of them</a>
          </>
        ) : (
          'No one has applied yet. Each application is found here as soon as it is submitted.'
        )
      }
      columns={[
        ...(mayAnnotate(listing, origin) ? [tickColumn] : []),
        ...columns(path, search, who),
        sentColumn(sentTo),
      ]}
    />
  )
  return (
    <Shell
      title={`Applications to ${program.display_name}`}
      heading={
        <>
          {program.display_name}{' '}
          <span class="soft figure">{(found === undefined ? '' : `${counted(found)} of `) + figures(total)}</span>
        </>
      }
      part="applications"
      crumbs={[{ text: 'Applications', path: '/admin/applications' }, { text: program.display_name }]}
      lead="Newest first, and of a search applicants’ own names first. Each submission is an application of its own; one that was submitted again is obsolete."
      actions={
        who !== undefined &&
        applications.length > 0 && (
          <LinkButton href={`${path}/download${search}`} text={`Download CSV (${counted(found ?? total)})`} />
        )
      }
    >
      <DoneNotice texts={doneTexts} />
      <ErrorSummary title="The list needs another look at its filters" />
      <Filters path={path} program={program} searches={who !== undefined} />
      {query.errors.length > 0 ? null : mayAnnotate(listing, origin) && applications.length > 0 ? (
        <form method="get" action={`${path}/status`}>
          <SetStatus program={program} found={found ?? total} />
          {list}
        </form>
      ) : (
        list
      )}
      <Neighbours path={path} {...listing} />
    </Shell>
  )
}

const doneTexts = {
  status: 'Saved. Clients see it with their next read. What was changed in the meantime was left as it is.',
  erased: 'Erased. Clients that pull continue without it.',
}

/** Whether status may be set in the list: by those who may read answers, and not where a system that is followed sets it. */
const mayAnnotate = ({ who }: Listing, origin: string | undefined): boolean => who !== undefined && origin === undefined

const counted = (found: number): string => (found > countedMax ? `over ${figures(countedMax)}` : figures(found))

const tickColumn = {
  head: 'Choose',
  cell: ({ application_id }: ListedApplication) => (
    <input
      type="checkbox"
      class="tick"
      name="ticked"
      value={String(application_id)}
      aria-label={`Choose application ${application_id}`}
    />
  ),
}

const columns = (path: string, search: string, who: Listing['who']): readonly Column<ListedApplication>[] => [
  {
    head: 'Applicant',
    cell: ({ application_id, applicant_id }) => {
      const { name = `Applicant ${applicant_id}`, contact, match } = who?.get(application_id) ?? {}
      return (
        <span class="who">
          <a class="strong" dir="auto" href={`${path}/${application_id}${search}`}>
            {name}
          </a>{' '}
          <small dir="auto">{match ?? contact}</small>
        </span>
      )
    },
  },
  { head: 'Number', figures: true, evident: true, cell: ({ application_id }) => application_id },
  {
    head: 'Submitted',
    evident: true,
    cell: ({ submit_time, is_current }) => (
      <>
        <When at={submit_time} /> {!is_current && <RevisionBadge isCurrent={false} />}
      </>
    ),
  },
  {
    head: 'Status',
    cell: ({ status, has_note }) => (
      <>
        {status === null ? <span class="soft">none</span> : <Badge tone="info">{status}</Badge>}
        {has_note && <span class="soft"> · has a note</span>}
      </>
    ),
  },
]

const clientsShown = 2

const sentColumn = ({ clientsOf, isPruned }: SentTo): Column<ListedApplication> => ({
  head: 'Sent to',
  cell: ({ application_id }) => {
    const sent = clientsOf.get(application_id) ?? []
    if (sent.length === 0) return <span class="soft">{isPruned ? 'none on record' : 'not yet'}</span>
    const more = sent.length - clientsShown
    return (
      <>
        {sent.slice(0, clientsShown).map(({ name, is_certain }, i) => (
          <>
            {i > 0 && ', '}
            <bdi>{name}</bdi>
            {!is_certain && <span class="soft"> perhaps</span>}
          </>
        ))}
        {more > 0 && <span class="soft"> and {figures(more)} more</span>}
        {sent[0]!.is_bounded && <span class="soft"> and perhaps others</span>}
      </>
    )
  },
})

/** What is to be set for the rows that are ticked, or for all that the filters find. */
function SetStatus({ program, found }: { program: Program; found: number }) {
  const { form: query } = usePage()
  return (
    <div class="ticked">
      {[...query.values].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <label for="set">
        Set the status of <span data-count="ticked">those</span> chosen to
      </label>
      <select id="set" name="set">
        {program.statuses.map(status => (
          <option value={statusValue(status)}>{status}</option>
        ))}
        <option value={statusValue(null)}>none</option>
      </select>
      {found <= changedMax && (
        <span class="choice">
          <input type="checkbox" id="all" name="all" value="yes" />
          <label for="all">all {figures(found)}</label>
        </span>
      )}
      <Submit look="plain" text="See what would change" />
    </div>
  )
}

function Neighbours({ path, applications, older, newer }: ListPage & { path: string }) {
  const { values } = usePage().form
  if (!(newer || older) || applications.length === 0) return null
  return (
    <nav class="pages" aria-label="Pages">
      {newer && (
        <>
          <LinkButton href={path + listSearch(values)} text="Newest" />
          <LinkButton
            rel="prev"
            href={path + listSearch(values, 'newer', applications[0])}
            icon="chevron-left"
            text="Newer"
          />
        </>
      )}
      {older && (
        <LinkButton
          rel="next"
          href={path + listSearch(values, 'older', applications.at(-1))}
          icon="chevron-right"
          text="Older"
        />
      )}
    </nav>
  )
}

export const RevisionBadge = ({ isCurrent }: { isCurrent: boolean }) =>
  isCurrent ? <Badge tone="good">current</Badge> : <Badge>obsolete</Badge>

const revisions = [
  { value: '', text: 'Any' },
  { value: 'CURRENT', text: 'Current' },
  { value: 'OBSOLETE', text: 'Obsolete' },
]

/** Those who may not read answers find by number alone. */
function Filters({ path, program, searches }: { path: string; program: Program; searches: boolean }) {
  const query = usePage().form
  const sought = query.values.get('status')
  // A status that the program no longer offers is still what some applications have.
  const statuses = [...program.statuses]
  if (sought?.startsWith('is:') && !statuses.includes(sought.slice(3))) statuses.push(sought.slice(3))
  const kept = query.values.get('applicant')
  return (
    <FilterBar
      path={path}
      words={filterWords}
      search={listSearch}
      note={searches ? 'What you search and read is recorded in the audit log.' : undefined}
      more={
        <>
          <SelectField
            name="status"
            label="Status"
            choices={[
              { value: '', text: 'Any' },
              { value: statusValue(null), text: 'None yet' },
              ...statuses.map(status => ({ value: statusValue(status), text: status })),
            ]}
          />
          <TextField name="from" label="Submitted on or after" type="date" />
          <TextField name="to" label="Submitted before" type="date" />
          <SelectField name="revision" label="Revision" choices={revisions} />
        </>
      }
    >
      {kept !== null && <input type="hidden" name="applicant" value={kept} />}
      {searches ? (
        <TextField name="q" label="Name, e-mail, phone or number" type="search" />
      ) : (
        <TextField name="application" label="Number" inputmode="numeric" />
      )}
    </FilterBar>
  )
}

const filterWords: Readonly<Record<(typeof filterNames)[number], (value: string) => string>> = {
  q: value => `“${value}”`,
  status: value => (value === statusValue(null) ? 'No status yet' : value.slice(3)),
  from: value => `since ${value}`,
  to: value => `before ${value}`,
  revision: value => value.toLowerCase(),
  applicant: value => `applicant ${value}`,
  application: value => `number ${value}`,
}
