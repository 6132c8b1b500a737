// Applications in a folder, one file per application, named by its ID and containing the object as the service sends it. Applications
// erased at the service are deleted here too, so a folder can be kept up to date (`--follow`). A separate file, written after the
// applications, records the change the folder has reached.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { ChangesPage } from '@tributary/client'
import { CommandError, fileError } from '../requests/pull-outcome.ts'
import { readHead } from '../spool/application-head.ts'
import { fileLines } from '../spool/file-lines.ts'
import { changedApplications, type OutputFormat } from '../spool/output-format.ts'
import type { PulledBefore } from '../spool/pulled-before.ts'
import { syncFolder } from '../spool/spool.ts'
import { applicationFile, HeldIds, idsOf, namesIn, pathOf } from './folder-contents.ts'

export const isFolder = (out: string): boolean => /[/\\]$/.test(out)

/** Names of state and spool of a pull into a folder: inside it, with names that no application has. */
export const folderPath = (folder: string): string => join(folder, '.tributary')

/** Number of files written concurrently: a disk takes many in little more time than one, and most of the time is spent waiting for each. */
const filesTogether = 64

/** Only readable by the account that pulls. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw fileError(error, `Cannot create the folder ${folder}`)
  }
}

export function folderFormat(folder: string): OutputFormat {
  const record = `${folderPath(folder)}.json`
  const filling = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      throw fileError(error, `Cannot write to the folder ${folder}`)
    }
  }
  const writeRecord = async (then: PulledBefore): Promise<void> => {
    syncFolder(record)
    await writeWhole(record, JSON.stringify(then))
    syncFolder(record)
  }
  return {
    ending: '',
    hasTables: false,
    folder,
    destination: folder,
    spoolPath: out => `${out}.part`,
    readDone: async origin => {
      const before = readRecord(folder)
      if (before === undefined && namesIn(folder).some(name => applicationFile.test(name)))
        throw new CommandError(
          'usage',
          `${folder} contains files that were not written by a pull. Choose another folder.`,
        )
      if (before !== undefined && before.origin.program !== origin.program)
        throw new CommandError(
          'usage',
          `${folder} contains the program ${before.origin.program}. Choose another folder.`,
        )
      // Files were lost, or a page was only partly applied: no change will restore them, so everything is pulled again.
      return before?.held === undefined || isDeepStrictEqual(before.held, HeldIds.of(idsOf(namesIn(folder))).figure())
        ? before
        : { ...before, followsFrom: undefined }
    },
    prepare: async ({ spoolPath, then, context }) => {
      // Incomplete, and impossible to follow, until everything is there.
      await filling(() => writeRecord({ ...then, followsFrom: undefined }))
      const ids = new Set<number>()
      for await (const lines of fileLines(spoolPath)) {
        context.signal.throwIfAborted()
        const named = lines.map(line => [readHead(line)!.id, line] as const)
        for (const [id] of named) ids.add(id)
        await filling(() => writeLines(folder, named))
      }
      await filling(async () => {
        clear(folder, id => ids.has(id))
        await writeRecord({ ...then, held: HeldIds.of(ids).figure() })
      })
      return { files: [], total: ids.size }
    },
    follow: async () => {
      await filling(async () => clear(folder, () => true))
      const held = HeldIds.of(idsOf(namesIn(folder)))
      return async (page, after) => {
        const before = readRecord(folder)
        if (before?.followsFrom !== after) return false
        await filling(async () => {
          const lines = [...changedApplications(page)].map(
            ([id, application]) => [id, Buffer.from(JSON.stringify(application))] as const,
          )
          for (const [id] of lines) if (!existsSync(pathOf(folder, id))) held.change(id, 1)
          await writeLines(folder, lines)
          for (const change of page.payload) await applyEnd(folder, change, held)
          await writeRecord({ ...before, held: held.figure(), followsFrom: page.nextCursor })
        })
        return true
      }
    },
  }
}

/** The record that the last pull left in a folder; undefined if there was none. */
export function readRecord(folder: string): PulledBefore | undefined {
  const record = `${folderPath(folder)}.json`
  let text: string
  try {
    text = readFileSync(record, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fileError(error, `Cannot read ${record}`)
  }
  const before = parseRecord(text)
  if (before === undefined)
    throw new CommandError('failed', `${record} was not written by a pull. Move it, or choose another folder.`)
  return before
}

/** Undefined for files that no pull has written. */
function parseRecord(text: string): PulledBefore | undefined {
  try {
    const before = JSON.parse(text) as PulledBefore | null
    return typeof before?.origin?.program === 'string' ? before : undefined
  } catch {
    return undefined
  }
}

async function writeLines(folder: string, lines: readonly (readonly [id: number, line: Buffer])[]): Promise<void> {
  for (let at = 0; at < lines.length; at += filesTogether) {
    const together = lines.slice(at, at + filesTogether).map(([id, line]) => writeWhole(pathOf(folder, id), line))
    // Each ends before this does: nothing is written after a failure is reported, and another pull may begin.
    await Promise.allSettled(together)
    await Promise.all(together)
  }
}

/** Removes the files of applications that are not kept, and remains of interrupted writes. */
function clear(folder: string, isKept: (id: number) => boolean): void {
  for (const name of readdirSync(folder)) {
    const [, id, isUnfinished] = applicationFile.exec(name) ?? []
    if (id !== undefined && (isUnfinished !== undefined || !isKept(Number(id)))) rmSync(join(folder, name))
  }
}

/** A change without an application. If the folder no longer has it, there is nothing to do. */
async function applyEnd(
  folder: string,
  { kind, application_id: id }: ChangesPage['payload'][number],
  held: HeldIds,
): Promise<void> {
  const path = pathOf(folder, id)
  if (kind === 'erased' && existsSync(path)) {
    rmSync(path)
    held.change(id, -1)
  }
  if (kind !== 'superseded') return
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  await writeWhole(path, JSON.stringify({ ...JSON.parse(text), revision_state: 'OBSOLETE' }))
}

/** A file is replaced atomically, after its content is on the disk. */
async function writeWhole(path: string, text: Uint8Array | string): Promise<void> {
  await writeFile(`${path}.next`, text, { mode: 0o600, flush: true })
  await rename(`${path}.next`, path)
}
