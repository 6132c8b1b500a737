// Jobs for administrators and auditors: what is under way, what failed and why, what is missing. Administrators ask for it again.

import { countUnfinished } from '../../../db/derived-status.ts'
import { readDerivedListings } from '../../../db/missing-derived.ts'
import { measureOutbox } from '../../../db/outbox.ts'
import { findProgram } from '../../../db/programs.ts'
import { codeVersions, regenerateDocs, retryDerived } from '../../../derived/sweep.ts'
import { Problem } from '../../../problem.ts'
import type { Deps } from '../../deps.ts'
import { htmlResponse } from '../../shell/html-response.ts'
import { readingRoles } from '../../shell/navigation.ts'
import { idOf, pageOf, textOf } from '../addressed.ts'
import { type ConsoleDoor, deedOf, redirect, type Visit } from '../console-doors.ts'
import { JobsPage, jobNames } from './jobs-page.tsx'

const programsMax = 50

export function jobDoors({ consoleDb: db }: Deps): ConsoleDoor[] {
  const index = async ({ context, now, url }: Visit): Promise<Response> => {
    const after = textOf({ url }, 'after')
    const [counts, outbox, listings] = await Promise.all([
      countUnfinished(db),
      measureOutbox(db),
      readDerivedListings(db, codeVersions, { after, programsMax: programsMax + 1 }),
    ])
    const { items, next } = pageOf([...new Set(listings.map(({ slug }) => slug))], programsMax, slug => slug)
    const shown = new Set(items)
    return htmlResponse(
      JobsPage({
        context,
        now,
        counts,
        outbox,
        listings: listings.filter(({ slug }) => shown.has(slug)),
        nextAfter: next,
        after,
        done: url.searchParams.get('done'),
      }),
    )
  }

  const retry = async (visit: Visit): Promise<Response> => {
    const job_name = visit.form.get('job') ?? ''
    const thing = { job_name, program_version_id: idOf(visit.form.get('version')) ?? 0 }
    if (!Object.hasOwn(jobNames, job_name) || !(await retryDerived(db, thing, deedOf(visit))))
      throw new Problem('not_found', {
        detail: 'This has not failed, so there is nothing to try again. It may have been tried meanwhile.',
      })
    return redirect(visit, here(visit, 'retried'))
  }

  const regenerate = async (visit: Visit): Promise<Response> => {
    const slug = visit.form.get('program') ?? ''
    const program = slug === '' ? undefined : await findProgram(db, slug)
    if (slug !== '' && program === undefined) throw new Problem('not_found', { detail: 'There is no such program.' })
    await regenerateDocs(db, program?.program_id, deedOf(visit))
    return redirect(visit, here(visit, 'asked'))
  }

  const path = '/admin/jobs'
  return [
    { method: 'GET', path, roles: readingRoles, answer: index },
    { method: 'POST', path: `${path}/retry`, roles: ['ADMINISTRATOR'], answer: retry },
    { method: 'POST', path: `${path}/regenerate`, roles: ['ADMINISTRATOR'], answer: regenerate },
  ]
}

/** Back to the page that the form was on. */
const here = ({ form }: Visit, done: string): string =>
  `/admin/jobs?${new URLSearchParams({ ...(form.get('after') ? { after: form.get('after')! } : {}), done })}`
