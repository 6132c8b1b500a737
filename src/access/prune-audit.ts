// Moves the oldest part of the audit trail into a file, and only then out of the database. What is left goes on from anchors.
//
// The order is what keeps every event: the file is written, read back, recorded together with its event, and after
// that the database lets go of what is in it, batch by batch, each anchor moving with its batch. A run that ends between two of these
// steps is finished by the next one.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { appendAuditEvent } from '../db/audit.ts'
import {
  type ChainPlace,
  findChainPlace,
  findPrefixEnd,
  insertAuditSegments,
  lockChainAnchors,
  readAuditSegments,
  readChainAnchors,
  removePassed,
  tryLockPruning,
} from '../db/audit-chains.ts'
import { inTransaction, type Sql } from '../db/client.ts'
import { formatMicros, type Micros } from '../domain/values/offset-time.ts'
import { Problem } from '../problem.ts'
import { type AuditFilePart, readAuditFile, readAuditFileHead, writeAuditFile } from './audit-file.ts'

const batchRows = 1000
const fileName = /^audit-.*\.ndjson$/

interface PruneOrder {
  /** Events from then on stay, and those that are linked after one of them. */
  before: Micros
  /** Of the files; must be there. */
  folder: string
  /** `operator:<system user>`. */
  actor: string
}

interface PrunedFile {
  file: string
  events: number
  /** Whether it is what an earlier run left unfinished. */
  resumed: boolean
}

/**
 * Moves the events before an instant into a file of this folder, after finishing what an earlier run left. Returns the files whose
 * events were removed; none when there was nothing. Throws Problem `conflict` when the trail or a file is not as it was written, or
 * somebody else prunes.
 */
export async function pruneAuditTrail(sql: Sql, order: PruneOrder): Promise<PrunedFile[]> {
  const names = await readdir(order.folder).catch(error => {
    throw new Problem('invalid_request', {
      detail: `The folder ${order.folder} cannot be read (${error.code}). It must be there before anything is pruned into it.`,
    })
  })
  // Held on a connection of its own for as long as this takes; it sees nothing, so it keeps the database from nothing.
  return inTransaction(sql, async lock => {
    if (!(await tryLockPruning(lock))) throw conflict('The audit trail is being pruned already. Try again after that.')
    const pruned = await finishRecorded(sql, order)
    const left = await findUnrecorded(sql, order, names)
    if (left !== undefined) pruned.push(await recordAndRemove(sql, order, left, true))
    const parts = await planParts(sql, order.before)
    if (parts.length > 0) {
      const file = nameOf(parts, order.before)
      await writeAuditFile(sql, join(order.folder, file), parts, order.before)
      pruned.push(await recordAndRemove(sql, order, file, false))
    }
    return pruned
  })
}

/** Removes what is recorded to be in a file and still in the database. */
async function finishRecorded(sql: Sql, { folder }: PruneOrder): Promise<PrunedFile[]> {
  const anchors = new Map((await readChainAnchors(sql)).map(anchor => [anchor.chain, anchor]))
  const ends = (await readAuditSegments(sql)).filter(({ chain, link }) => link > anchors.get(chain)!.link)
  const pruned: PrunedFile[] = []
  for (const file of new Set(ends.map(end => end.file))) {
    const parts = await requireWholeFile(folder, file)
    const own = ends.filter(end => end.file === file)
    if (!own.every(end => parts.some(part => isSamePlace(part.end, end))))
      throw conflict(`${file} is not the file that was recorded: it ends in other places.`)
    pruned.push({ file, events: await removeUpTo(sql, own), resumed: true })
  }
  return pruned
}

