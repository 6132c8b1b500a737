// Jobs for administrators and auditors: what is under way, what failed and why, what is missing. Administrators ask for it again.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { Problem } from '../../../base/problem.ts'
import { codeVersions, regenerateDocs, retryDerived } from '../../../core/derived/sweep.ts'
import type { Sql } from '../../../db/client.ts'
import { countUnfinished } from '../../../db/derived/derived-status.ts'
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
    program_version_id: id('Of what has failed.'),
  },
  closed,
)
const regenerated = Type.Object({ program: Type.Optional(text('A slug; all programs without it.')) }, closed)
const after = { after: '`next` of the page before.' }

export const jobActions = ({ consoleDb: db }: Deps): Part => [...derivedActions(db), ...docsActions(db)]

const derivedActions = (db: Sql): Part => [
  action({
    name: 'listJobs',
    route: 'GET /jobs',
    summary: 'See what the workers do',
    answers: 'What is derived for each program and how far that is, what is unfinished, and what waits in the outbox.',
    answered: jobsAnswer,
    ...reads('jobs'),
    query: after,
    run: visit => readJobs(db, visit),
    page: (_, shown) => <JobsPage {...shown} />,
  }),
  action({
    name: 'retryJob',
    route: 'POST /jobs/retry',
    summary: 'Try again what has failed',
    answers: 'Nothing: it is asked for again.',
    answered: nothing,
    ...writes('jobs'),
    body: retried,
    run: async (visit, thing) => {
      if (!(await retryDerived(db, thing, visit.by)))
        throw new Problem('not_found', {
          detail: 'This has not failed, so there is nothing to try again. It may have been tried in the meantime.',
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
    summary: 'See how fresh the generated docs are',
    answers: 'Of each program’s active version and draft, when its docs were made and what the last run failed with.',
    answered: docsStatusAnswer,
    ...reads('jobs'),
    query: after,
    run: async visit => {
      const { items, next } = await listings(db, visit)
      return { items: items.filter(({ job_name }) => job_name === docsJob), next }
    },
  }),
  action({
    name: 'regenerateDocs',
    route: 'POST /docs/regenerate',
    summary: 'Have generated docs made again',
    answers: 'The versions whose docs were asked for.',
    answered: regeneratedAnswer,
    ...writes('jobs'),
    body: regenerated,
    run: async (visit, { program }) => {
      const found = program === undefined ? undefined : await findSeenProgram(db, visit.person, program)
      return { program_version_ids: await regenerateDocs(db, found?.program_id, visit.by) }
    },
    form: {
      ...onPage(db, 'asked'),
      sentTo: '/jobs/regenerate',
      read: ({ form }) => ({ program: form.get('program') || undefined }),
    },
  }),
]

/** What is derived for a page of programs, and after which slug the next page begins. */
async function listings(db: Sql, visit: ConsoleRequest) {
  const after = textOf(visit, 'after')
  const rows = await readDerivedListings(db, codeVersions, { after, programsMax: programsMax + 1 })
  const page = pageOf([...new Set(rows.map(({ slug }) => slug))], programsMax, slug => slug)
  const shown = new Set(page.items)
  return { items: rows.filter(({ slug }) => shown.has(slug)), next: page.next }
}

async function readJobs(db: Sql, visit: ConsoleRequest) {
  const [unfinished, outbox, page] = await Promise.all([countUnfinished(db), measureOutbox(db), listings(db, visit)])
  const { waiting, oldest: oldest_at } = outbox
  return { ...page, unfinished, outbox: { waiting, oldest_at } }
}

/** A button of the list, which leads back to the same page of it. */
const onPage = (db: Sql, done: string): Pick<Form<unknown>, 'page' | 'next' | 'button'> => ({
  button: true,
  page: async visit => <JobsPage {...(await readJobs(db, visit))} />,
  next: ({ form }) => {
    const after = form.get('after')
    return `/admin/jobs?${new URLSearchParams({ ...(after && { after }), done })}`
  },
})
