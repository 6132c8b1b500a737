// Shows an application exactly as clients receive it.

/** @jsxImportSource preact */

import type { ApplicationDetails } from '../../../db/applications/application-details.ts'
import type { Program } from '../../../db/programs/programs.ts'
import { indentedJson } from '../../../domain/values/indented-json.ts'
import { figures, LinkButton } from '../../html/components.tsx'
import { CopyButton, IndentedText } from '../../html/secret.tsx'
import { Shell } from '../../html/shell.tsx'
import { applicationsPath, crumbsOf } from './list-query.ts'

/** Longer applications can only be downloaded, because browsers are slow to show them. */
const shownBytesMax = 256 * 1024

export function ExportedPage(props: { program: Program; application: ApplicationDetails; bytes: Buffer }) {
  const { program, application, bytes } = props
  const shown = bytes.length <= shownBytesMax ? bytes.toString() : undefined
  return (
    <Shell
      title={`Application ${application.application_id} as exported`}
      heading="As exported"
      part="applications"
      crumbs={[...crumbsOf(program, application.application_id), { text: 'As exported' }]}
      lead={`What connected systems receive if they export it now (${figures(bytes.length)} bytes). Viewing and downloading are recorded in the audit log.`}
      actions={
        <>
          {shown !== undefined && <CopyButton of="exact" />}
          <LinkButton
            main
            href={`${applicationsPath(program.slug)}/${application.application_id}/download`}
            icon="download"
            text="Download"
          />
        </>
      }
    >
      {shown === undefined ? (
        <p class="card">This application is too long to show here. Download it instead.</p>
      ) : (
        <>
          <section class="card">
            <h2>Formatted</h2>
            <IndentedText>{indentedJson(shown)}</IndentedText>
          </section>
          <details class="card">
            <summary>Exact bytes</summary>
            <pre class="document" id="exact">
              {shown}
            </pre>
          </details>
        </>
      )}
    </Shell>
  )
}
