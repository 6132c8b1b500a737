// Where one begins: what needs attention, then how the programs are doing to which was submitted last, and what happened lately.

/** @jsxImportSource preact */

import { programsAmong } from '../../../core/people/roles.ts'
import type { Attention } from '../../../db/dashboard/attention.ts'
import { type ProgramInUse, readProgramsInUse } from '../../../db/dashboard/program-figures.ts'
import { readPrograms } from '../../../db/programs/programs.ts'
import { LinkButton, When } from '../../html/components.tsx'
import { IntakeBadge } from '../../html/lists.tsx'
import { everyRole, readingRoles } from '../../html/navigation.ts'
import { mayEditPrograms, usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import type { Deps } from '../../http/server/deps.ts'
import { type PageRoute, pageAt } from '../requests/action.ts'
import { AttentionList, loadAttention, marksOf } from './attention-list.tsx'
import { type Activity, ByStatus, loadActivity, ReadBy, Submitted } from './program-activity.tsx'
import { Lately, loadLately } from './recent-activity.tsx'

const programsShown = 4

export const homePage = (deps: Deps): PageRoute =>
  pageAt('/admin', everyRole, async visit => {
    const { person, now } = visit
    const attention = await loadAttention(deps, person, now)
    visit.context = { ...visit.context, loadMarks: async () => marksOf(attention) }
    const among = programsAmong(person)
    const programs = await readProgramsInUse(deps.consoleDb, { among, rowsMax: programsShown })
    const isEmpty = programs.length === 0 && (await readPrograms(deps.consoleDb)).length === 0
    const activities = await Promise.all(programs.map(program => loadActivity(deps, program, now)))
    const lately = readingRoles.includes(person.role) ? await loadLately(deps) : undefined
    const shown = programs.map((one, i) => ({ ...one, ...activities[i]! }))
    return <HomePage attention={attention} programs={shown} isEmpty={isEmpty} lately={lately} />
  })

interface HomeProps {
  attention: readonly Attention[]
  programs: readonly (ProgramInUse & Activity)[]
  /** Whether there is no program at all. */
  isEmpty: boolean
  /** Undefined to those who may not read the audit log. */
  lately: Awaited<ReturnType<typeof loadLately>> | undefined
}

function HomePage({ attention, programs, isEmpty, lately }: HomeProps) {
  const { now } = usePage()
  const hasLately = lately !== undefined && lately.entries.length > 0
  return (
    <Shell
      title="Home"
      part="home"
      lead={
        <>
          <When at={now} day />. What needs attention
          {hasLately ? ', how the programs are doing, and what happened lately.' : ', and how the programs are doing.'}
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
      {hasLately && <Lately {...lately} />}
    </Shell>
  )
}

/** What comes first, where nothing was submitted: a program, by those who may make one. */
function NothingYet({ isEmpty }: Pick<HomeProps, 'isEmpty'>) {
  if (!isEmpty || !mayEditPrograms(usePage()))
    return (
      <p class="card empty">
        No application was submitted yet. Once a <a href="/admin/programs">program</a> is published, it takes them.
      </p>
    )
  return (
    <div class="card empty stack">
      <p>There is no program yet. Create the first one; once it is published, it takes applications.</p>
      <p>
        <LinkButton main href="/admin/new-program" icon="plus" text="New program" />
      </p>
    </div>
  )
}
