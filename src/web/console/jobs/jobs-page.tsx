// The Jobs page: the number of waiting jobs, the derived data of each program, why jobs failed, and their last runs.

/** @jsxImportSource preact */

import type { DerivedState } from '../../../db/derived/derived-status.ts'
import type { JobRun } from '../../../db/derived/job-runs.ts'
import type { DerivedListing } from '../../../db/derived/missing-derived.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import {
  Badge,
  counted,
  DoneNotice,
  distance,
  figures,
  Named,
  Notice,
  Table,
  type Tone,
  When,
} from '../../html/components.tsx'
import { ActionForm, Submit } from '../../html/fields.tsx'
import { Pages } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import { JobRuns, jobNames } from './recent-runs.tsx'

/** Jobs that derive data, each with its own column. */
const derivingJobs = ['refresh-key-map', 'refresh-docs-example']

interface JobsProps {
  unfinished: Partial<Record<DerivedState, number>>
  outbox: { waiting: number; oldest_at: Micros | null }
  items: readonly DerivedListing[]
  /** The last program of this page, if another page follows. */
  next: string | null
  runs: readonly JobRun[]
}

const doneTexts: Readonly<Record<string, string>> = {
  retried: 'Job queued again. It runs as soon as a worker is free.',
  asked: 'Regenerating docs. The current docs stay available until it finishes.',
}

export function JobsPage(props: JobsProps) {
  const { items, next, runs } = props
  const { now, person } = usePage()
  const mayAct = person?.role === 'ADMINISTRATOR'
  return (
    <Shell
      title="Jobs"
      part="jobs"
      lead="Background workers prepare data for exports and docs when a version is saved or published. Exports never wait for them."
      actions={mayAct && <Regenerate program="" text="Regenerate all docs" />}
      scripts={['/assets/progress.js']}
    >
      <DoneNotice texts={doneTexts} />
      <div id="progress" class="stack" data-under-way={isUnderWay(props) ? 'yes' : 'no'}>
        <Lag {...props} />
        <Table
          caption="Derived data of each program"
          rows={[...Map.groupBy(items, ({ program_version_id }) => program_version_id).values()]}
          empty="No jobs yet. They appear here once a program has a draft or a published version."
          columns={[
            {
              head: 'Program',
              cell: ([listing]) => listing && <Version {...listing} />,
            },
            ...derivingJobs.map(job => ({
              head: jobNames[job]!,
              cell: (listings: readonly DerivedListing[]) =>
                listings.map(
                  listing => listing.job_name === job && <Job listing={listing} mayAct={mayAct} now={now} />,
                ),
            })),
          ]}
        />
        <Pages path="/admin/jobs" next={next} what="programs" />
        <JobRuns runs={runs} />
      </div>
    </Shell>
  )
}

const isUnderWay = ({ unfinished, outbox }: JobsProps): boolean =>
  (unfinished.queued ?? 0) + (unfinished.running ?? 0) + outbox.waiting > 0

/** A minute: a running relay passes a job on immediately. */
const lagMicros = 60_000_000

function Lag({ unfinished, outbox }: JobsProps) {
  const { now } = usePage()
  const { queued = 0, running = 0, failed = 0 } = unfinished
  const late = outbox.oldest_at !== null && now - outbox.oldest_at > lagMicros
  return (
    <>
      <p role="status">
        {figures(queued)} queued, {figures(running)} running, {figures(failed)} failed.
      </p>
      {late && (
        <Notice name="late" tone="attention">
          <strong>
            {counted(outbox.waiting, 'job')} can’t reach the queue. The first was added{' '}
            {distance(outbox.oldest_at!, now)}.
          </strong>{' '}
          Check that a worker is running and can reach the database and Redis. Exports aren’t affected.
        </Notice>
      )}
      {failed > 0 && (
        <Notice name="failed" tone="attention">
          <strong>{counted(failed, 'job')} failed.</strong> The reason is shown below. Retry, or wait for the next
          release, which retries automatically.
        </Notice>
      )}
    </>
  )
}

const tones: Readonly<Record<DerivedState, Tone>> = {
  missing: 'attention',
  queued: 'info',
  running: 'info',
  done: 'good',
  failed: 'bad',
}

function State({ listing: { state, stale, produced_at, attempts } }: { listing: DerivedListing }) {
  const missing = produced_at === null
  const shown = state === null || state === 'done' ? (missing ? 'missing' : 'done') : state
  return (
    <>
      <Badge tone={tones[shown]}>{shown === 'done' ? 'up to date' : shown}</Badge>
      {stale && <Badge tone="attention">from an earlier release</Badge>}
      {(shown === 'failed' || shown === 'running') && attempts !== null && (
        <small>{counted(attempts, 'attempt')}</small>
      )}
    </>
  )
}

const Version = ({ slug, display_name, version_number: number, program_version_id: id }: DerivedListing) => (
  <Named
    href={number === null ? `/admin/programs/${slug}/versions` : `/admin/programs/${slug}`}
    name={display_name}
    small={
      <>
        {number === null ? 'draft' : `active, version ${number}`} · ID <code>{id}</code>
      </>
    }
  />
)

/** A job's state, age, last error and action. */
function Job({ listing, mayAct, now }: { listing: DerivedListing; mayAct: boolean; now: Micros }) {
  const { produced_at: at, last_error } = listing
  return (
    <>
      <State listing={listing} />{' '}
      {at !== null && (
        <>
          generated <When at={at} text={distance(at, now)} />
        </>
      )}
      {last_error !== null && <span class="line mono">{last_error}</span>}{' '}
      {mayAct && <DerivedAction listing={listing} />}
    </>
  )
}

function DerivedAction({ listing }: { listing: DerivedListing }) {
  const { query } = usePage()
  const { slug, display_name, job_name, program_version_id, state } = listing
  if (state === 'failed')
    return (
      <ActionForm action="/admin/jobs/retry">
        <input type="hidden" name="job" value={job_name} />
        <input type="hidden" name="version" value={String(program_version_id)} />
        <input type="hidden" name="after" value={query.get('after') ?? ''} />
        <Submit look="plain" text="Retry" unseen={`: ${jobNames[job_name]} of ${display_name}`} />
      </ActionForm>
    )
  if (job_name !== 'refresh-docs-example') return null
  return <Regenerate program={slug} text="Regenerate" of={display_name} />
}

function Regenerate({ program, text, of }: { program: string; text: string; of?: string }) {
  const { query } = usePage()
  return (
    <ActionForm action="/admin/jobs/regenerate">
      <input type="hidden" name="program" value={program} />
      <input type="hidden" name="after" value={query.get('after') ?? ''} />
      <Submit look="plain" icon="refresh-cw" text={text} unseen={of && ` docs of ${of}`} />
    </ActionForm>
  )
}
