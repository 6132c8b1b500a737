// Compares two versions of a program side by side.

/** @jsxImportSource preact */

import type { VersionId } from '../../../db/programs/program-overviews.ts'
import type { StoredProgramVersion } from '../../../db/programs/programs.ts'
import { compareDefinitions, type VersionDifference } from '../../../domain/comparison/version-diff.ts'
import { describeWhole, withoutQuestions } from '../../../domain/definitions/version-definition.ts'
import { questionKey } from '../../../domain/questions/question-key.ts'
import { kindLabel } from '../../../domain/readable/question-labels.ts'
import { Badge, type Column, figures, Table } from '../../html/components.tsx'
import { SelectField, Submit } from '../../html/fields.tsx'
import { versionName } from './program-in-view.ts'
import { type ProgramPageProps, ProgramShell, pathOfProgram } from './program-shell.tsx'

const tones = { new: 'good', changed: 'attention', removed: 'bad' } as const

/** A first version is all new, so it is collapsed on narrow screens. `sharedWith` has the names of other programs that ask a question, by admin name. */
export function Comparison(props: {
  before: StoredProgramVersion | undefined
  after: StoredProgramVersion
  sharedWith?: ReadonlyMap<string, readonly string[]>
}) {
  const { before, after, sharedWith } = props
  const compared = compareDefinitions(describeWhole(before ?? withoutQuestions(after)), describeWhole(after))
  // In a first version, every question comes below its screen.
  const rows = before === undefined ? compared.map(withoutScreen) : compared
  const linesMax = linesOf(rows)
  const columns: Column<VersionDifference>[] = [
    {
      head: 'Part',
      cell: difference => (
        <What
          one={difference}
          sharedWith={difference.of === 'question' ? sharedWith?.get(difference.subject) : undefined}
        />
      ),
    },
    { head: versionName(after), cell: difference => <Side one={difference} side="now" linesMax={linesMax} /> },
  ]
  if (before !== undefined)
    columns.splice(1, 0, {
      head: versionName(before),
      cell: difference => <Side one={difference} side="before" linesMax={linesMax} />,
    })
  const table = (
    <div class="comparison">
      <Table caption={`Changes in ${versionName(after)}`} rows={rows} empty="No changes." columns={columns} />
    </div>
  )
  if (before !== undefined) return table
  return (
    <details class="narrow-fold">
      <summary>All screens and questions</summary>
      {table}
    </details>
  )
}

const withoutScreen = (difference: VersionDifference): VersionDifference => ({
  ...difference,
  facts: difference.facts.filter(({ label }) => label !== 'Screen'),
})

function What({ one: difference, sharedWith }: { one: VersionDifference; sharedWith: readonly string[] | undefined }) {
  const { of, subject, title, kind, mark } = difference
  return (
    <>
      <span class="strong" dir="auto">
        {of === 'screen' ? `Screen “${title}”` : title}
      </span>{' '}
      <Badge tone={tones[mark]}>{mark}</Badge>
      {kind !== undefined && (
        <small>
          <span class="kind">{kindLabel(kind)}</span> <code>{questionKey(subject)}</code>
        </small>
      )}
      {sharedWith !== undefined && <small>also used in {sharedWith.join(', ')}</small>}
    </>
  )
}

/** Maximum number of lines shown for each fact, fewer if there are many facts. The version's document has all lines. */
const linesOf = ({ length }: readonly VersionDifference[]): number =>
  Math.max(5, Math.min(100, Math.floor(2000 / length)))

interface SideProps {
  one: VersionDifference
  side: 'before' | 'now'
  linesMax: number
}

function Side({ one: difference, side, linesMax }: SideProps) {
  const gone =
    difference.of !== 'question'
      ? 'removed'
      : difference.kind === 'STATIC'
        ? 'no longer shown'
        : 'no longer asked, stays in exports'
  if (side === 'before' && difference.mark === 'new') return <span class="soft">none</span>
  if (side === 'now' && difference.mark === 'removed') return <span class="soft">{gone}</span>
  if (difference.mark === 'removed')
    return <span class="soft">{difference.of === 'question' ? 'asked' : 'present'}</span>
  if (difference.facts.length === 0) return null
  return (
    <dl>
      {difference.facts.map(({ label, [side]: lines }) => (
        <>
          <dt>{label}</dt>
          <dd dir="auto">
            {lines.length === 0 ? (
              <span class="soft">not in this version</span>
            ) : (
              lines.slice(0, linesMax).map(line => <div>{line}</div>)
            )}
            {lines.length > linesMax && <div class="soft">and {figures(lines.length - linesMax)} more</div>}
          </dd>
        </>
      ))}
    </dl>
  )
}

export function ComparePage(
  props: ProgramPageProps & {
    versions: readonly VersionId[]
    before: StoredProgramVersion
    after: StoredProgramVersion
  },
) {
  const { program, versions, before, after } = props
  const choices = versions.map(version => ({
    value: String(version.program_version_id),
    text: `${versionName(version)} (${version.program_version_id})`,
  }))
  const field = (name: string, label: string, { program_version_id }: StoredProgramVersion) => (
    <SelectField name={name} label={label} value={String(program_version_id)} choices={choices} />
  )
  return (
    <ProgramShell program={program} tab="versions" title={`From ${versionName(before)} to ${versionName(after)}`}>
      <form class="filters fields" action={`${pathOfProgram(program.slug)}/versions/compare`}>
        {field('from', 'From', before)}
        {field('to', 'To', after)}
        <Submit look="plain" text="Compare" />
      </form>
      <Comparison before={before} after={after} />
    </ProgramShell>
  )
}