/** A file that is complete, goes on from where the chains begin now, and was not recorded: its run ended before that. */
async function findUnrecorded(
  sql: Sql,
  { folder, before }: PruneOrder,
  names: readonly string[],
): Promise<string | undefined> {
  const recorded = new Set((await readAuditSegments(sql)).map(({ file }) => file))
  const anchors = await readChainAnchors(sql)
  for (const name of names.filter(one => fileName.test(one) && !recorded.has(one)).sort()) {
    const parts = (await readAuditFileHead(join(folder, name)).catch(() => undefined)) ?? []
    let fits = parts.length > 0
    for (const { after, end } of parts) {
      const anchor = anchors.find(({ chain }) => chain === end.chain)
      const own = await findChainPlace(sql, end.chain, end.link)
      fits &&= anchor !== undefined && isSamePlace(anchor, after) && own !== undefined && isSamePlace(own, end)
      // It may have been asked to go further than this time.
      if (fits) fits = (await findPrefixEnd(sql, after, before)) >= end.link
    }
    if (fits) return name
  }
}

/** The longest part of each chain that is old enough. */
async function planParts(sql: Sql, before: Micros): Promise<AuditFilePart[]> {
  const parts: AuditFilePart[] = []
  for (const after of await readChainAnchors(sql)) {
    const link = await findPrefixEnd(sql, after, before)
    const end = link > after.link ? await findChainPlace(sql, after.chain, link) : undefined
    if (end !== undefined) parts.push({ after, end })
  }
  return parts
}

/** The same parts of the same trail have the same name; those of another trail have another. */
function nameOf(parts: readonly AuditFilePart[], before: Micros): string {
  const hash = new Bun.CryptoHasher('sha256')
  for (const { end } of parts) hash.update(end.hash)
  return `audit-${formatMicros(before).slice(0, 10)}-${hash.digest('hex').slice(0, 12)}.ndjson`
}

async function recordAndRemove(
  sql: Sql,
  { folder, before, actor }: PruneOrder,
  file: string,
  resumed: boolean,
): Promise<PrunedFile> {
  const parts = await requireWholeFile(folder, file)
  const ends = parts.map(({ end }) => end)
  const events = parts.reduce((sum, { after, end }) => sum + end.link - after.link, 0)
  await inTransaction(sql, async tx => {
    const anchors = await lockChainAnchors(tx)
    if (!parts.every(({ after }) => anchors.some(anchor => isSamePlace(anchor, after))))
      throw conflict(`The chains do not begin where ${file} does. Nothing of it was removed.`)
    await insertAuditSegments(tx, ends, file)
    const chains = ends.map(({ chain, link, hash }) => ({ chain, link, hash: hash.toString('hex') }))
    const detail = { before: formatMicros(before), events, chains }
    await appendAuditEvent(tx, { actor, action: 'audit_pruned', subject: file, detail })
  })
  await removeUpTo(sql, ends)
  return { file, events, resumed }
}

/** Removes the links up to these places with their events, in short transactions; the number of them. */
async function removeUpTo(sql: Sql, ends: readonly ChainPlace[]): Promise<number> {
  let removed = 0
  for (const end of ends) {
    let { link } = (await readChainAnchors(sql)).find(({ chain }) => chain === end.chain)!
    while (link < end.link) {
      const next = Math.min(link + batchRows, end.link)
      const place = next === end.link ? end : await findChainPlace(sql, end.chain, next)
      if (place === undefined) throw conflict(`Chain ${end.chain}: link ${next} is missing.`)
      removed += await inTransaction(sql, tx => removePassed(tx, link, place))
      link = next
    }
  }
  return removed
}

/** What a file has, read from the disk. */
async function requireWholeFile(folder: string, file: string): Promise<AuditFilePart[]> {
  const { parts, fault } = await readAuditFile(join(folder, file)).catch(error => {
    throw conflict(
      `${file} cannot be read in ${folder} (${error.code}). A run that prunes into it is not finished: give the folder it is in.`,
    )
  })
  if (fault !== undefined) throw conflict(`${file}: ${fault}. Nothing of it was removed.`)
  return parts
}

const isSamePlace = (one: ChainPlace, other: ChainPlace): boolean =>
  one.chain === other.chain && one.link === other.link && one.hash.equals(other.hash)

const conflict = (detail: string): Problem => new Problem('conflict', { detail })
