// Finds out whether the audit log is as it was written: every event in its chain, every hash over what is there.
// The database computes the hashes when events are added; here they are computed again, by other code.

import { basename } from 'node:path'
import {
  type ChainPart,
  type ChainPlace,
  findUnlinkedEvent,
  type PrunedPlace,
  readAuditLinks,
  readChains,
  readPrunedPlaces,
} from '../db/audit/audit-chains.ts'
import { inSnapshot, type Sql } from '../db/client.ts'
import { invalidRequest } from '../problem.ts'
import { readAuditFile } from './audit-file.ts'
import { BrokenChain, followLinks } from './follow-audit-links.ts'

/** Of a hash, as noted: so many bytes that no other log with the same can be found. */
const notedBytes = 16

/** Most events that are verified while a person waits for the page: some two seconds. */
export const checkedEventsMax = 100_000

export interface AuditVerdict {
  /** Events of the database that were read and are in their places. */
  events: number
  /** What was pruned, by the file that has it. */
  pruned: PrunedFile[]
  /** What is wrong, the first error of each chain and file; none when the log is whole. */
  errors: string[]
  /** The seal: where every chain ends now, in one word. Keep it elsewhere and pass it as `noted` next time. */
  note: string
}

interface PrunedFile {
  file: string
  /** Whether the caller passed it, and it is as it was written. */
  checked: boolean
}

/**
 * Reads the whole log in order. `noted` is the seal of an earlier call: it shows whether what was there then still is. `files` are
 * paths of what was pruned, in any order: they are checked on their own and against what the database recorded of them.
 */
export async function verifyAuditLog(sql: Sql, noted?: string, files: readonly string[] = []): Promise<AuditVerdict> {
  const marks = parseNote(noted)
  const see = (place: ChainPlace): void => compareMark(marks, place)
  // In one snapshot: events are added and pruned in the meantime.
  return inSnapshot(sql, async db => {
    const [chains, places] = [await readChains(db), await readPrunedPlaces(db)]
    const errors: string[] = []
    const ends: ChainPlace[] = []
    for (const path of files) {
      const parts = await readGivenFile(path, see).catch(collect(errors, `${basename(path)}: `))
      const error = parts?.map(part => errorOfPlace(part, places)).find(one => one !== undefined)
      if (error !== undefined) errors.push(`${basename(path)}: ${error}`)
      else ends.push(...(parts ?? []).map(({ end }) => end))
    }
    let events = 0
    for (const part of chains) {
      const follow = async (): Promise<void> => {
        let { after: last, end } = part
        for (const place of places) if (place.chain === end.chain) see(place)
        for await (const place of followLinks(last, readAuditLinks(db, end.chain))) {
          see(place)
          events++
          last = place
        }
        requireEnd(part, last)
        requireSeen(marks, end, places)
      }
      await follow().catch(collect(errors))
    }
    for (const chain of marks.keys())
      if (!chains.some(({ end }) => end.chain === chain)) errors.push(`chain ${chain}: was noted, and is gone`)
    const unlinked = await findUnlinkedEvent(db)
    if (unlinked !== undefined) errors.push(`event ${unlinked} is in no chain: it was slipped in`)
    return { events, errors, note: noteOf(chains), pruned: prunedFiles(places, ends) }
  })
}

const collect =
  (errors: string[], of = '') =>
  (error: Error): undefined => {
    if (!(error instanceof BrokenChain)) throw error
    errors.push(`${of}${error.message}`)
  }

const readGivenFile = (path: string, visit: (place: ChainPlace) => void): Promise<ChainPart[]> =>
  readAuditFile(path, visit).catch(error => {
    if (error instanceof BrokenChain) throw error
    const detail = `${path} cannot be read (${error.code})`
    throw invalidRequest('A file cannot be read.', [{ parameter: '--with', code: 'unreadable', detail }])
  })

