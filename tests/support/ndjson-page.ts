// A page of NDJSON as a client reads it.

import type { ExportedApplication } from './export-client.ts'

interface NdjsonPage {
  applications: ExportedApplication[]
  nextPageToken: string | null
}

/** Reads a page as its documentation says. Throws where it is not whole. */
export function readNdjsonPage(text: string): NdjsonPage {
  const lines = text.split('\n')
  if (lines.pop() !== '') throw new Error('the last line does not end')
  const end = JSON.parse(lines.pop() ?? '') as { nextPageToken?: string | null; count: number }
  if (end.nextPageToken === undefined) throw new Error('the last line is not the one that makes the page whole')
  if (end.count !== lines.length) throw new Error(`the page has ${lines.length} applications, and says ${end.count}`)
  return { applications: lines.map(line => JSON.parse(line)), nextPageToken: end.nextPageToken }
}
