// An application as clients get it.

/** @jsxImportSource preact */

import type { ApplicationDetails } from '../../../db/applications/application-details.ts'
import type { Program } from '../../../db/programs/programs.ts'
import { indentedJson } from '../../../domain/values/indented-json.ts'
import { figures, LinkButton } from '../../html/components.tsx'
import { CopyButton, IndentedText } from '../../html/secret.tsx'
import { Shell } from '../../html/shell.tsx'
import { crumbsOf } from './application-page.tsx'
import { applicationsPath } from './list-query.ts'

/** What is longer is for a download: a browser takes long over it. */
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
      lead={`What a client gets that reads it now, ${figures(bytes.length)} bytes. Reading it here is noted in the audit log, as a download is.`}
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
        <p class="card">It is too long to be shown here. Download it to read it.</p>
      ) : (
        <>
          <section class="card">
            <h2>With line breaks</h2>
            <IndentedText>{indentedJson(shown)}</IndentedText>
          </section>
          <details class="card">
            <summary>To the letter</summary>
            <pre class="document" id="exact">
              {shown}
            </pre>
          </details>
        </>
      )}
    </Shell>
  )
}
