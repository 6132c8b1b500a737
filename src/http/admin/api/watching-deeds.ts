// Jobs, generated docs and the audit trail as JSON: what the service does, and what was done.

import { Type } from 'typebox'
import { findDisclosures } from '../../../access/disclosure.ts'
import { measureAuditTrail, verifyAuditTrail } from '../../../access/verify-audit.ts'
import { findAuditEvent, readAuditEvents } from '../../../db/audit.ts'
import { countUnfinished } from '../../../db/derived-status.ts'
import { readDerivedListings } from '../../../db/missing-derived.ts'
import { measureOutbox } from '../../../db/outbox.ts'
import { codeVersions, regenerateDocs, retryDerived } from '../../../derived/sweep.ts'
import { invalidRequest, Problem } from '../../../problem.ts'
import type { Deps } from '../../deps.ts'
import { idIn, idOf, pageOf, textOf } from '../addressed.ts'
import { findSeenProgram } from '../applications/find-applications.ts'
import { readAuditQuery } from '../audit/audit-query.ts'
import { checkedEventsMax } from '../audit/verify-page.tsx'
import {
  docsStatusAnswer,
  eventAnswer,
  eventDetailsAnswer,
  jobsAnswer,
  nothing,
  pageBefore,
  regeneratedAnswer,
  sentAnswer,
  verdictAnswer,
} from './answer-forms.ts'
import { type ApiDeed, type ApiVisit, deed, reads, writes } from './api-deeds.ts'
import { closed, id, text } from './schemas.ts'

const programsMax = 50
const eventsMax = 100
const pagesMax = 50
const docsJob = 'refresh-docs-example'

const retried = Type.Object(
  {
    job_name: Type.Union([Type.Literal('refresh-key-map'), Type.Literal(docsJob)]),
    program_version_id: id('Of what has failed.'),
  },
  closed,
)
const regenerated = Type.Object({ program: Type.Optional(text('A slug; all programs without it.')) }, closed)
const noted = Type.Object(
  {
    noted: Type.Optional(
      text('The word that an earlier check gave, kept elsewhere: it shows whether the end was cut off.'),
    ),
  },
  closed,
)

