// Finds out whether the audit trail is as it was written: every event in its chain, every hash over what is there.
// The database computes the hashes when events are added; here they are computed again, by other code.

import {
  type AuditSegmentRow,
  type ChainPlace,
  findChainPlace,
  findPassedLink,
  findUnlinkedEvent,
  readAuditSegments,
  readChainAnchors,
  readChainEnds,
} from '../db/audit-chains.ts'
import { type Db, inSnapshot, type Sql } from '../db/client.ts'
import { invalidRequest } from '../problem.ts'
import { type AuditFile, placeKey, readAuditFile } from './audit-file.ts'
import { followLinks, wrongEnd } from './follow-audit-links.ts'

/** Of a hash, as noted: so many bytes that no other trail with the same can be found. */
const notedBytes = 16

export interface AuditVerdict {
  /** Events of the database that were read and are in their places. */
  events: number
  /** What was pruned, by the file that has it. */
  pruned: PrunedPart[]
  /** Files that no run has recorded, because it ended before that. Their events are in the database. */
  unrecorded: string[]
  /** What is wrong, the first fault of each chain and file; none when the trail is whole. */
  faults: string[]
  /** Where every chain ends now, in one word: to be kept elsewhere and given as `noted` next time. */
  note: string
}

interface PrunedPart {
  file: string
  events: number
  /** Of them, those that the database still has, because the run that removes them has not ended well. */
  remaining: number
  /** Whether the file was given, and is as it was written. */
  checked: boolean
}

interface Mark {
  links: number
  hash: string
}

/** What is known of the chains before anything is read. */
interface Trail {
  db: Db
  anchors: Map<number, ChainPlace>
  segments: AuditSegmentRow[]
  marks: Map<number, Mark>
  /** Hashes at the marks and anchors, out of files that are as they were written. */
  hashes: Map<string, Buffer>
}

/**
 * Reads the whole trail in order. `noted` is the word of an earlier call: it tells whether what was there then still is. `files` are
 * paths of what was pruned, in any order: they are checked on their own and against what the database recorded of them.
 */
export async function verifyAuditTrail(sql: Sql, noted?: string, files: readonly string[] = []): Promise<AuditVerdict> {
  const marks = noted === undefined ? new Map<number, Mark>() : parseNote(noted)
  // In one snapshot: events are added and pruned meanwhile.
  return inSnapshot(sql, async db => {
    const anchors = new Map((await readChainAnchors(db)).map(anchor => [anchor.chain, anchor]))
    const trail: Trail = { db, anchors, segments: await readAuditSegments(db), marks, hashes: new Map() }
    const ends = await readChainEnds(db)
    const faults: string[] = []
    const verified: AuditFile[] = []
    const unrecorded: string[] = []
    for (const path of files) {
      const file = await readGivenFile(path, trail)
      const verdict = file.fault ?? (await faultOfPlaces(trail, file))
      if (verdict === undefined) {
        verified.push(file)
        for (const [key, hash] of file.hashes) trail.hashes.set(key, hash)
      } else if (verdict === 'unrecorded') unrecorded.push(file.name)
      else faults.push(`${file.name}: ${verdict}`)
    }
    let events = 0
    for (const end of ends) {
      const fault = await verifyChain(trail, end, () => events++)
      if (fault !== undefined) faults.push(`chain ${end.chain}: ${fault}`)
    }
    const chains = new Set(ends.map(({ chain }) => chain))
    for (const chain of marks.keys()) if (!chains.has(chain)) faults.push(`chain ${chain}: was noted, and is gone`)
    const unlinked = await findUnlinkedEvent(db)
    if (unlinked !== undefined) faults.push(`event ${unlinked} stands in no chain: it was slipped in`)
    return { events, faults, note: ends.map(noteOf).join('.'), pruned: prunedParts(trail, verified), unrecorded }
  })
}

async function readGivenFile(path: string, { anchors, marks }: Trail): Promise<AuditFile> {
  const watched = [
    ...[...anchors.values()].map(({ chain, link }) => placeKey(chain, link)),
    ...[...marks].map(([chain, { links }]) => placeKey(chain, links)),
  ]
  return readAuditFile(path, new Set(watched)).catch(error => {
    throw invalidRequest('A file cannot be read.', [
      { parameter: '--with', code: 'unreadable', detail: `${path} cannot be read (${error.code})` },
    ])
  })
}

/** Whether a file has what the database recorded of it: undefined when it has, `unrecorded`, or what is wrong. */
async function faultOfPlaces({ db, segments }: Trail, { parts }: AuditFile): Promise<string | undefined> {
  let unrecorded = 0
  for (const { after, end } of parts) {
    const own = segments.filter(({ chain }) => chain === end.chain)
    const recorded = own.findIndex(({ link }) => link === end.link)
    if (recorded >= 0) {
      const start = own[recorded - 1] ?? { link: 0, hash: Buffer.alloc(32) }
      if (!own[recorded]!.hash.equals(end.hash) || start.link !== after.link || !start.hash.equals(after.hash))
        return `chain ${end.chain}: links ${after.link + 1} to ${end.link} are not what was pruned`
    } else if ((await findChainPlace(db, end.chain, end.link))?.hash.equals(end.hash)) unrecorded++
    else
      return `chain ${end.chain}: links ${after.link + 1} to ${end.link} were not pruned into a file from this database`
  }
  return unrecorded > 0 ? 'unrecorded' : undefined
}

