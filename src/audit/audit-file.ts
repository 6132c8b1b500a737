// A part of the audit log as a file: NDJSON. Of each chain one line says after which link the file continues, `{"chain":3,"link":4711,
// "hash":"…"}`; each line after it has the next link, with its event. The event is what the database hashed, letter for letter, so it
// comes last on its line, and is read as text. So the file is checked as the chain is: each hash is computed from the one before.

import { open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ChainPart, ChainPlace } from '../db/audit/audit-chains.ts'
import { Problem } from '../problem.ts'
import { BrokenChain, nextHash } from './follow-audit-links.ts'

/** A line without its end; `content` is missing on the first of a chain. */
export const auditLine = ({ chain, link, hash }: ChainPlace, content?: string): string =>
  `{"chain":${chain},"link":${link},"hash":"${hash.toString('hex')}"${content === undefined ? '' : `,"event":${content}`}}`

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
    throw new Problem('invalid_request', { detail: `${path} cannot be written (${error.code}).` })
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

/** What a file has of each chain, by hashes computed again; `visit` gets each place. Throws BrokenChain where it is not as it was written. */
export async function readAuditFile(path: string, visit: (place: ChainPlace) => void = () => {}): Promise<ChainPart[]> {
  const parts = new Map<number, ChainPart>()
  let number = 0
  for await (const line of readLines(path)) {
    number++
    const match = /^\{"chain":(\d{1,5}),"link":(\d{1,15}),"hash":"([0-9a-f]{64})"(?:,"event":(\[.*\]))?\}$/s.exec(line)
    if (match === null) throw new BrokenChain(`line ${number} is not one of an audit log`)
    const place = { chain: Number(match[1]), link: Number(match[2]), hash: Buffer.from(match[3]!, 'hex') }
    const part = parts.get(place.chain)
    const content = match[4]
    if ((part === undefined) !== (content === undefined) || (part !== undefined && place.link !== part.end.link + 1))
      throw new BrokenChain(`line ${number} is not the next link of chain ${place.chain}: that is missing`)
    if (part === undefined || content === undefined) parts.set(place.chain, { after: place, end: place })
    else {
      if (!nextHash(part.end.hash, content).equals(place.hash))
        throw new BrokenChain(`line ${number}: chain ${place.chain}, link ${place.link} is not as it was written`)
      part.end = place
      visit(place)
    }
  }
  return [...parts.values()]
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
