// Segments of the audit log as a file, in NDJSON. A line opens each segment, `{"segment":12,"previous":"…","hash":"…"}`, and one line
// follows for each of its events, `{"event":[…]}`: what was hashed of it, letter for letter. So a file can be checked on its own.

import { open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Problem } from '../../base/problem.ts'
import type { AuditSeal } from '../../db/audit/audit-seals.ts'
import { SegmentHash } from './seal-audit.ts'

/** One thing that is wrong with the audit log or with a file of it. */
export interface AuditError {
  /** Name of the file; null in the database. */
  file: string | null
  /** Null where no segment is to blame. */
  segment: number | null
  code: 'altered' | 'no_seal' | 'inserted' | 'cut_off' | 'other_seal' | 'foreign' | 'malformed'
  detail: string
}

/** A file of the audit log has been altered: where, and how. */
export class AlteredAudit extends Error {
  constructor(readonly found: Omit<AuditError, 'file'>) {
    super(found.detail)
  }
}

export const segmentLine = (segment: number, previous: Buffer, hash: Buffer): string =>
  `{"segment":${segment},"previous":"${previous.toString('hex')}","hash":"${hash.toString('hex')}"}`

export const eventLine = (content: string): string => `{"event":${content}}`

/**
 * Writes a file that was not there, `batchLength` characters together. It is on the disk when this resolves, and gone when it
 * rejects. Throws Problem `invalid_request` when it cannot be made.
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
    // A name is on the disk when its folder is.
    const folder = await open(dirname(path), 'r')
    await folder.sync().finally(() => folder.close())
  } catch (error) {
    await rm(path)
    throw error
  } finally {
    await file.close()
  }
}

/** A segment of a file, whose events have this hash. */
export interface FiledSegment extends Pick<AuditSeal, 'segment' | 'events' | 'hash'> {
  previous: Buffer
}

/** The segments of a file, their hashes computed again. Throws AlteredAudit where it is not as it was written. */
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

/** Lines as line feeds alone end them: an event may hold any other separator. */
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
