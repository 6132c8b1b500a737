// Compares an application with the one it replaced.

/** @jsxImportSource preact */

import type { ApplicationDetails, Revision } from '../../../db/applications/application-details.ts'
import type { Program } from '../../../db/programs/programs.ts'
import type { ApplicationChange } from '../../../domain/readable/application-changes.ts'
import { Badge, Notice, Table, When } from '../../html/components.tsx'
import { Shell } from '../../html/shell.tsx'
import { Lines } from './answers-view.tsx'
import { applicationsPath, crumbsOf } from './list-query.ts'

export function ChangesPage(props: {
  program: Program
  application: ApplicationDetails
  earlier: Revision
  changes: readonly ApplicationChange[]
  more: boolean
}) {
  const { program, application, earlier } = props
  return (
    <Shell
      title={`Changes in application ${application.application_id}`}
      heading="Changes"
      part="applications"
      crumbs={[...crumbsOf(program, application.application_id), { text: 'Changes' }]}
      lead={
        <>
          From <a href={`${applicationsPath(program.slug)}/${earlier.application_id}`}>{earlier.application_id}</a>{' '}
          (submitted <When at={earlier.submit_time} />) to {application.application_id} (submitted{' '}
          <When at={application.submit_time} />
          ).
        </>
      }
    >
      {earlier.program_version_id !== application.program_version_id && (
        <Notice name="republished" tone="info">
          A new program version was published after the earlier submission, so some questions may differ.
        </Notice>
      )}
      <Table<ApplicationChange>
        caption="Changed answers"
        rows={props.changes}
        empty="No answers changed."
        columns={[
          { head: 'Question', cell: change => <Path {...change} /> },
          { head: 'Before', cell: ({ before, isEntity }) => <Side lines={before} isEntity={isEntity} /> },
          { head: 'Now', cell: ({ now, isEntity }) => <Side lines={now} isEntity={isEntity} /> },
        ]}
      />
      {props.more && <p>Only the first changes are shown.</p>}
    </Shell>
  )
}

const Path = ({ path, isEntity, now }: ApplicationChange) => (
  <>
    {path.slice(0, -1).map(step => (
      <small>{step}</small>
    ))}
    <strong dir="auto">{path.at(-1)}</strong>{' '}
    {isEntity && <Badge tone="attention">{now.length > 0 ? 'new' : 'removed'}</Badge>}
  </>
)

/** The answers about a new or removed entity are collapsed. */
function Side({ lines, isEntity }: { lines: ApplicationChange['now']; isEntity: boolean | undefined }) {
  const [name, ...about] = lines
  if (name === undefined) return <span class="soft">{isEntity ? 'none' : 'not answered'}</span>
  if (!isEntity || about.length === 0) return <Lines lines={lines} />
  return (
    <details>
      <summary dir="auto">{name.text}</summary>
      <Lines lines={about} />
    </details>
  )
}
