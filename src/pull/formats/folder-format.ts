// Applications in a folder, a file for each by its id, with the object as the service sends it. What the service erased goes here,
// too, so it can be kept up to date (`--follow`). Up to which change it is, a file of its own says, written after those of the applications.

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { ChangesPage } from '../../client/tributary-client.ts'
import { CommandError, fileError } from '../requests/pull-outcome.ts'
import { fileLines } from '../spool/file-lines.ts'
import { linesOf, type OutputFormat } from '../spool/output-format.ts'
import type { PulledBefore } from '../spool/pulled-before.ts'
import { syncFolder } from '../spool/spool.ts'

export const isFolder = (out: string): boolean => /[/\\]$/.test(out)

/** The place of state and spool of a pull into a folder: within it, by names that no application has. */
export const folderPath = (folder: string): string => join(folder, '.tributary')

const applicationFile = /^([1-9][0-9]{0,15})\.json$/

/** Readable by the account that pulls, and by no other. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw fileError(error, `The folder ${folder} cannot be made`)
  }
}

export function folderFormat(folder: string): OutputFormat {
  const record = `${folderPath(folder)}.json`
  const pathOf = (id: number): string => join(folder, `${id}.json`)
  const doing = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw fileError(error, `The folder ${folder} cannot be filled`)
    }
  }
  const readRecord = (): PulledBefore | undefined => {
    try {
      return JSON.parse(readFileSync(record, 'utf8')) as PulledBefore
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw fileError(error, `${record} cannot be read`)
    }
  }
  const writeRecord = (then: PulledBefore): void => {
    syncFolder(record)
    writeWhole(record, JSON.stringify(then))
    syncFolder(record)
  }
  return {
    ending: '',
    hasTables: false,
    folder,
    destination: folder,
    spoolPath: out => `${out}.part`,
    readDone: async origin => {
      const before = readRecord()
      if (before === undefined && readdirSync(folder).some(name => applicationFile.test(name)))
        throw new CommandError('usage', `${folder} has files that are no pull's: name another folder.`)
      if (before !== undefined && before.origin.program !== origin.program)
        throw new CommandError('usage', `${folder} has program ${before.origin.program}: name another folder.`)
      return before
    },
    prepare: async ({ spoolPath, then, context }) => {
      // Not whole, and not to be followed, until all of it is there.
      doing(() => writeRecord({ ...then, followsFrom: undefined }))
      const ids = new Set<number>()
      for await (const lines of fileLines(spoolPath)) {
        context.signal.throwIfAborted()
        for (const line of lines) {
          const { application_id: id } = JSON.parse(line.toString()) as { application_id: number }
          doing(() => writeWhole(pathOf(id), line))
          ids.add(id)
        }
      }
      doing(() => {
        for (const name of readdirSync(folder)) {
          const id = applicationFile.exec(name)?.[1]
          if (id !== undefined && !ids.has(Number(id))) rmSync(join(folder, name))
        }
        writeRecord(then)
      })
      return { files: [], total: ids.size }
    },
    follow: async () => async (page, after) => {
      const before = readRecord()
      if (before?.followsFrom !== after) return false
      doing(() => {
        for (const [id, line] of linesOf(page)) writeWhole(pathOf(id), line)
        for (const change of page.payload) applyEnd(change, pathOf(change.application_id))
        writeRecord({ ...before, followsFrom: page.nextCursor })
      })
      return true
    },
  }
}

/** A change that brings no application. One that the folder no longer has needs no work. */
function applyEnd({ kind }: ChangesPage['payload'][number], path: string): void {
  if (kind === 'erased') rmSync(path, { force: true })
  if (kind !== 'superseded') return
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  writeWhole(path, JSON.stringify({ ...JSON.parse(text), revision_state: 'OBSOLETE' }))
}

/** What had the name is replaced in one moment, by what is on the disk. */
function writeWhole(path: string, text: Uint8Array | string): void {
  const next = `${path}.next`
  const descriptor = openSync(next, 'w', 0o600)
  try {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(next, path)
}
