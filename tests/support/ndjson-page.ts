// A page of NDJSON as a client reads it.

import { createHash } from 'node:crypto'
import type { ExportedApplication } from './export-client.ts'

interface NdjsonPage {
  applications: ExportedApplication[]
  nextPageToken: string | null
}

/** Characters besides the line feed at which readers end a line; NDJSON never contains them unescaped (D47). */
export const lineEnds = /[\n\u0085\u2028\u2029]/

/** Reads a page as documented. Throws if it is incomplete. */
export function readNdjsonPage(text: string): NdjsonPage {
  const lines = text.split(lineEnds)
  const last = text.lastIndexOf('\n', text.length - 2) + 1
  if (lines.pop() !== '') throw new Error('the last line does not end')
  const end = JSON.parse(lines.pop() ?? '') as { nextPageToken?: string | null; count: number; sha256: string }
  if (end.nextPageToken === undefined) throw new Error('the last line is not the one that makes the page whole')
  if (end.count !== lines.length) throw new Error(`the page has ${lines.length} applications, and says ${end.count}`)
  const sha256 = createHash('sha256').update(text.slice(0, last)).digest('hex')
  if (end.sha256 !== sha256) throw new Error(`the page has the digest ${sha256}, and says ${end.sha256}`)
  return { applications: lines.map(line => JSON.parse(line)), nextPageToken: end.nextPageToken }
}
