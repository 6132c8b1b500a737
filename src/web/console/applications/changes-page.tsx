// What changed from the application before to this one.

/** @jsxImportSource preact */

import type { ApplicationDetails, Revision } from '../../../db/applications/application-details.ts'
import type { Program } from '../../../db/programs/programs.ts'
import type { ApplicationChange } from '../../../domain/readable/application-changes.ts'
import { Badge, Notice, Table, When } from '../../html/components.tsx'
import { Shell } from '../../html/shell.tsx'
import { Lines } from './answers-view.tsx'
import { crumbsOf } from './application-page.tsx'
import { applicationsPath } from './list-query.ts'

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
      title={`What changed in application ${application.application_id}`}
      heading="What changed"
      part="applications"
      crumbs={[...crumbsOf(program, application.application_id), { text: 'What changed' }]}
      lead={
        <>
          From <a href={`${applicationsPath(program.slug)}/${earlier.application_id}`}>{earlier.application_id}</a> of{' '}
          <When at={earlier.submit_time} /> to {application.application_id} of <When at={application.submit_time} />.
        </>
      }
    >
      {earlier.program_version_id !== application.program_version_id && (
        <Notice name="republished" tone="info">
          The program was published again in between, so the questions may be others too.
        </Notice>
      )}
      <Table<ApplicationChange>
        caption="Answers that changed"
        rows={props.changes}
        empty="Every answer is the same."
        columns={[
          { head: 'Question', cell: one => <Path {...one} /> },
          { head: 'Before', cell: ({ before, isEntity }) => <Side lines={before} isEntity={isEntity} /> },
          { head: 'Now', cell: ({ now, isEntity }) => <Side lines={now} isEntity={isEntity} /> },
        ]}
      />
      {props.more && <p>There are more changes than a page can show.</p>}
    </Shell>
  )
}

const Path = ({ path, isEntity, now }: ApplicationChange) => (
  <>
    {path.slice(0, -1).map(step => (
      <small>{step}</small>
    ))}
    <strong dir="auto">{path.at(-1)}</strong>{' '}
    {isEntity && <Badge tone="attention">{now.length > 0 ? 'new' : 'gone'}</Badge>}
  </>
)

/** Of an entity that is new or gone, what is answered about it is in a fold. */
function Side({ lines, isEntity }: { lines: ApplicationChange['now']; isEntity: boolean | undefined }) {
  const [name, ...about] = lines
  if (name === undefined) return <span class="soft">{isEntity ? 'not there' : 'nothing'}</span>
  if (!isEntity || about.length === 0) return <Lines lines={lines} />
  return (
    <details>
      <summary dir="auto">{name.text}</summary>
      <Lines lines={about} />
    </details>
  )
}
