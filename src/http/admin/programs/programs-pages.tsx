// The list of programs, and the overview of one.

/** @jsxImportSource preact */

import type { ProgramOverview } from '../../../db/program-overviews.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import { Icon } from '../../shell/icon.tsx'
import { mayEditPrograms, type PageContext } from '../../shell/page-context.ts'
import { Badge, distance, figures, Notice, Table, When } from '../../shell/parts.tsx'
import { Shell } from '../../shell/shell.tsx'
import { counted, type ProgramPageProps, ProgramShell, pathOfProgram, who } from './program-shell.tsx'

interface ProgramsProps {
  context: PageContext
  now: Micros
  /** The address under which clients reach the service. */
  baseUrl: string
  programs: readonly ProgramOverview[]
  search: string
  after: string
  /** Where the next page begins; undefined on the last. */
  next: string | undefined
}

export function ProgramsPage({ context, now, baseUrl, programs, search, after, next }: ProgramsProps) {
  const path = `${context.root}/admin/programs`
  const filter = search === '' ? '' : `q=${encodeURIComponent(search)}&`
  return (
    <Shell
      context={context}
      title="Programs"
      part="programs"
      lead={
        context.following
          ? 'What residents apply for in the CiviForm that is followed. Programs are made, edited and published there, and are here within seconds.'
          : 'What residents apply for. Each program is a document of questions; publishing a version changes what is asked from then on.'
      }
      deeds={
        mayEditPrograms(context) && (
          <a class="button" href={`${context.root}/admin/new-program`}>
            <Icon name="plus" />
            New program
          </a>
        )
      }
    >
      <SearchForm path={path} search={search} label="Find a program" hint="Name or slug" />
      <Table
        caption="Programs"
        rows={programs}
        empty={
          search !== '' || after !== ''
            ? 'No program here matches. Try another word.'
            : context.following
              ? 'There is no program here yet. Those of the CiviForm come with the follower’s first round.'
              : 'There is no program here yet. A new program begins with a document of its questions.'
        }
        columns={[
          {
            head: 'Program',
            cell: one => (
              <>
                <a class="strong" href={`${path}/${one.slug}`}>
                  {one.display_name}
                </a>
                <small>
                  <code>{one.slug}</code>
                </small>
              </>
            ),
          },
          {
            head: 'Active',
            cell: one =>
              one.active_version_id === null ? (
                <span class="soft">nothing yet</span>
              ) : (
                <>
                  <Badge tone="good">version {one.active_version_id}</Badge>
                  <small>
                    <When at={one.active_published_at!} timeZone={context.config.timeZone} day />
                  </small>
                </>
              ),
          },
          {
            head: 'Draft',
            cell: one =>
              one.draft_version_id === null ? (
                <span class="soft">none</span>
              ) : (
                <>
                  <Badge tone="attention">draft {one.draft_version_id}</Badge>
                  <small>{who(one.draft_created_by)}</small>
                </>
              ),
          },
          { head: 'Applications', figures: true, cell: one => figures(one.submissions) },
          {
            head: 'Last one',
            cell: one =>
              one.last_submit_time === null ? (
                <span class="soft">never</span>
              ) : (
                <time
                  dateTime={new Date(one.last_submit_time / 1000).toISOString()}
                  title={new Date(one.last_submit_time / 1000).toISOString()}
                >
                  {distance(Math.min(one.last_submit_time, now), now)}
                </time>
              ),
          },
          {
            head: 'Addresses',
            cell: one => (
              <details class="addresses">
                <summary>
                  Export, deep link, docs<span class="unseen"> of {one.display_name}</span>
                </summary>
                <Addresses baseUrl={baseUrl} slug={one.slug} />
              </details>
            ),
          },
        ]}
      />
      <Pages path={path} filter={filter} after={after} next={next} what="programs" />
    </Shell>
  )
}