export function watchingDeeds({ consoleDb: db, config }: Deps): ApiDeed[] {
  /** What is derived for a page of programs, and after which slug the next page begins. */
  const listings = async (visit: ApiVisit) => {
    const after = textOf(visit, 'after')
    const rows = await readDerivedListings(db, codeVersions, { after, programsMax: programsMax + 1 })
    const page = pageOf([...new Set(rows.map(({ slug }) => slug))], programsMax, slug => slug)
    const shown = new Set(page.items)
    return { items: rows.filter(({ slug }) => shown.has(slug)), next: page.next }
  }
  const after = { after: '`next` of the page before.' }

  return [
    deed({
      name: 'listJobs',
      method: 'GET',
      path: '/jobs',
      summary: 'See what the workers do',
      answers:
        'What is derived for each program and how far that is, what is unfinished, and what waits in the outbox.',
      answered: jobsAnswer,
      ...reads('jobs'),
      query: after,
      answer: async visit => {
        const [unfinished, outbox, page] = await Promise.all([countUnfinished(db), measureOutbox(db), listings(visit)])
        const { waiting, oldest: oldest_at } = outbox
        return { ...page, unfinished, outbox: { waiting, oldest_at } }
      },
    }),
    deed({
      name: 'retryJob',
      method: 'POST',
      path: '/jobs/retry',
      summary: 'Try again what has failed',
      answers: 'Nothing: it is asked for again.',
      answered: nothing,
      ...writes('jobs'),
      body: retried,
      answer: async (visit, thing) => {
        if (!(await retryDerived(db, thing, visit.deed)))
          throw new Problem('not_found', { detail: 'This has not failed, so there is nothing to try again.' })
      },
    }),
    deed({
      name: 'readDocsStatus',
      method: 'GET',
      path: '/docs/status',
      summary: 'See how fresh the generated docs are',
      answers: 'Of each program’s active version and draft, when its docs were made and what the last run failed with.',
      answered: docsStatusAnswer,
      ...reads('jobs'),
      query: after,
      answer: async visit => {
        const { items, next } = await listings(visit)
        return { items: items.filter(({ job_name }) => job_name === docsJob), next }
      },
    }),
    deed({
      name: 'regenerateDocs',
      method: 'POST',
      path: '/docs/regenerate',
      summary: 'Have generated docs made again',
      answers: 'The versions whose docs were asked for.',
      answered: regeneratedAnswer,
      ...writes('jobs'),
      body: regenerated,
      answer: async (visit, { program }) => {
        const found = program === undefined ? undefined : await findSeenProgram(db, visit.person, program)
        return { program_version_ids: await regenerateDocs(db, found?.program_id, visit.deed) }
      },
    }),
    deed({
      name: 'listAuditEvents',
      method: 'GET',
      path: '/audit/events',
      summary: 'Read the audit trail',
      answers: 'Events, newest first, 100 a page.',
      answered: pageBefore(eventAnswer),
      ...reads('audit'),
      query: {
        actor: 'Who: `admin:…`, `admin-token:…`, `key:…`, `operator:…`.',
        action: 'What was done, such as api_key_created.',
        subject: 'What it was done to: a slug, an API key id, an application id.',
        from: 'At or after this day or instant.',
        to: 'Before this day or instant.',
        before: '`next` of the page before.',
      },
      answer: async ({ url }) => {
        const { filter, beforeId, form } = readAuditQuery(url.searchParams, config.timeZone)
        if (form.faults.length > 0) throw invalidRequest('The filters cannot be read.', form.faults)
        const rows = await readAuditEvents(db, filter, { beforeId, rowsMax: eventsMax + 1 })
        return pageOf(rows, eventsMax, ({ audit_event_id }) => audit_event_id)
      },
    }),
    deed({
      name: 'readAuditEvent',
      method: 'GET',
      path: '/audit/events/:eventId',
      summary: 'Read one event',
      answers: 'The event.',
      answered: eventDetailsAnswer,
      ...reads('audit'),
      answer: async visit => {
        const found = await findAuditEvent(db, idIn(visit, 'eventId'))
        if (found === undefined) throw new Problem('not_found', { detail: 'There is no such event.' })
        return found
      },
    }),
    deed({
      name: 'whoWasSent',
      method: 'GET',
      path: '/audit/sent/:applicationId',
      summary: 'Which clients were sent an application?',
      answers: 'The pages that reached over it, newest first, for each program that has an application of this id.',
      answered: sentAnswer,
      ...reads('audit'),
      query: { program: 'The slug of one program.', before: '`nextBefore` of the page before, with program.' },
      answer: async visit => {
        const slug = visit.url.searchParams.get('program') ?? undefined
        const beforeId = slug === undefined ? undefined : idOf(visit.url.searchParams.get('before'))
        return { items: await findDisclosures(db, idIn(visit, 'applicationId'), { slug, beforeId, rowsMax: pagesMax }) }
      },
    }),
    deed({
      name: 'verifyAuditTrail',
      method: 'POST',
      path: '/audit/verify',
      summary: 'Check that the audit trail is as it was written',
      answers: 'How many events were read, the faults if any, and a word to keep elsewhere and send next time.',
      answered: verdictAnswer,
      ...reads('audit'),
      body: noted,
      answer: async (_, { noted }) => {
        if ((await measureAuditTrail(db)).events > checkedEventsMax)
          throw new Problem('conflict', {
            detail: `There are more than ${checkedEventsMax} events. scripts/audit verify checks them.`,
          })
        return verifyAuditTrail(db, noted)
      },
    }),
  ]
}
