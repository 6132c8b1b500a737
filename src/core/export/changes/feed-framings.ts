// Formats of the change feed: the changes, with their applications if included, in the framings of export pages.

import { createHash } from 'node:crypto'
import { exportFormats, jsonPage, visibleOnly } from '../framings/all-framings.ts'
import { lastLine, ndjsonPage } from '../framings/ndjson-page.ts'
import { inOneLine } from '../framings/one-line.ts'
import type { PageFraming, RowWriter, VersionedRow, WalkQuestions } from '../framings/page-framing.ts'
import { type Change, type ChangesPage, isWithApplication } from './change-feed.ts'

interface ChangesFraming extends PageFraming {
  /** A change without its application. */
  changeText(change: Change): string
}

interface FeedFormat {
  /** In OpenAPI, for a format other than JSON: describes a page. */
  description?: string
  /** `facts` come after the changes: further members in JSON, the last line in NDJSON. */
  framing(facts: object): ChangesFraming
}

const feedFormats = {
  json: {
    framing: facts => ({
      ...jsonPage,
      changeText: (change: Change) => JSON.stringify(change),
      end: () => `],${JSON.stringify(facts).slice(1)}`,
    }),
  },
  ndjson: {
    description:
      'One change per line. The last line has the remaining members of the JSON response, `count` (the number of changes) and `sha256` (the ' +
      'SHA-256 of all bytes before it). A page without this line is incomplete.',
    framing: facts => ({
      ...ndjsonPage,
      changeText: (change: Change) => inOneLine(JSON.stringify(change)),
      end: (_, count, digest) => lastLine(facts, count, digest),
    }),
  },
} as const satisfies Record<string, FeedFormat>

export type ChangesFormat = keyof typeof feedFormats

/** There is no CSV, because each kind of change has its own members. Default first. */
export const changesFormats = exportFormats.filter((format): format is ChangesFormat => format in feedFormats)

/** Describes a page of the feed in a format other than JSON. */
export const describeFeed = (format: ChangesFormat): string | undefined =>
  (feedFormats[format] as FeedFormat).description

/** Framing of a page whose rows are changes with their applications. */
export function framingOfChanges(
  format: ChangesFormat,
  { payload, ...facts }: ChangesPage,
  questions: WalkQuestions,
): PageFraming {
  const { changeText, ...framing }: ChangesFraming = feedFormats[format].framing(facts)
  return { ...framing, rows: changeRows(payload, changeText, visibleOnly(framing, questions).rows) }
}

/** A whole page without applications. */
export function changesAlone(format: ChangesFormat, { payload, ...facts }: ChangesPage): Buffer {
  const { opening, between, changeText, end }: ChangesFraming = feedFormats[format].framing(facts)
  const body = `${opening}${payload.map(change => changeText(change)).join(between.toString())}`
  const digest = (text: string): string => createHash('sha256').update(body).update(text).digest('hex')
  return Buffer.from(body + end(null, payload.length, digest))
}

const closingBrace = '}'.charCodeAt(0)

/** A row's number is the position of its change on the page, from 1; a change without an application has an empty row. */
function changeRows(
  payload: readonly Change[],
  changeText: (change: Change) => string,
  applications: RowWriter,
): RowWriter {
  const starts = payload.map(change => {
    const text = changeText(change)
    return Buffer.from(isWithApplication(change) ? `${text.slice(0, -1)},"application":` : text)
  })
  const startOf = ({ submitSeq = 0 }: VersionedRow): Buffer => starts[submitSeq - 1]!
  const isEmpty = ({ snapshotFrom, snapshotTo }: VersionedRow): boolean => snapshotFrom === snapshotTo
  return {
    write: (target, offset, row, fill) => {
      const start = startOf(row)
      if (offset + start.length > target.length) return -1
      start.copy(target, offset)
      if (isEmpty(row)) return offset + start.length
      const end = applications.write(target, offset + start.length, row, fill)
      if (end === -1 || end === target.length) return -1
      target[end] = closingBrace
      return end + 1
    },
    bytes: (row, fill) => startOf(row).length + (isEmpty(row) ? 0 : applications.bytes(row, fill) + 1),
  }
}
