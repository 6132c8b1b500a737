// A page as a client of a soak reads it, in any format: its token, and the compared parts of each application. Pure.

import {
  type ExportFormat,
  exportFormats,
  isByNameOnly,
  pageFormats,
} from '../../../src/core/export/framings/all-framings.ts'
import type { WalkedApplication, WalkedPage } from './walk-promises.ts'

/** Throws if a page is incomplete. */
type ReadPage = (text: string, headers: Headers) => WalkedPage

const readers: Record<ExportFormat, ReadPage> = {
  json: text => {
    const { payload, nextPageToken } = JSON.parse(text) as { payload: Json[]; nextPageToken: string | null }
    return { applications: payload.map(applicationOf), token: nextPageToken }
  },
  ndjson: text => {
    const lines = text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Json)
    const { nextPageToken } = lines.pop() as { nextPageToken?: string | null }
    if (nextPageToken === undefined) throw new Error('the page has no last line')
    return { applications: lines.map(applicationOf), token: nextPageToken }
  },
  csv: text => {
    const { names, rows } = csvTable(text.replace(/^\ufeff/, ''))
    const token = rows.pop()?.next_page_token
    if (!token) throw new Error('the page has no last record')
    return { applications: rows.map(row => recordOf(names, row)), token: token === 'none' ? null : token }
  },
  'exact-csv': (text, headers) => {
    const { names, rows } = csvTable(text)
    const [count, token] = [headers.get('Application-Count'), headers.get('Next-Page-Token')]
    if (count === null || !token) throw new Error('the page lacks its headers')
    if (rows.length !== Number(count)) throw new Error(`the page has ${rows.length} of ${count} records`)
    return { applications: rows.map(row => recordOf(names, row)), token: token === 'none' ? null : token }
  },
}

interface ReadFormat {
  accept: string
  /** Requested with this parameter instead; for the first page of a walk. */
  format?: ExportFormat
  read: ReadPage
}

export const walkFormats: readonly ReadFormat[] = exportFormats.map(format => ({
  accept: pageFormats[format].types[0],
  ...(isByNameOnly(format) && { format }),
  read: readers[format],
}))

type Json = Record<string, unknown>

/** Statuses and notes are as of the moment a page is read (D22), and not compared. */
function applicationOf(application: Json): WalkedApplication {
  const { status, status_last_modified_time, application_note, ...fixed } = application
  return {
    id: fixed.application_id as number,
    applicantId: fixed.applicant_id as number,
    state: fixed.revision_state as string,
    questions: Object.keys(fixed.application as Json),
    digest: Bun.hash(JSON.stringify(fixed)),
    fields: application,
  }
}

function recordOf(names: readonly string[], row: Record<string, string>): WalkedApplication {
  const { status, status_last_modified_time, application_note, ...fixed } = row
  return {
    id: Number(fixed.application_id),
    applicantId: Number(fixed.applicant_id),
    state: fixed.revision_state!,
    questions: [...new Set(names.filter(name => name.includes('.')).map(name => name.split('.')[0]!))],
    digest: Bun.hash(JSON.stringify(fixed)),
    fields: row,
  }
}

function csvTable(text: string): { names: string[]; rows: Record<string, string>[] } {
  const [names = [], ...records] = csvRecords(text)
  return { names, rows: records.map(cells => Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']))) }
}

/** RFC 4180: texts in quotes, where two quotes stand for one. */
function csvRecords(text: string): string[][] {
  const records: string[][] = [[]]
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    records.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === '\r\n') records.push([])
    if (end === '') break
  }
  // A line ending at the end starts no further record.
  records.pop()
  return records
}
