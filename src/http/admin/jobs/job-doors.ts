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
import { type ConsoleDoor, deedOf, redirect, type Visit } from '../console-doors.ts'
import { JobsPage, jobNames } from './jobs-page.tsx'

const programsMax = 50

export function jobDoors({ consoleDb: db }: Deps): ConsoleDoor[] {
  const index = async ({ context, now, url }: Visit): Promise<Response> => {
    const after = url.searchParams.get('after') ?? ''
    const [counts, outbox, listings] = await Promise.all([
      countUnfinished(db),
      measureOutbox(db),
      readDerivedListings(db, codeVersions, { after, programsMax: programsMax + 1 }),
    ])
    const slugs = [...new Set(listings.map(({ slug }) => slug))]
    const shown = new Set(slugs.slice(0, programsMax))
    return htmlResponse(
      JobsPage({
        context,
        now,
        counts,
        outbox,
        listings: listings.filter(({ slug }) => shown.has(slug)),
        nextAfter: slugs.length > programsMax ? slugs[programsMax - 1] : undefined,
        after,
        done: url.searchParams.get('done'),
      }),
    )
  }

  const retry = async (visit: Visit): Promise<Response> => {
    const job_name = visit.form.get('job') ?? ''
    const version = visit.form.get('version') ?? ''
    const known = Object.hasOwn(jobNames, job_name) && /^[1-9]\d{0,14}$/.test(version)
    const thing = { job_name, program_version_id: Number(version) }
    if (!known || !(await retryDerived(db, thing, deedOf(visit))))
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
