// What changed from the application before to this one.

/** @jsxImportSource preact */

import type { ApplicationDetails, Revision } from '../../db/applications/application-details.ts'
import type { Program } from '../../db/programs/programs.ts'
import type { ApplicationChange } from '../../domain/readable/application-changes.ts'
import { Notice, Table, When } from '../../html/parts.tsx'
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
        <Notice tone="info">The program was published again in between, so the questions may be others too.</Notice>
      )}
      <Table<ApplicationChange>
        caption="Answers that changed"
        rows={props.changes}
        empty="Every answer is the same."
        columns={[
          { head: 'Question', cell: ({ path }) => <Path path={path} /> },
          { head: 'Before', cell: ({ before }) => <Side lines={before} /> },
          { head: 'Now', cell: ({ now }) => <Side lines={now} /> },
        ]}
      />
      {props.more && <p>There are more changes than a page can show.</p>}
    </Shell>
  )
}

const Path = ({ path }: { path: readonly string[] }) => (
  <>
    {path.slice(0, -1).map(step => (
      <small>{step}</small>
    ))}
    <strong>{path.at(-1)}</strong>
  </>
)

const Side = ({ lines }: { lines: ApplicationChange['now'] }) =>
  lines.length === 0 ? <span class="soft">nothing</span> : <Lines lines={lines} />
