// The job history on the Jobs page: the last runs of each kind of job.

/** @jsxImportSource preact */

import type { JobRun, RunOutcome } from '../../../db/derived/job-runs.ts'
import { Badge, counted, figures, Named, Table, type Tone, When } from '../../html/components.tsx'
import { attemptOutcomes, pathOfWebhook } from '../webhooks/webhook-page.tsx'

/** What each job produces. */
export const jobNames: Readonly<Record<string, string>> = {
  'refresh-key-map': 'Key map (what exports need)',
  'refresh-docs-example': 'Docs',
  'deliver-webhook': 'Webhook deliveries',
}

const outcomes: Readonly<Record<RunOutcome, readonly [text: string, tone: Tone]>> = {
  done: ['done', 'good'],
  nothing: ['already up to date', 'info'],
  retrying: ['failed, retrying', 'attention'],
  failed: ['failed', 'bad'],
  given_up: ['worker died', 'bad'],
}

export const JobRuns = ({ runs }: { runs: readonly JobRun[] }) => (
  <section class="stack" aria-labelledby="runs">
    <h2 id="runs">Recent runs</h2>
    {runs.length === 0 && <div class="card empty">No runs yet. The last 20 runs of each kind of job appear here.</div>}
    {[...Map.groupBy(runs, ({ job_name }) => job_name)].map(([job, ofJob]) => (
      <RunsOfJob job={job} runs={ofJob} />
    ))}
  </section>
)

function RunsOfJob({ job, runs }: { job: string; runs: readonly JobRun[] }) {
  const failures = runs.filter(({ outcome }) => outcome !== 'done' && outcome !== 'nothing').length
  const name = jobNames[job] ?? job
  return (
    <details id={`runs-of-${job}`}>
      <summary>
        {name}: {counted(runs.length, 'run')}
        {failures > 0 && `, ${figures(failures)} failed`}
      </summary>
      <Table
        caption={`Recent runs: ${name}`}
        rows={runs}
        empty=""
        columns={[
          { head: 'Ended', cell: ({ ended_at }) => <When at={ended_at} /> },
          { head: 'For', cell: run => <Subject {...run} /> },
          { head: 'Outcome', cell: run => <Outcome {...run} /> },
          { head: 'Duration', cell: ({ duration_ms: ms }) => (ms === null ? 'unknown' : lengthOf(ms)), figures: true },
        ]}
      />
    </details>
  )
}

/** The program version or webhook that the job ran for, as a link if it still exists. */
function Subject({ slug, display_name, version_number, program_version_id, webhook_endpoint_id }: JobRun) {
  const isWebhook = webhook_endpoint_id !== null
  const id = webhook_endpoint_id ?? program_version_id
  if (id === null) return 'unknown'
  if (slug === null || display_name === null) return `${isWebhook ? 'removed webhook' : 'discarded draft'} ${id}`
  if (isWebhook) return <Named href={pathOfWebhook(id)} name={display_name} small={`webhook ${id}`} />
  return (
    <Named
      href={`/admin/programs/${slug}/versions`}
      name={display_name}
      small={version_number === null ? 'draft' : `version ${version_number}`}
    />
  )
}

function Outcome({ job_name, outcome, detail }: JobRun) {
  const [text, tone] = outcomes[outcome]
  const known = job_name === 'deliver-webhook' && detail !== null ? deliveryText(detail) : undefined
  if (known !== undefined) return <Badge tone={tone}>{known}</Badge>
  return (
    <>
      <Badge tone={tone}>{text}</Badge>
      {detail !== null && <span class="line mono">{detail}</span>}
    </>
  )
}

const deliveryText = (code: string): string | undefined => (attemptOutcomes as Readonly<Record<string, string>>)[code]

const seconds = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })
const lengthOf = (ms: number): string => (ms < 1000 ? `${figures(ms)} ms` : `${seconds.format(ms / 1000)} s`)
