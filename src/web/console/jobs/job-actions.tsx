// Background jobs: queued, running, failed and missing. Administrators can retry failed jobs and regenerate docs.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { Problem } from '../../../base/problem.ts'
import { codeVersions, regenerateDocs, retryDerived } from '../../../core/derived/sweep.ts'
import type { Sql } from '../../../db/client.ts'
import { countUnfinished } from '../../../db/derived/derived-status.ts'
import { readJobRuns } from '../../../db/derived/job-runs.ts'
import { readDerivedListings } from '../../../db/derived/missing-derived.ts'
import { measureOutbox } from '../../../db/derived/outbox.ts'
import type { Deps } from '../../http/server/deps.ts'
import { findSeenProgram } from '../applications/find-applications.ts'
import { action, type Form, type Part, reads, writes } from '../requests/action.ts'
import { docsStatusAnswer, jobsAnswer, nothing, regeneratedAnswer } from '../requests/answer-schemas.ts'
import type { ConsoleRequest } from '../requests/console-request.ts'
import { idOf, pageOf, textOf } from '../requests/route-parameters.ts'
import { closed, id, text } from '../requests/schemas.ts'
import { JobsPage } from './jobs-page.tsx'

const programsMax = 50
const docsJob = 'refresh-docs-example'

const retried = Type.Object(
  {
    job_name: Type.Union([Type.Literal('refresh-key-map'), Type.Literal(docsJob)]),
    program_version_id: id('The program version whose job failed.'),
  },
  closed,
)
const regenerated = Type.Object({ program: Type.Optional(text('A program slug. Defaults to all programs.')) }, closed)
const after = { after: 'The `next` value of the previous page.' }

export const jobActions = ({ consoleDb: db }: Deps): Part => [...derivedActions(db), ...docsActions(db)]

const derivedActions = (db: Sql): Part => [
  action({
    name: 'listJobs',
    route: 'GET /jobs',
    summary: 'List jobs',
    answers: 'The derived data of each program with its state, unfinished jobs, the outbox, and recent runs.',
    answered: jobsAnswer,
    ...reads('jobs'),
    query: after,
    run: request => readJobs(db, request),
    page: (_, shown) => <JobsPage {...shown} />,
  }),
  action({
    name: 'retryJob',
    route: 'POST /jobs/retry',
    summary: 'Retry a failed job',
    answers: 'An empty object.',
    answered: nothing,
    ...writes('jobs'),
    body: retried,
    run: async (request, thing) => {
      if (!(await retryDerived(db, thing, request.by)))
        throw new Problem('not_found', {
          detail: 'This job isn’t in a failed state, so it can’t be retried. It may already have been retried.',
        })
    },
    form: {
      ...onPage(db, 'retried'),
      read: ({ form }) => ({
        job_name: (form.get('job') ?? '') as typeof docsJob,
        program_version_id: idOf(form.get('version')) ?? 0,
      }),
    },
  }),
]

const docsActions = (db: Sql): Part => [
  action({
    name: 'readDocsStatus',
    route: 'GET /docs/status',
    summary: 'Read the state of generated docs',
    answers: 'When the docs of each program’s active version and draft were generated, and the last error.',
    answered: docsStatusAnswer,
    ...reads('jobs'),
    query: after,
    run: async request => {
      const { items, next } = await listings(db, request)
      return { items: items.filter(({ job_name }) => job_name === docsJob), next }
    },
  }),
  action({
    name: 'regenerateDocs',
    route: 'POST /docs/regenerate',
    summary: 'Regenerate docs',
    answers: 'The program versions whose docs are being regenerated.',
    answered: regeneratedAnswer,
    ...writes('jobs'),
    body: regenerated,
    run: async (request, { program }) => {
      const found = program === undefined ? undefined : await findSeenProgram(db, request.person, program)
      return { program_version_ids: await regenerateDocs(db, found?.program_id, request.by) }
    },
    form: {
      ...onPage(db, 'asked'),
      sentTo: '/jobs/regenerate',
      read: ({ form }) => ({ program: form.get('program') || undefined }),
    },
  }),
]

/** The derived data of a page of programs, and the slug before the next page. */
async function listings(db: Sql, request: ConsoleRequest) {
  const after = textOf(request, 'after')
  const rows = await readDerivedListings(db, codeVersions, { after, programsMax: programsMax + 1 })
  const page = pageOf([...new Set(rows.map(({ slug }) => slug))], programsMax, slug => slug)
  const shown = new Set(page.items)
  return { items: rows.filter(({ slug }) => shown.has(slug)), next: page.next }
}

async function readJobs(db: Sql, request: ConsoleRequest) {
  const [unfinished, outbox, page, runs] = await Promise.all([
    countUnfinished(db),
    measureOutbox(db),
    listings(db, request),
    readJobRuns(db),
  ])
  const { waiting, oldest: oldest_at } = outbox
  return { ...page, unfinished, outbox: { waiting, oldest_at }, runs }
}

/** A button in the list, which returns to the same page of it. */
const onPage = (db: Sql, done: string): Pick<Form<unknown>, 'page' | 'next' | 'button'> => ({
  button: true,
  page: async request => <JobsPage {...(await readJobs(db, request))} />,
  next: ({ form }) => {
    const after = form.get('after')
    return `/admin/jobs?${new URLSearchParams({ ...(after && { after }), done })}`
  },
})
