// Reads and writes files of audit log segments, in NDJSON. Each segment starts with a line `{"segment":12,"previous":"…","hash":"…"}`,
// followed by a line `{"event":[…]}` per event with exactly the hashed text, so a file can be verified on its own.

import { open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Problem } from '../../base/problem.ts'
import type { AuditSeal } from '../../db/audit/audit-seals.ts'
import { SegmentHash } from './seal-audit.ts'

/** An error found in the audit log or one of its files. */
export interface AuditError {
  /** Name of the file; null in the database. */
  file: string | null
  /** Null if the error belongs to no segment. */
  segment: number | null
  code: 'altered' | 'no_seal' | 'inserted' | 'cut_off' | 'other_seal' | 'foreign' | 'malformed'
  detail: string
}

/** A file of the audit log has been altered; `found` tells where and how. */
export class AlteredAudit extends Error {
  constructor(readonly found: Omit<AuditError, 'file'>) {
    super(found.detail)
  }
}

export const segmentLine = (segment: number, previous: Buffer, hash: Buffer): string =>
  `{"segment":${segment},"previous":"${previous.toString('hex')}","hash":"${hash.toString('hex')}"}`

export const eventLine = (content: string): string => `{"event":${content}}`

/**
 * Writes a new file, `batchLength` characters at a time. It is on disk when this resolves and deleted when it rejects. Throws Problem
 * `invalid_request` if the file cannot be created.
 */
export async function writeAuditFile(
  path: string,
  lines: AsyncIterable<string>,
  batchLength = 1_000_000,
): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch(error => {
    throw new Problem('invalid_request', { detail: `${path} cannot be written.`, internal: error.code, cause: error })
  })
  try {
    let text = ''
    for await (const line of lines) {
      text += `${line}\n`
      if (text.length < batchLength) continue
      await file.appendFile(text)
      text = ''
    }
    await file.appendFile(text)
    await file.sync()
    // The folder must be synced too, so that the file name is on disk.
    const folder = await open(dirname(path), 'r')
    await folder.sync().finally(() => folder.close())
  } catch (error) {
    await rm(path)
    throw error
  } finally {
    await file.close()
  }
}

/** A segment of a file with the hash of its events. */
export interface FiledSegment extends Pick<AuditSeal, 'segment' | 'events' | 'hash'> {
  previous: Buffer
}

/** The segments of a file with recomputed hashes. Throws AlteredAudit if the file was altered. */
export async function readAuditFile(path: string): Promise<FiledSegment[]> {
  const segments: FiledSegment[] = []
  let hash: SegmentHash | undefined
  const close = (): void => {
    const last = segments.at(-1)
    if (last === undefined) return
    if (!hash!.digest().equals(last.hash)) {
      const { segment } = last
      throw new AlteredAudit({ segment, code: 'altered', detail: `segment ${segment} has been altered` })
    }
    last.events = hash!.events
  }
  let number = 0
  for await (const line of readLines(path)) {
    number++
    const opening = /^\{"segment":(\d{1,15}),"previous":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}$/.exec(line)
    const event = /^\{"event":(\[(\d{1,15}),.*\])\}$/s.exec(line)
    if (opening !== null) {
      close()
      const previous = Buffer.from(opening[2]!, 'hex')
      segments.push({ segment: Number(opening[1]), previous, hash: Buffer.from(opening[3]!, 'hex'), events: 0 })
      hash = new SegmentHash(previous)
    } else if (event !== null && hash !== undefined) hash.add(Number(event[2]), event[1]!)
    else
      throw new AlteredAudit({
        segment: null,
        code: 'malformed',
        detail: `line ${number} is not a line of an audit log`,
      })
  }
  close()
  return segments
}

/** Splits lines at line feeds only, because events can contain other separators. */
async function* readLines(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of Bun.file(path).stream()) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop()!
    yield* lines
  }
  if (rest !== '') yield rest
}
