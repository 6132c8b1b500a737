// Serves an uploaded file at its URL in applications, always as a download, because an upload may not be what it claims to be.

import { findFile } from '../../../core/files/open-file.ts'
import { attachment, savedFileName } from '../../../domain/files/file-names.ts'
import type { Deps } from '../../http/server/deps.ts'
import { findSeenProgram, readers } from '../applications/find-applications.ts'
import { type PageRoute, pageAt } from '../requests/action.ts'
import { download, fileHeaders } from '../requests/download.ts'

export const filePage = (deps: Deps): PageRoute =>
  pageAt('/admin/programs/:slug/files/:fileId', readers, async ({ request, person, params, by }) => {
    const { consoleDb: db, fileStore } = deps
    const { program_id } = await findSeenProgram(db, person, params.slug!)
    const { file, open } = await findFile(db, fileStore, { program_id, file_id: params.fileId! }, by)
    const fileName = savedFileName(file.name, file.file_type)
    const headers = fileHeaders('application/octet-stream', attachment(fileName))
    headers.set('Content-Security-Policy', "sandbox; default-src 'none'; frame-ancestors 'none'")
    headers.set('Cross-Origin-Resource-Policy', 'same-origin')
    return download(deps, request, headers, async () => wholeContent(await open(), file.bytes))
  })

/** The parts of a file of a known length. If the file is shorter by now, the response is cut off. */
async function* wholeContent(content: AsyncIterable<Uint8Array>, length: number) {
  let sent = 0
  for await (const bytes of content) {
    sent += bytes.length
    yield { bytes, isLast: sent === length }
  }
  if (sent !== length) throw new Error(`an uploaded file has ${sent} bytes instead of ${length}`)
}
