// A page on its way: from the walk and its questions to the response that streams it, and what is noted when it has ended.

import { sentQuestions } from '../../audit/sent-questions.ts'
import type { ProgramKeyMap } from '../../derived/program-key-map.ts'
import { framingOf } from '../../export/framings/all-framings.ts'
import { pageLimits } from '../../export/pages/page-limits.ts'
import type { Sink } from '../../export/pages/page-outlet.ts'
import { type Serving, servePage } from '../../export/pages/serve-page.ts'
import type { ExportPlace } from '../../keys/limits.ts'
import { currentSpan, Steps } from '../../tracing/span.ts'
import { wantedDigest } from '../headers/content-digest.ts'
import type { Coding } from '../headers/negotiation.ts'
import type { Deps } from '../server/deps.ts'
import type { Outcome, RequestRecord } from '../server/request-record.ts'
import { compressed } from './compressed-sink.ts'
import type { OpenedExport } from './opened-export.ts'
import { ignored, type PageHead } from './page-head.ts'
import { streamResponse } from './stream-response.ts'

/** `place` is one of the key's places for exports; it is given back when the page has ended. */
export function sendPage(
  deps: Deps,
  opened: OpenedExport,
  questions: ProgramKeyMap,
  head: PageHead,
  place: ExportPlace,
): Promise<Response> {
  const { after, caller, coding, record, request, walk } = opened
  const { format } = opened.offered
  record.fields.format = format
  if (coding !== undefined) record.fields.encoding = coding
  const { fills, isFollowed } = questions
  const sentTo = {
    apiKeyId: caller.api_key_id,
    address: caller.address,
    requestId: record.id,
    programSlug: opened.programSlug,
    format,
    questions: sentQuestions(questions.keyMap, walk.fields, caller.hidden),
    beganAt: opened.beganAt,
  }
  const page = { walk, after, fills, isFollowed, framing: framingOf(format, questions), sentTo }
  const serving = servingOf(deps, coding, record)
  const produce = (sink: Sink): Promise<Outcome> => servePage(page, serving, sink).finally(place.end)
  const send = (client: Sink): Promise<Outcome> =>
    coding === undefined ? produce(client) : compressed(coding, client, produce)
  const granted = Promise.all([head.quotaSet, place.granted])
  granted.catch(ignored)
  const digest = wantedDigest(request.headers.get('want-content-digest'))
  return streamResponse(record, head, opened.deadlineMs, send, { granted, digest })
}

function servingOf(
  { config, exports, now, auditLog }: Deps,
  coding: Coding | undefined,
  { fields }: RequestRecord,
): Serving {
  const { releaseAfterMs, stallTimeoutMs, pageTokenKeys } = config
  const span = currentSpan()
  return {
    limits: { ...pageLimits, releaseAfterMs, stallTimeoutMs },
    exports,
    buffers: coding === undefined ? exports.buffers : exports.compressedBuffers,
    pageTokenKeys,
    now,
    steps: span === undefined ? undefined : new Steps(span, 'batch'),
    auditLog,
    fields,
  }
}
