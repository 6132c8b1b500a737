// Verifies the audit log by recomputing every seal from the stored events, in the database and in files.

import { basename } from 'node:path'
import { invalidRequest } from '../../base/problem.ts'
import {
  type AuditSeal,
  countSealedEvents,
  findLastPruned,
  findLastSeal,
  findPrunedEvent,
  readAuditContents,
  readAuditSeals,
  readPrunedFiles,
} from '../../db/audit/audit-seals.ts'
import { type Db, inSnapshot, type Sql } from '../../db/client.ts'
import { AlteredAudit, type AuditError, readAuditFile } from './audit-file.ts'
import { noHash, SegmentHash } from './seal-audit.ts'

/** Bytes of the hash in a seal that is kept elsewhere: enough that no other log with the same hash can be found. */
const keptBytes = 16

/** Maximum number of events verified while a person waits for the page, which takes about two seconds. */
export const checkedEventsMax = 100_000

export interface AuditVerdict {
  /** Events in the database that were read. */
  events: number
  /** How many of these are too new to have a seal. */
  unsealed: number
  /** The pruned segments, by the file that contains them. */
  pruned: PrunedFile[]
  /** Errors by segment and file; none if the log is as it was sealed. */
  errors: AuditError[]
  /** The newest seal as a single word. Keep it elsewhere and pass it as `kept` next time. Null before the first. */
  seal: string | null
}

interface PrunedFile {
  file: string
  /** Whether the caller passed a seal and it is unchanged. */
  checked: boolean
}

/**
 * Reads the whole log in order. `kept` is the seal of an earlier call: it reveals whether the events of that time are still there. `files` are the
 * paths of pruned files, in any order. Throws Problem `invalid_request` if a seal or file cannot be read.
 */
export async function verifyAuditLog(sql: Sql, kept?: string, files: readonly string[] = []): Promise<AuditVerdict> {
  const mark = parseSeal(kept)
  // In one snapshot, because events are added, sealed and pruned meanwhile.
  return inSnapshot(sql, async db => {
    const errors: AuditError[] = []
    const checked = new Map<string, number>()
    for (const path of new Set(files)) await checkFile(db, path, checked, errors)
    const counted = await checkSegments(db, errors)
    const stray = await findPrunedEvent(db)
    if (stray !== undefined)
      errors.push(found(null, 'inserted', `event ${stray} was inserted into a segment that had been pruned`))
    const last = await findLastSeal(db)
    if (mark !== undefined) errors.push(...(await errorsOfMark(db, mark, last)))
    const pruned = (await readPrunedFiles(db)).map(({ file, segments }) => ({
      file,
      checked: checked.get(file) === segments,
    }))
    return { ...counted, errors, seal: sealText(last), pruned }
  })
}

/** An error of the database. */
const found = (segment: number | null, code: AuditError['code'], detail: string): AuditError => ({
  file: null,
  segment,
  code,
  detail,
})

/** Compares each segment in the database with its seal, and continues after an altered one. */
async function checkSegments(db: Db, errors: AuditError[]): Promise<Pick<AuditVerdict, 'events' | 'unsealed'>> {
  const pruned = await findLastPruned(db)
  const seals = await readAuditSeals(db, (pruned?.segment ?? 0) + 1)
  let hash = new SegmentHash(pruned?.hash ?? noHash)
  let at = 0
  const close = (): void => {
    const before = seals[at - 1] ?? pruned
    const seal = seals[at++]!
    if (seal.segment !== (before?.segment ?? 0) + 1)
      errors.push(found(seal.segment - 1, 'no_seal', `segment ${seal.segment - 1} has no seal`))
    const counted = hash.events === seal.events ? '' : `: it has ${hash.events} events instead of ${seal.events}`
    if (!hash.digest().equals(seal.hash) || hash.firstEventId !== seal.first_event_id)
      errors.push(found(seal.segment, 'altered', `segment ${seal.segment} has been altered${counted}`))
    hash = new SegmentHash(seal.hash)
  }
  let events = 0
  for await (const { audit_event_id: id, content } of readAuditContents(
    db,
    pruned?.last_event_id ?? Number.MIN_SAFE_INTEGER,
  )) {
    while (at < seals.length && id > seals[at]!.last_event_id) close()
    hash.add(id, content)
    events++
  }
  const unsealed = at === seals.length ? hash.events : 0
  while (at < seals.length) close()
  return { events, unsealed }
}

/** Checks a file on its own and against the seals, and counts its valid segments under the file's name in the database. */
async function checkFile(db: Db, path: string, checked: Map<string, number>, errors: AuditError[]): Promise<void> {
  try {
    const segments = await readAuditFile(path)
    const first = segments[0]?.segment ?? 1
    const seals = await readAuditSeals(db, first - 1, segments.at(-1)?.segment ?? 0)
    const bySegment = new Map(seals.map(seal => [seal.segment, seal]))
    for (const { segment, previous, hash } of segments) {
      const before = segment === 1 ? noHash : bySegment.get(segment - 1)?.hash
      const seal = bySegment.get(segment)
      if (before?.equals(previous) !== true || seal?.hash.equals(hash) !== true) {
        const detail = `segment ${segment} does not match the seal in this database`
        throw new AlteredAudit({ segment, code: 'foreign', detail })
      }
      if (seal.file !== null) checked.set(seal.file, (checked.get(seal.file) ?? 0) + 1)
    }
  } catch (error) {
    if (error instanceof AlteredAudit) return void errors.push({ file: basename(path), ...error.found })
    const code = (error as NodeJS.ErrnoException).code
    if (code === undefined) throw error
    const detail = `${path} cannot be read (${code})`
    throw invalidRequest('A file cannot be read.', [{ parameter: '--with', code: 'unreadable', detail }])
  }
}

/** The newest seal, the number of events in the database, and the files with pruned events, without reading any sealed event. */
export async function measureAuditLog(sql: Sql) {
  return inSnapshot(sql, async db => ({
    seal: sealText(await findLastSeal(db)),
    ...(await countSealedEvents(db)),
    files: (await readPrunedFiles(db)).map(({ file }) => file),
  }))
}

interface Mark {
  segment: number
  hash: string
}

async function errorsOfMark(db: Db, { segment, hash }: Mark, last: AuditSeal | undefined): Promise<AuditError[]> {
  const end = last?.segment ?? 0
  if (segment > end)
    return [
      found(segment, 'cut_off', `the log ends at segment ${end}, but the seal you kept is for segment ${segment}`),
    ]
  const [seal] = await readAuditSeals(db, segment, segment)
  const isKept = seal !== undefined && shortHash(seal.hash) === hash
  return isKept ? [] : [found(segment, 'other_seal', `segment ${segment} does not have the seal you kept`)]
}

const shortHash = (hash: Buffer): string => hash.subarray(0, keptBytes).toString('base64url')

const sealText = (seal: AuditSeal | undefined): string | null =>
  seal === undefined ? null : `${seal.segment}:${shortHash(seal.hash)}`

function parseSeal(text: string | undefined): Mark | undefined {
  if (text === undefined) return undefined
  const match = /^(\d{1,15}):([\w-]{22})$/.exec(text)
  if (match !== null) return { segment: Number(match[1]), hash: match[2]! }
  const detail = 'must be a complete seal: a number, a colon and 22 characters'
  throw invalidRequest('The seal is invalid.', [{ parameter: '--seal', code: 'malformed', detail }])
}
