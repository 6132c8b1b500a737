// The frame of a program's pages: heading, status line and tabs; also lists of changes.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import type { ProgramOverview } from '../../../db/programs/program-overviews.ts'
import type { StoredProgramVersion } from '../../../db/programs/programs.ts'
import { hashOf, type PlaceInProgram } from '../../../domain/comparison/unusual-parts.ts'
import type { VersionChange } from '../../../domain/comparison/version-diff.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import { Badge, counted, distance, figures, Notice, Tabs, When, Who } from '../../html/components.tsx'
import { IntakeBadge } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'

type ProgramTab = 'overview' | 'questions' | 'versions' | 'settings'

export interface ProgramPageProps {
  program: ProgramOverview
}

/** When something was published or saved, and by whom, or “none”. */
export const MadeBy = ({ at, by }: { at: Micros | null; by: string | null }) =>
  at === null ? (
    <>none</>
  ) : (
    <>
      <When at={at} /> by <Who actor={by} />
    </>
  )

/** The path of a program's page. */
export const pathOfProgram = (slug: string): string => `/admin/programs/${slug}`

/** The path of a version's preview. The draft's stays the same after each save. */
export const previewPath = (
  slug: string,
  { state, program_version_id }: Pick<StoredProgramVersion, 'state' | 'program_version_id'>,
): string => `${pathOfProgram(slug)}/${state === 'DRAFT' ? 'draft' : `versions/${program_version_id}`}/preview`

/** The path of a place in the program's editor. */
export const editPath = (slug: string, place: PlaceInProgram): string => `${pathOfProgram(slug)}/edit#${hashOf(place)}`

/** Gives the browser tabs of a program distinct titles. */
const tabTitles: Readonly<Record<ProgramTab, string>> = {
  overview: 'Overview',
  questions: 'Questions',
  versions: 'Versions',
  settings: 'Settings',
}

export function ProgramShell(
  props: ProgramPageProps & {
    tab: ProgramTab
    /** The title of a page below the tab. */
    title?: string
    actions?: ComponentChildren
    changes?: number
    scripts?: readonly string[] | undefined
    children: ComponentChildren
  },
) {
  const { program, tab } = props
  const { origin } = usePage()
  return (
    <Shell
      title={`${props.title ?? tabTitles[tab]} · ${program.display_name}`}
      heading={props.title ?? program.display_name}
      part="programs"
      scripts={props.scripts}
      crumbs={[
        { text: 'Programs', path: '/admin/programs' },
        ...(props.title === undefined
          ? [{ text: program.display_name }]
          : [{ text: program.display_name, path: `/admin/programs/${program.slug}` }, { text: props.title }]),
      ]}
      actions={props.actions}
      lead={
        <>
          <States program={program} changes={props.changes} /> <code>{program.slug}</code> ·{' '}
          <Submissions program={program} />
        </>
      }
    >
      <ProgramTabs program={program} tab={tab} />
      {origin !== undefined && (
        <Notice name="followed" tone="info">
          <strong>Managed in {origin}.</strong> Edit questions, versions and statuses there; changes arrive here within
          seconds. Changes made here would be overwritten.
        </Notice>
      )}
      {props.children}
    </Shell>
  )
}

function ProgramTabs({ program, tab }: ProgramPageProps & { tab: ProgramTab }) {
  const { person, origin } = usePage()
  const path = pathOfProgram(program.slug)
  const reads = person?.role !== 'PROGRAM_ADMINISTRATOR'
  const changes = person?.role === 'ADMINISTRATOR'
  return (
    <Tabs
      label="Program"
      tabs={[
        { text: 'Overview', path, current: tab === 'overview' },
        ...(reads
          ? [
              { text: 'Questions', path: `${path}/questions`, current: tab === 'questions' },
              {
                text: 'Versions',
                path: `${path}/versions`,
                count: program.published_versions,
                current: tab === 'versions',
              },
            ]
          : []),
        { text: 'Applications', path: `${path}/applications`, current: false },
        { text: 'Documentation', path: `/docs/api/programs/${program.slug}`, current: false },
        // For a followed program, only the retention period is set here.
        ...(changes
          ? [
              {
                text: 'Settings',
                path: `${path}/${origin === undefined ? 'settings' : 'retention'}`,
                current: tab === 'settings',
              },
            ]
          : []),
      ]}
    />
  )
}

export function States({ program, changes }: { program: ProgramOverview; changes?: number }) {
  const { active_version_number: active, draft_version_id: draft } = program
  return (
    <>
      {active !== null && <Badge tone="good">Active · version {active}</Badge>}{' '}
      {draft !== null && (
        <Badge tone="attention">
          {changes === undefined || active === null ? 'Draft' : `Draft · ${counted(changes, 'change')}`}
        </Badge>
      )}
      {active === null && draft === null && <Badge>Not published</Badge>} <IntakeBadge state={program.intake_state} />
    </>
  )
}

function Submissions({ program }: { program: ProgramOverview }) {
  const { now } = usePage()
  const { submissions, last_submit_time: last } = program
  if (submissions === 0) return <>No applications yet</>
  return (
    <>
      {counted(submissions, 'application')} submitted
      {last !== null && ` · most recent ${distance(Math.min(last, now), now)}`}
    </>
  )
}

/** A list of changes, each with its subject. `more` is the number of further changes that aren't in `changes`. */
export function Changes({
  changes,
  most,
  more = 0,
}: {
  changes: readonly VersionChange[]
  most?: number
  more?: number
}) {
  if (changes.length === 0) return <p class="soft">No changes.</p>
  const shown = changes.slice(0, most)
  const rest = changes.length - shown.length + more
  return (
    <ul>
      {shown.map(({ subject, detail }) => (
        <li dir="auto">
          {subject !== '' && <strong>{subject}: </strong>}
          {detail}
        </li>
      ))}
      {rest > 0 && <li class="soft">and {figures(rest)} more</li>}
    </ul>
  )
}