/** The first fault of a chain, or undefined. */
async function verifyChain(trail: Trail, end: ChainPlace, count: () => void): Promise<string | undefined> {
  const { db, marks } = trail
  const mark = marks.get(end.chain)
  if (mark !== undefined && end.link < mark.links)
    return `ends at link ${end.link}, and had ${mark.links} when it was noted: its end was cut off`
  const anchor = trail.anchors.get(end.chain)
  if (anchor === undefined) return 'begins nowhere: its anchor is gone'
  const fault = (await faultOfAnchor(trail, anchor)) ?? faultOfPrunedMark(trail, anchor, mark)
  if (fault !== undefined) return fault
  const reached = await followLinks(db, anchor, end.link, (link, hash, eventId) => {
    if (mark?.links === link && mark.hash !== shortHash(hash))
      return `up to link ${link}, event ${eventId}, it is not what it was when it was noted`
    count()
    return undefined
  })
  if ('fault' in reached) return reached.fault
  return reached.hash.equals(end.hash) ? undefined : wrongEnd(reached.link)
}

/** What is wrong with where a chain begins, as far as the database and the files that were given tell. */
async function faultOfAnchor({ db, segments, hashes }: Trail, anchor: ChainPlace): Promise<string | undefined> {
  const { chain, link, hash } = anchor
  const passed = await findPassedLink(db, anchor)
  if (passed !== undefined) return `link ${passed} was pruned, and is there again: it was slipped in`
  if (link === 0) return hash.equals(Buffer.alloc(32)) ? undefined : 'does not begin with its first link'
  const segment = segments.find(one => one.chain === chain && one.link >= link)
  if (segment === undefined) return `begins after link ${link}, and what was before is recorded to be in no file`
  const known = segment.link === link ? segment.hash : hashes.get(placeKey(chain, link))
  return known === undefined || known.equals(hash)
    ? undefined
    : `begins after link ${link}, but not in the hash that ${segment.file} has there`
}

/** What was noted within what is pruned since can be told from its file, or where a file ends. */
function faultOfPrunedMark(
  { segments, hashes }: Trail,
  { chain, link, hash }: ChainPlace,
  mark: Mark | undefined,
): string | undefined {
  if (mark === undefined || mark.links === 0 || mark.links > link) return undefined
  const own = segments.filter(segment => segment.chain === chain)
  const known =
    mark.links === link
      ? hash
      : (own.find(segment => segment.link === mark.links)?.hash ?? hashes.get(placeKey(chain, mark.links)))
  if (known === undefined) {
    const file = own.find(segment => segment.link >= mark.links)?.file
    return `was noted at link ${mark.links}, which was pruned into ${file} since: give that file with --with`
  }
  return mark.hash === shortHash(known)
    ? undefined
    : `up to link ${mark.links}, it is not what it was when it was noted`
}

function prunedParts({ segments, anchors }: Trail, verified: readonly AuditFile[]): PrunedPart[] {
  const parts = new Map<string, PrunedPart>()
  segments.forEach(({ chain, link, file }, i) => {
    const before = segments[i - 1]?.chain === chain ? segments[i - 1]!.link : 0
    const part = parts.get(file) ?? { file, events: 0, remaining: 0, checked: true }
    part.events += link - before
    part.remaining += Math.max(0, link - Math.max(before, anchors.get(chain)?.link ?? 0))
    part.checked &&= verified.some(({ parts: own }) => own.some(({ end }) => end.chain === chain && end.link === link))
    parts.set(file, part)
  })
  return [...parts.values()]
}

/** Where the trail ends now, without a look at any event; how many are in the database, and which files have what was pruned. */
export async function measureAuditTrail(sql: Sql): Promise<{ note: string; events: number; files: string[] }> {
  return inSnapshot(sql, async db => {
    const ends = await readChainEnds(db)
    const anchors = new Map((await readChainAnchors(db)).map(({ chain, link }) => [chain, link]))
    const files = new Set((await readAuditSegments(db)).map(({ file }) => file))
    return {
      note: ends.map(noteOf).join('.'),
      events: ends.reduce((sum, { chain, link }) => sum + link - (anchors.get(chain) ?? 0), 0),
      files: [...files],
    }
  })
}

const shortHash = (hash: Buffer): string => hash.subarray(0, notedBytes).toString('base64url')
const noteOf = ({ chain, link, hash }: ChainPlace): string => `${chain}:${link}:${shortHash(hash)}`

function parseNote(note: string): Map<number, Mark> {
  return new Map(
    note.split('.').map(part => {
      const match = /^(\d{1,5}):(\d{1,15}):([\w-]{22})$/.exec(part)
      if (match === null)
        throw invalidRequest('What was noted cannot be read.', [
          { parameter: '--noted', code: 'malformed', detail: 'must be what scripts/audit verify printed, whole' },
        ])
      return [Number(match[1]), { links: Number(match[2]), hash: match[3]! }]
    }),
  )
}
