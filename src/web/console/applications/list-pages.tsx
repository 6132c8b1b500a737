// The pages that lead to an application: choose a program, then filter its list.

/** @jsxImportSource preact */

import type { ListedApplication, ProgramWithSubmissions } from '../../../db/applications/application-lists.ts'
import type { Program } from '../../../db/programs/programs.ts'
import { dayText } from '../../../domain/question-types/date.ts'
import { DoneNotice, figures, LinkButton, Named, Notice, Table } from '../../html/components.tsx'
import { ErrorSummary, SelectField, TextField } from '../../html/fields.tsx'
import { FilterBar, IntakeBadge, Pages } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import type { ProgramInColor } from '../statuses/status-badge.tsx'
import { type Applicants, columns, orderTexts, type SentTo, sentColumn, tickColumn } from './list-columns.tsx'
import {
  applicationsPath,
  countedMax,
  type filterNames,
  isFiltered,
  type ListPage,
  listSearch,
  orderOf,
  statusIn,
  statusValue,
} from './list-query.ts'
import { changedText, SetStatus, selected } from './status-page.tsx'

interface ChoiceProps {
  programs: readonly ProgramWithSubmissions[]
  next: string | null
}

export function ProgramChoicePage({ programs, next }: ChoiceProps) {
  const { person } = usePage()
  return (
    <Shell title="Applications" part="applications" lead="Choose a program to see its applications.">
      <Table
        caption="Programs"
        rows={programs}
        empty={
          person?.role === 'PROGRAM_ADMINISTRATOR'
            ? 'You have no programs yet. Ask an administrator to give you access under People.'
            : 'No programs yet. Applications appear here once a program is published.'
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
          { head: 'Applications', figures: true, cell: ({ submissions }) => figures(submissions) },
        ]}
      />
      <Pages path="/admin/applications" next={next} what="programs" />
    </Shell>
  )
}

/** A page of the list with its counts. */
export interface Listing extends ListPage {
  /** Number of applications in the program. */
  total: number
  /** Number of applications that match, counted up to `countedMax`; undefined without filters. */
  found: number | undefined
  who: Applicants
  sentTo: SentTo
}

