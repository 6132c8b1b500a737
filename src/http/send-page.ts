// A page on its way: from the walk and its questions to the response that streams it, and what is noted when it has ended.

import type { ExportPlace } from '../access/limits.ts'
import type { ProgramKeyMap } from '../derived/program-key-map.ts'
import { framingOf } from '../export/framings/all-framings.ts'
import { pageLimits } from '../export/page-limits.ts'
import type { Sink } from '../export/page-outlet.ts'
import { sentQuestions } from '../export/sent-questions.ts'
import { type Serving, servePage } from '../export/serve-page.ts'
import type { PageReceipt } from '../export/write-page.ts'
import { currentSpan } from '../tracing/current-span.ts'
import { Steps } from '../tracing/span.ts'
import { compressed } from './compressed-sink.ts'
import type { Coding } from './content-coding.ts'
import { wantedDigest } from './content-digest.ts'
import type { Deps } from './deps.ts'
import { onceGranted } from './granted-sink.ts'
import type { OpenedExport } from './opened-export.ts'
import { ignored, type PageHead } from './page-head.ts'
import type { Outcome } from './request-record.ts'
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
  const page = { walk, after, fills, isFollowed, framing: framingOf(format, questions) }
  const span = currentSpan()
  const steps = span === undefined ? undefined : new Steps(span, 'batch')
  const note = (receipt: PageReceipt): void => {
    record.fields.applications = receipt.applications
    record.fields.bytes = receipt.bytes
    steps?.end(receipt.applications, receipt.outcome === 'failed')
    void deps.trail.note({
      apiKeyId: caller.api_key_id,
      address: caller.address,
      requestId: record.id,
      programSlug: opened.programSlug,
      walk,
      format,
      questions: sentQuestions(questions.keyMap, walk.fields, caller.hidden),
      after,
      beganAt: opened.beganAt,
      receipt,
    })
  }
  const serving: Serving = { ...servingOf(deps, coding), note, steps }
  const produce = (sink: Sink): Promise<Outcome> => servePage(page, serving, sink).finally(place.end)
  const granted = Promise.all([head.told, place.granted])
  granted.catch(ignored)
  const send = (client: Sink): Promise<Outcome> => {
    const sink = onceGranted(granted, client)
    return coding === undefined ? produce(sink) : compressed(coding, sink, produce)
  }
  const digest = wantedDigest(request.headers.get('want-content-digest'))
  return streamResponse(record, () => head.headers, opened.queueTime, send, digest)
}

function servingOf({ config, exports, now }: Deps, coding: Coding | undefined): Omit<Serving, 'note' | 'steps'> {
  const { letGoAfterMs, stallTimeoutMs, pageTokenKeys } = config
  return {
    limits: { ...pageLimits, letGoAfterMs, stallTimeoutMs },
    exports,
    buffers: coding === undefined ? exports.buffers : exports.compressedBuffers,
    pageTokenKeys,
    now,
  }
}