/** What is wrong when a file has other links of a chain than the database recorded; undefined when they are the same. */
function errorOfPlace({ after, end }: ChainPart, places: readonly PrunedPlace[]): string | undefined {
  const own = places.filter(({ chain }) => chain === end.chain)
  const at = own.findIndex(place => isSamePlace(place, end))
  const start = own[at - 1] ?? { ...end, link: 0, hash: Buffer.alloc(32) }
  if (at >= 0 && isSamePlace(start, after)) return undefined
  return `chain ${end.chain}: links ${after.link + 1} to ${end.link} are not what was pruned from this database into a file`
}

function prunedFiles(places: readonly PrunedPlace[], ends: readonly ChainPlace[]): PrunedFile[] {
  const missing = new Set(places.filter(place => !ends.some(end => isSamePlace(end, place))).map(({ file }) => file))
  return [...new Set(places.map(({ file }) => file))].map(file => ({ file, checked: !missing.has(file) }))
}

const isSamePlace = (one: ChainPlace, other: ChainPlace): boolean =>
  one.chain === other.chain && one.link === other.link && one.hash.equals(other.hash)

/** Where the log ends now, without a look at any event; how many are in the database, and which files have what was pruned. */
export async function measureAuditLog(sql: Sql): Promise<{ note: string; events: number; files: string[] }> {
  return inSnapshot(sql, async db => {
    const chains = await readChains(db)
    const events = chains.reduce((sum, { after, end }) => sum + end.link - after.link, 0)
    return { note: noteOf(chains), events, files: prunedFiles(await readPrunedPlaces(db), []).map(({ file }) => file) }
  })
}

/** What was noted of each chain, and not seen yet. */
type Marks = Map<number, { link: number; hash: string }>

function compareMark(marks: Marks, { chain, link, hash }: ChainPlace): void {
  const mark = marks.get(chain)
  if (mark?.link !== link) return
  marks.delete(chain)
  if (mark.hash !== shortHash(hash))
    throw new BrokenChain(`chain ${chain}: up to link ${link}, it is not what it was when it was noted`)
}

function requireEnd({ end }: ChainPart, last: ChainPlace): void {
  if (last.link < end.link) throw new BrokenChain(`chain ${end.chain}: link ${last.link + 1} is missing`)
  if (!isSamePlace(last, end))
    throw new BrokenChain(`chain ${end.chain}: ends at link ${last.link}, but not in the hash it should end in`)
}

/** A seal within the pruned part can be checked against its file, or where a file ends. */
function requireSeen(marks: Marks, { chain, link }: ChainPlace, places: readonly PrunedPlace[]): void {
  const mark = marks.get(chain)
  if (mark === undefined) return
  const place = places.find(one => one.chain === chain && one.link > mark.link)
  throw new BrokenChain(
    place === undefined
      ? `chain ${chain}: ends at link ${link}, and had ${mark.link} when it was noted: its end was cut off`
      : `chain ${chain}: was noted at link ${mark.link}, which was pruned into ${place.file} since: give that file with --with`,
  )
}

const shortHash = (hash: Buffer): string => hash.subarray(0, notedBytes).toString('base64url')

const noteOf = (chains: readonly ChainPart[]): string =>
  chains.map(({ end: { chain, link, hash } }) => `${chain}:${link}:${shortHash(hash)}`).join('.')

function parseNote(note: string | undefined): Marks {
  const marks: Marks = new Map()
  for (const part of note?.split('.') ?? []) {
    const match = /^(\d{1,5}):(\d{1,15}):([\w-]{22})$/.exec(part)
    if (match === null) {
      const detail = 'must be what scripts/audit verify printed, whole'
      throw invalidRequest('What was noted cannot be read.', [{ parameter: '--noted', code: 'malformed', detail }])
    }
    // A chain that had no link is as it was whatever has come since.
    if (match[2] !== '0') marks.set(Number(match[1]), { link: Number(match[2]), hash: match[3]! })
  }
  return marks
}