export function ApplicationsPage({ program, ...listing }: Listing & { program: ProgramInColor }) {
  const { form: query, query: pageQuery, origin } = usePage()
  const { applications, total, found, who, sentTo, order } = listing
  const path = applicationsPath(program.slug)
  const search = listSearch(query.values)
  const list = (
    <Table<ListedApplication>
      caption="Applications"
      rows={applications}
      empty={
        isFiltered(query.values) ? (
          <>
            No applications match. <a href={path}>Clear filters</a>
          </>
        ) : (
          'No applications yet. They appear here as soon as they’re submitted.'
        )
      }
      columns={[
        ...(mayAnnotate(listing, origin) ? [tickColumn(pageQuery.has(selected))] : []),
        ...columns(program, { values: query.values, order, who }),
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
      lead={`${orderTexts[order]} When an applicant resubmits, the earlier application becomes obsolete.`}
      actions={
        who !== undefined &&
        applications.length > 0 && (
          <LinkButton href={`${path}/spreadsheet${search}`} icon="download" text="Download as spreadsheet" />
        )
      }
    >
      <DoneNotice texts={{ ...doneTexts, status: changedText(pageQuery) }} />
      <ErrorSummary title="Some filters are invalid" />
      <Filters path={path} program={program} searches={who !== undefined} />
      <TooLongForNames order={order} />
      {query.errors.length > 0 ? null : mayAnnotate(listing, origin) && applications.length > 0 ? (
        <form method="get" action={`${path}/status`}>
          <SetStatus program={program} found={found ?? total} shown={applications.length} />
          {list}
        </form>
      ) : (
        list
      )}
      <Neighbours path={path} {...listing} />
    </Shell>
  )
}

const doneTexts = { erased: 'Erased. Later exports leave it out.' }

function TooLongForNames({ order }: Pick<Listing, 'order'>) {
  const { values, errors } = usePage().form
  if (orderOf(values) === order || errors.length > 0) return null
  return (
    <Notice name="too-long-for-names" tone="attention">
      Lists of up to {figures(countedMax)} applications can be sorted by name. Add a filter, such as a status or dates.
    </Notice>
  )
}

/** Whether statuses can be set in the list: only by people who may read answers, and not if a followed system sets them. */
const mayAnnotate = ({ who }: Listing, origin: string | undefined): boolean => who !== undefined && origin === undefined

const counted = (found: number): string => (found > countedMax ? `more than ${figures(countedMax)}` : figures(found))

function Neighbours({ path, applications, older, newer, order }: ListPage & { path: string }) {
  const { values } = usePage().form
  if (!(newer || older) || applications.length === 0) return null
  const [first, previous, next] = order === 'newest' ? ['Newest', 'Newer', 'Older'] : ['First page', 'Previous', 'Next']
  return (
    <nav class="pages" aria-label="Pages">
      {newer && (
        <>
          <LinkButton href={path + listSearch(values)} text={first} />
          <LinkButton
            rel="prev"
            href={path + listSearch(values, 'newer', applications[0])}
            icon="chevron-left"
            text={previous}
          />
        </>
      )}
      {older && (
        <LinkButton
          rel="next"
          href={path + listSearch(values, 'older', applications.at(-1))}
          icon="chevron-right"
          text={next}
        />
      )}
    </nav>
  )
}

const revisions = [
  { value: '', text: 'Any' },
  { value: 'CURRENT', text: 'Current' },
  { value: 'OBSOLETE', text: 'Obsolete' },
]

const orders = [
  { value: '', text: 'Newest first' },
  { value: 'oldest', text: 'Oldest first' },
  { value: 'status', text: 'Status' },
]
const orderByName = { value: 'name', text: 'Name' }

const searchedIn = [
  { value: '', text: 'Anywhere' },
  { value: 'applicant', text: 'Applicant’s own name' },
  { value: 'others', text: 'Other names, email, phone' },
]

/** People who may not read answers can search by number only. */
function Filters({ path, program, searches }: { path: string; program: Program; searches: boolean }) {
  const query = usePage().form
  const sought = statusIn(query.values.get('status') ?? '') ?? null
  // Some applications may still have a status the program no longer offers.
  const statuses = [...program.statuses]
  if (sought !== null && !statuses.includes(sought)) statuses.push(sought)
  const kept = query.values.get('applicant')
  return (
    <FilterBar
      path={path}
      words={filterWords}
      search={listSearch}
      note={searches ? 'Your searches and the applications you view are recorded in the audit log.' : undefined}
      more={
        <>
          {searches && <SelectField name="in" label="Search in" choices={searchedIn} />}
          <SelectField
            name="status"
            label="Status"
            choices={[
              { value: '', text: 'Any' },
              { value: statusValue(null), text: 'No status yet' },
              ...statuses.map(status => ({ value: statusValue(status), text: status })),
            ]}
          />
          <TextField name="from" label="Submitted on or after" type="date" />
          <TextField name="to" label="Submitted before" type="date" />
          <SelectField name="revision" label="Revision" choices={revisions} />
          <div class="cards-only">
            <SelectField name="sort" label="Sort" choices={searches ? [...orders, orderByName] : orders} />
          </div>
        </>
      }
    >
      {kept !== null && <input type="hidden" name="applicant" value={kept} />}
      {searches ? (
        <TextField name="q" label="Name, contact or number" type="search" />
      ) : (
        <TextField name="application" label="Number" inputmode="numeric" />
      )}
    </FilterBar>
  )
}

const filterWords: Readonly<Record<(typeof filterNames)[number], (value: string) => string>> = {
  q: value => `“${value}”`,
  in: value => (value === 'applicant' ? 'in the applicant’s own name' : 'in other names, email or phone'),
  status: value => statusIn(value) ?? 'No status yet',
  from: value => `since ${dayText(value)}`,
  to: value => `before ${dayText(value)}`,
  revision: value => value.toLowerCase(),
  applicant: value => `applicant ${value}`,
  application: value => `number ${value}`,
}
