// Streams a file to the browser, such as a CSV file. The file is complete, or the download visibly fails.

import { settledWithin } from '../../../base/settled-within.ts'
import type { Sink } from '../../../core/export/pages/page-outlet.ts'
import { streamResponse } from '../../http/export/stream-response.ts'
import type { Deps } from '../../http/server/deps.ts'
import { type RequestOutcome, recordOf } from '../../http/server/request-record.ts'

/** A part of a file, marked if it is the last one. The next part is generated after this one was taken. */
export interface FilePart {
  bytes: Uint8Array
  isLast: boolean
}

/** A file that is held in memory. */
export async function* wholeFile(bytes: Uint8Array): AsyncGenerator<FilePart> {
  yield { bytes, isLast: true }
}

export const csvType = 'text/csv; charset=utf-8; header=present'

/** Headers of a file to save; `disposition` contains its name. */
export const fileHeaders = (type: string, disposition: string): Headers =>
  new Headers({
    'Content-Type': type,
    'Content-Disposition': disposition,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })

/** The response. `begin` reads and records everything that must precede the first byte; a HEAD request skips it. */
export async function download(
  { config }: Pick<Deps, 'config'>,
  request: Request,
  headers: Headers,
  begin: () => Promise<AsyncIterable<FilePart>>,
): Promise<Response> {
  const record = recordOf(request)
  if (request.method === 'HEAD') {
    record.lengthUnknown = true
    return new Response(null, { headers })
  }
  const parts = await begin()
  const produce = async (sink: Sink): Promise<RequestOutcome> => {
    for await (const { bytes, isLast } of parts) {
      const written = Promise.resolve(sink.write(bytes, isLast))
      if (!(await settledWithin(config.stallTimeoutMs, written))) return 'stalled'
      if (!(await written)) return 'client_gone'
    }
    return 'complete'
  }
  return streamResponse(record, { headers }, performance.now() + config.exportQueueTimeoutMs, produce)
}
