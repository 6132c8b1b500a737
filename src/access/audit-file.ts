// The oldest part of the audit trail as a file: NDJSON, a line for each event with its place in its chain and the hash up to there.
// So a file proves itself: its hashes are computed again from the hash its first line begins with.
//
// The event is what the database hashed, letter for letter, so it stands last on its line, and is read as text first.

import { createHash } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { type ChainPlace, readAuditLinks } from '../db/audit-chains.ts'
import type { Sql } from '../db/client.ts'
import { formatMicros, type Micros } from '../domain/values/offset-time.ts'
import { Problem } from '../problem.ts'

const batchRows = 1000
const eventFields = [
  ...['audit_event_id', 'seconds_since_1970', 'actor', 'action', 'subject', 'address', 'detail', 'database_user'],
]

/** What a file has of one chain: the links after one place, up to another. */
export interface AuditFilePart {
  after: ChainPlace
  end: ChainPlace
}

/** A file as it was read. */
export interface AuditFile {
  name: string
  parts: AuditFilePart[]
  events: number
  /** The first thing that is wrong with it. What there is besides is then not to be relied on. */
  fault: string | undefined
  /** The hashes at the links asked for, by `placeKey`. */
  hashes: Map<string, Buffer>
}

export const placeKey = (chain: number, link: number): string => `${chain}:${link}`

/** The hash of the next link. */
export const nextHash = (hash: Buffer, content: string): Buffer =>
  createHash('sha256').update(hash).update(content).digest()

/**
 * Writes these parts of the trail, as of before an instant, to a file that has its name only when it is complete and on the disk.
 * Throws Problem `conflict`, and leaves no file, when the trail is not as it was written.
 */
export async function writeAuditFile(
  sql: Sql,
  path: string,
  parts: readonly AuditFilePart[],
  before: Micros,
): Promise<void> {
  const partial = `${path}.partial`
  try {
    const file = await open(partial, 'w', 0o600)
    try {
      const chains = parts.map(({ after, end }) => ({
        chain: end.chain,
        after: after.link,
        after_hash: after.hash.toString('hex'),
        link: end.link,
        hash: end.hash.toString('hex'),
      }))
      const head = { audit_trail: 1, before: formatMicros(before), event: eventFields, chains }
      await file.appendFile(`${JSON.stringify(head)}\n`)
      for (const part of parts) for await (const lines of linesOf(sql, part)) await file.appendFile(lines)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(partial, path)
    await syncFolder(dirname(path))
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

async function* linesOf(sql: Sql, { after, end }: AuditFilePart): AsyncGenerator<string> {
  let { link, hash } = after
  while (link < end.link) {
    const rows = await readAuditLinks(sql, end.chain, link, Math.min(batchRows, end.link - link))
    let lines = ''
    for (const row of rows) {
      if (row.link !== link + 1 || row.content === null) throw brokenTrail(end.chain, link + 1)
      hash = nextHash(hash, row.content)
      if (!hash.equals(row.hash)) throw brokenTrail(end.chain, row.link)
      link = row.link
      lines += `{"chain":${end.chain},"link":${link},"hash":"${hash.toString('hex')}","event":${row.content}}\n`
    }
    if (rows.length === 0) throw brokenTrail(end.chain, link + 1)
    yield lines
  }
}

const brokenTrail = (chain: number, link: number): Problem =>
  new Problem('conflict', {
    detail: `The audit trail is not as it was written (chain ${chain}, link ${link}), so nothing of it is pruned. scripts/audit verify tells more.`,
  })

/** A name is on the disk when its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** What the first line of a file says it has, or undefined when it is no file of an audit trail. */
export async function readAuditFileHead(path: string): Promise<AuditFilePart[] | undefined> {
  for await (const line of readLines(path)) return parseHead(line)
}

/** Reads a whole file and computes its hashes again. `watched` are places whose hashes are wanted. Throws when it cannot be read. */
export async function readAuditFile(path: string, watched: ReadonlySet<string> = new Set()): Promise<AuditFile> {
  const file: AuditFile = { name: basename(path), parts: [], events: 0, fault: undefined, hashes: new Map() }
  let number = 0
  let part = 0
  let place: ChainPlace | undefined
  for await (const line of readLines(path)) {
    number++
    if (number === 1) {
      const parts = parseHead(line)
      if (parts === undefined) return { ...file, fault: 'line 1 is not that of a part of an audit trail' }
      file.parts = parts
      place = parts[0]!.after
      continue
    }
    const read = parseLine(line)
    if (read === undefined) return { ...file, fault: `line ${number} is not an event of an audit trail` }
    if (place!.link === file.parts[part]!.end.link) place = file.parts[++part]?.after
    if (place === undefined) return { ...file, fault: `line ${number} is one too many` }
    const { chain, link } = place
    if (read.chain !== chain || read.link !== link + 1)
      return { ...file, fault: `line ${number} is not chain ${chain}, link ${link + 1}: that is missing` }
    place = { chain, link: read.link, hash: nextHash(place.hash, read.content) }
    if (place.hash.toString('hex') !== read.hash)
      return { ...file, fault: `line ${number}: chain ${chain}, link ${read.link} is not as it was written` }
    const { end } = file.parts[part]!
    if (place.link === end.link && !place.hash.equals(end.hash))
      return { ...file, fault: `line ${number}: chain ${chain} does not end in the hash it should end in` }
    const key = placeKey(chain, read.link)
    if (watched.has(key)) file.hashes.set(key, place.hash)
    file.events++
  }
  if (part !== file.parts.length - 1 || place?.link !== file.parts[part]!.end.link)
    return { ...file, fault: number === 0 ? 'is empty' : 'its end is missing' }
  return file
}

function parseHead(line: string): AuditFilePart[] | undefined {
  let head: { audit_trail?: unknown; chains?: unknown } | null
  try {
    head = JSON.parse(line)
  } catch {
    return undefined
  }
  if (head?.audit_trail !== 1 || !Array.isArray(head.chains) || head.chains.length === 0) return undefined
  const parts = head.chains.map(parsePart)
  return parts.includes(undefined) ? undefined : (parts as AuditFilePart[])
}

function parsePart(value: unknown): AuditFilePart | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { chain, after, after_hash, link, hash } = value as Record<string, unknown>
  const isHash = (text: unknown): text is string => typeof text === 'string' && /^[0-9a-f]{64}$/.test(text)
  if (![chain, after, link].every(Number.isSafeInteger) || !isHash(after_hash) || !isHash(hash)) return undefined
  if ((after as number) < 0 || (link as number) <= (after as number)) return undefined
  const place = (at: unknown, hex: string): ChainPlace => ({
    chain: chain as number,
    link: at as number,
    hash: Buffer.from(hex, 'hex'),
  })
  return { after: place(after, after_hash), end: place(link, hash) }
}

function parseLine(line: string): { chain: number; link: number; hash: string; content: string } | undefined {
  const match = /^\{"chain":(\d{1,5}),"link":(\d{1,15}),"hash":"([0-9a-f]{64})","event":(\[.*\])\}$/s.exec(line)
  if (match === null) return undefined
  return { chain: Number(match[1]), link: Number(match[2]), hash: match[3]!, content: match[4]! }
}

/** Lines as line feeds alone end them: an event may hold any other separator. */
async function* readLines(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of Bun.file(path).stream()) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop()!
    yield* lines
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}
