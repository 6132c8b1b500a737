// The home page: items that need attention, the four programs with the most recent submissions, and recent activity.

/** @jsxImportSource preact */

import { programsAmong } from '../../../core/people/roles.ts'
import type { Attention } from '../../../db/dashboard/attention.ts'
import { type ProgramInUse, readProgramsInUse } from '../../../db/dashboard/program-figures.ts'
import { readPrograms } from '../../../db/programs/programs.ts'
import { LinkButton, When } from '../../html/components.tsx'
import { IntakeBadge } from '../../html/lists.tsx'
import { accountRoles, readingRoles } from '../../html/navigation.ts'
import { mayEditPrograms, usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import type { Deps } from '../../http/server/deps.ts'
import { type PageRoute, pageAt } from '../requests/action.ts'
import { redirect } from '../requests/console-request.ts'
import { AttentionList, loadAttention, marksOf } from './attention-list.tsx'
import { type Activity, ByStatus, loadActivity, ReadBy, Submitted } from './program-activity.tsx'
import { loadRecent, RecentActivity } from './recent-activity.tsx'

const programsShown = 4

export const homePage = (deps: Deps): PageRoute =>
  pageAt('/admin', accountRoles, async request => {
    const { person, now } = request
    if (person.role === 'INTERMEDIARY') return redirect(request, '/apply/-/clients')
    const attention = await loadAttention(deps, person, now)
    request.context = { ...request.context, loadMarks: async () => marksOf(attention) }
    const among = programsAmong(person)
    const programs = await readProgramsInUse(deps.consoleDb, { among, rowsMax: programsShown })
    const isEmpty = programs.length === 0 && (await readPrograms(deps.consoleDb)).length === 0
    const activities = await Promise.all(
      programs.map(program => loadActivity(deps.consoleDb, program, request.context)),
    )
    const recent = readingRoles.includes(person.role) ? await loadRecent(deps) : undefined
    const shown = programs.map((program, i) => ({ ...program, ...activities[i]! }))
    return <HomePage attention={attention} programs={shown} isEmpty={isEmpty} recent={recent} />
  })

interface HomeProps {
  attention: readonly Attention[]
  programs: readonly (ProgramInUse & Activity)[]
  /** Whether there are no programs at all. */
  isEmpty: boolean
  /** Undefined if the person may not read the audit log. */
  recent: Awaited<ReturnType<typeof loadRecent>> | undefined
}

function HomePage({ attention, programs, isEmpty, recent }: HomeProps) {
  const { now } = usePage()
  const hasRecent = recent !== undefined && recent.entries.length > 0
  return (
    <Shell
      title="Home"
      part="home"
      lead={
        <>
          <When at={now} day />. Items needing attention
          {hasRecent ? ', program activity and recent events.' : ' and program activity.'}
        </>
      }
    >
      <section class="stack" aria-labelledby="attention">
        <h2 id="attention">Needs attention</h2>
        <AttentionList rows={attention} />
      </section>
      {programs.length === 0 ? (
        <NothingYet isEmpty={isEmpty} />
      ) : (
        <div class="columns even">
          {programs.map(program => (
            <section class="card" aria-labelledby={`of-${program.slug}`}>
              <h2 id={`of-${program.slug}`}>
                <a class="strong" dir="auto" href={`/admin/programs/${program.slug}`}>
                  {program.display_name}
                </a>{' '}
                <IntakeBadge state={program.intake_state} />
              </h2>
              <Submitted {...program} />
              <ByStatus {...program} />
              <ReadBy readers={program.readers.slice(0, 3)} last={program.last_submit_time} />
            </section>
          ))}
        </div>
      )}
      {hasRecent && <RecentActivity {...recent} />}
    </Shell>
  )
}

/** What to do first in an empty installation: create a program, if the person may. */
function NothingYet({ isEmpty }: Pick<HomeProps, 'isEmpty'>) {
  if (!isEmpty || !mayEditPrograms(usePage()))
    return (
      <p class="card empty">
        No applications yet. They appear here once a <a href="/admin/programs">program</a> is published and people
        apply.
      </p>
    )
  return (
    <div class="card empty stack">
      <p>No programs yet. Create and publish one to start taking applications.</p>
      <p>
        <LinkButton main href="/admin/new-program" icon="plus" text="New program" />
      </p>
    </div>
  )
}
