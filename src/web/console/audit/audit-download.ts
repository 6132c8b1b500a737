// Streams the matching events as CSV: the file is complete, or the download visibly fails.

import { csvRecord } from '../../../base/csv-text.ts'
import { Problem } from '../../../base/problem.ts'
import {
  type AuditEventRow,
  type AuditFilter,
  appendAuditEvent,
  countAuditEvents,
  readAuditEvents,
} from '../../../db/audit/audit.ts'
import { readApiKeyNames } from '../../../db/keys/api-key-rows.ts'
import { formatMicros, formatOffsetTime, type Micros } from '../../../domain/values/offset-time.ts'
import type { Deps } from '../../http/server/deps.ts'
import type { ConsoleRequest } from '../requests/console-request.ts'
import { csvType, download, type FilePart, fileHeaders } from '../requests/download.ts'

/** Maximum number of events per file: as many as spreadsheets open, about 60 MB. */
const downloadRowsMax = 200_000
const batchRows = 1000
const head = ['event', 'happened_at', 'actor', 'key_name', 'action', 'subject', 'address', 'detail']

type Download = Pick<Deps, 'consoleDb' | 'config'>

/** The file. Throws Problem `too_large` if more events match than a file can have, so that none is silently omitted. */
export async function downloadEvents(
  { consoleDb: db, config }: Download,
  request: Pick<ConsoleRequest, 'request' | 'address' | 'now'>,
  filter: AuditFilter,
  actor: string,
): Promise<Response> {
  const events = await countAuditEvents(db, filter, downloadRowsMax + 1)
  if (events > downloadRowsMax)
    throw new Problem('too_large', {
      detail: `A file can have at most ${downloadRowsMax.toLocaleString('en-US')} events, and more match. Choose a shorter period and download in parts.`,
    })
  const day = formatOffsetTime(request.now, config.timeZone).slice(0, 10)
  const headers = fileHeaders(csvType, `attachment; filename="audit-${day}.csv"`)
  return download({ config }, request.request, headers, async () => {
    // The newest event in the file is before this one.
    const [newest] = await readAuditEvents(db, filter, { beforeId: undefined, rowsMax: 1 })
    await appendAuditEvent(db, {
      actor,
      action: 'audit_log_downloaded',
      subject: 'audit',
      address: request.address,
      detail: { filters: shownFilter(filter), events },
    })
    return partsOf({ consoleDb: db, config }, filter, newest)
  })
}

async function* partsOf(
  { consoleDb: db, config }: Download,
  filter: AuditFilter,
  newest: AuditEventRow | undefined,
): AsyncGenerator<FilePart> {
  let text = csvRecord(head)
  let [batch, isLast] = [newest === undefined ? [] : [newest], false]
  while (!isLast) {
    text += await linesOf(db, batch, config.timeZone)
    const beforeId = batch.at(-1)?.audit_event_id
    batch = beforeId === undefined ? [] : await readAuditEvents(db, filter, { beforeId, rowsMax: batchRows })
    isLast = batch.length === 0
    yield { bytes: Buffer.from(text), isLast }
    text = ''
  }
}

async function linesOf(db: Deps['consoleDb'], events: readonly AuditEventRow[], timeZone: string): Promise<string> {
  const keys = events.flatMap(({ actor }) => (actor.startsWith('key:') ? [actor.slice(4)] : []))
  const names = await readApiKeyNames(db, [...new Set(keys)])
  const lines = events.map(event =>
    csvRecord([
      ...[String(event.audit_event_id), formatOffsetTime(event.happened_at, timeZone), event.actor],
      ...[names.get(event.actor.slice(4)) ?? '', event.action, event.subject],
      ...[event.address ?? '', JSON.stringify(event.detail)],
    ]),
  )
  return lines.join('')
}

function shownFilter({ from, to, ...rest }: AuditFilter) {
  const shown = (instant: Micros | undefined): string | undefined =>
    instant === undefined ? undefined : formatMicros(instant)
  return { ...rest, from: shown(from), to: shown(to) }
}