export function SearchForm(props: {
  path: string
  search: string
  label: string
  hint: string
  hidden?: Readonly<Record<string, string>>
}) {
  return (
    <form class="filters" method="get" action={props.path}>
      {Object.entries(props.hidden ?? {}).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <label class="unseen" for="q">
        {props.label}
      </label>
      <input id="q" name="q" type="search" value={props.search} placeholder={props.hint} />
      <button type="submit" class="plain">
        <Icon name="search" />
        Search
      </button>
    </form>
  )
}

/** The way on in a list, and back to where it begins. */
export function Pages(props: { path: string; filter: string; after: string; next: string | undefined; what: string }) {
  if (props.after === '' && props.next === undefined) return null
  return (
    <nav class="pages" aria-label={`Pages of ${props.what}`}>
      {props.after !== '' && (
        <a class="button plain" href={`${props.path}?${props.filter}`}>
          <Icon name="chevron-left" />
          From the start
        </a>
      )}
      {props.next !== undefined && (
        <a class="button plain" href={`${props.path}?${props.filter}after=${encodeURIComponent(props.next)}`}>
          More {props.what}
          <Icon name="chevron-right" />
        </a>
      )}
    </nav>
  )
}

function Addresses({ baseUrl, slug }: { baseUrl: string; slug: string }) {
  const addresses = [
    ['Export', `${baseUrl}/api/v1/admin/programs/${slug}/applications`],
    ['Deep link', `${baseUrl}/admin/programs/${slug}`],
    ['Documentation', `${baseUrl}/docs/api/programs/${slug}`],
  ] as const
  return (
    <dl class="stacked">
      {addresses.map(([what, address]) => (
        <>
          <dt>{what}</dt>
          <dd>
            {what === 'Export' ? (
              <code>{address}</code>
            ) : (
              <a href={address}>
                <code>{address}</code>
              </a>
            )}
          </dd>
        </>
      ))}
    </dl>
  )
}

const said: Readonly<Record<string, string>> = {
  discarded: 'The draft is gone. What is published is as it was.',
}

export function OverviewPage(props: ProgramPageProps & { baseUrl: string; done: string | null }) {
  const { context, program, baseUrl } = props
  const { timeZone } = context.config
  const path = pathOfProgram(context, program.slug)
  const reads = context.person?.role !== 'PROGRAM_ADMINISTRATOR'
  const notice = said[props.done ?? '']
  return (
    <ProgramShell {...props} tab="overview">
      {notice !== undefined && <Notice tone="good">{notice}</Notice>}
      <div class="columns">
        <div class="card">
          <h2>What is asked</h2>
          <dl>
            <dt>Active</dt>
            <dd>
              {program.active_version_id === null ? (
                'Nothing is published yet.'
              ) : (
                <>
                  version {program.active_version_id}, published{' '}
                  <When at={program.active_published_at!} timeZone={timeZone} /> by {who(program.active_published_by)}
                </>
              )}
            </dd>
            <dt>Draft</dt>
            <dd>
              {program.draft_version_id === null ? (
                'None.'
              ) : (
                <>
                  draft {program.draft_version_id}, saved <When at={program.draft_created_at!} timeZone={timeZone} /> by{' '}
                  {who(program.draft_created_by)}
                </>
              )}
            </dd>
            <dt>Versions</dt>
            <dd>{counted(program.published_versions, 'version')} published so far</dd>
            <dt>Statuses</dt>
            <dd>
              {program.statuses.length === 0
                ? 'None: applications get no status.'
                : program.statuses.map(status => (
                    <>
                      <Badge>{status}</Badge>{' '}
                    </>
                  ))}
            </dd>
          </dl>
          {reads && program.active_version_id === null && program.draft_version_id === null && (
            <p class="soft">Nothing of it is there. Begin it again under New program, with this slug.</p>
          )}
          {reads && (program.active_version_id ?? program.draft_version_id) !== null && (
            <p>
              <a href={`${path}/questions`}>See its questions</a>
            </p>
          )}
        </div>
        <div class="card">
          <h2>Where it is found</h2>
          <p class="soft">
            The slug <code>{program.slug}</code> is <code>programSlug</code> in the export API and{' '}
            <code>program_name</code> in every application. It never changes.
          </p>
          <Addresses baseUrl={baseUrl} slug={program.slug} />
        </div>
      </div>
    </ProgramShell>
  )
}
