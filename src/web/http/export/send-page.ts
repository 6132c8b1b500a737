// Streams a page of a walk as a response, and releases what it holds when it has ended.

import { currentSpan, Steps } from '../../../base/tracing/span.ts'
import type { SentQuestions } from '../../../core/audit/sent-questions.ts'
import type { ProgramKeyMap } from '../../../core/derived/program-key-map.ts'
import type { PageFraming } from '../../../core/export/framings/page-framing.ts'
import { pageLimits } from '../../../core/export/pages/page-limits.ts'
import type { Sink } from '../../../core/export/pages/page-outlet.ts'
import { type AnnouncedPage, type PageServing, servePage } from '../../../core/export/pages/serve-page.ts'
import { isOfLostWalk } from '../../../core/export/requests/page-token.ts'
import type { ExportPlace } from '../../../core/keys/limits.ts'
import { wantedDigest } from '../headers/content-digest.ts'
import type { Coding } from '../headers/negotiation.ts'
import type { Deps } from '../server/deps.ts'
import type { RequestOutcome, RequestRecord } from '../server/request-record.ts'
import { compressed } from './compressed-sink.ts'
import type { OpenedExport } from './opened-export.ts'
import { streamResponse } from './stream-response.ts'

/** A page of a walk and its format. */
interface PageToSend
  extends Pick<
    OpenedExport,
    'after' | 'beganAt' | 'caller' | 'coding' | 'deadlineMs' | 'programSlug' | 'record' | 'request' | 'walk'
  > {
  /** Format name in the log and the audit log. */
  format: string
  framing: PageFraming
  sent: SentQuestions
}

/** `place` is one of the key's concurrent exports, released when the page has ended. The first bytes wait for `granted`. */
export function sendPage(
  deps: Deps,
  opened: PageToSend,
  { fills, isFollowed }: ProgramKeyMap,
  head: { readonly headers: Headers; readonly announce?: (page: AnnouncedPage) => void },
  granted: Promise<unknown> | undefined,
  place: ExportPlace,
): Promise<Response> {
  const { after, caller, format, framing, record, walk } = opened
  const sentTo = {
    apiKeyId: caller.api_key_id,
    address: caller.address,
    requestId: record.id,
    programSlug: opened.programSlug,
    format,
    questions: opened.sent,
    beganAt: opened.beganAt,
  }
  const page = { walk, after, fills, isFollowed, framing, announce: head.announce, sentTo }
  const { now, auditLog, config, lostHistory } = deps
  const { pageTokenKeys } = config
  return sendStream(deps, opened, head, granted, (sink, serving) =>
    servePage(page, { ...serving, pageTokenKeys, now, auditLog }, sink)
      .catch((error: unknown) => {
        if (isOfLostWalk(error)) lostHistory.suspect(walk)
        throw error
      })
      .finally(place.end),
  )
}

/** Facts about the body that are known before it is generated. */
interface StreamToSend extends Pick<OpenedExport, 'request' | 'record' | 'coding' | 'deadlineMs'> {
  format: string
}

/** Sends what `produce` writes, compressed if the client accepts it. The first bytes wait for `granted`. */
export function sendStream(
  deps: Deps,
  { request, record, coding, deadlineMs, format }: StreamToSend,
  head: { readonly headers: Headers },
  granted: Promise<unknown> | undefined,
  produce: (sink: Sink, serving: PageServing) => Promise<RequestOutcome>,
): Promise<Response> {
  record.fields.format = format
  if (coding !== undefined) record.fields.encoding = coding
  const serving = servingOf(deps, coding, record)
  const send = (client: Sink): Promise<RequestOutcome> =>
    coding === undefined ? produce(client, serving) : compressed(coding, client, sink => produce(sink, serving))
  const digest = wantedDigest(request.headers.get('want-content-digest'))
  return streamResponse(record, head, deadlineMs, send, { ...(granted === undefined ? {} : { granted }), digest })
}

function servingOf({ config, exports }: Deps, coding: Coding | undefined, { fields }: RequestRecord): PageServing {
  const { releaseAfterMs, stallTimeoutMs } = config
  const span = currentSpan()
  return {
    limits: { ...pageLimits, releaseAfterMs, stallTimeoutMs },
    exports,
    buffers: coding === undefined ? exports.buffers : exports.compressedBuffers,
    steps: span === undefined ? undefined : new Steps(span, 'batch'),
    fields,
  }
}
