// Applications as received, one per line.

import { constants, copyFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { fileError } from '../requests/pull-outcome.ts'
import { fileLines } from '../spool/file-lines.ts'
import type { OutputFormat } from '../spool/output-format.ts'
import { sizeOf } from '../spool/place-files.ts'

export const ndjsonFormat: OutputFormat = {
  ending: '.ndjson',
  hasTables: false,
  spoolPath: out => `${out}.part`,
  prepare: async ({ out, spoolPath, spoolBytes, spoolSha256, walk }) => {
    if (!walk.adds) return { files: [{ from: spoolPath, to: out, bytes: spoolBytes, sha256: spoolSha256 }] }
    const next = `${out}.next`
    try {
      await appendCopy(out, spoolPath, next)
    } catch (error) {
      throw fileError(error, `Cannot write ${next}`)
    }
    return { files: [{ from: next, to: out, bytes: sizeOf(next)! }] }
  },
  idsIn: async function* (path) {
    for await (const lines of fileLines(path)) yield lines.map(idInJson)
  },
}

function idInJson(text: Buffer): number | undefined {
  try {
    const { application_id: id } = JSON.parse(text.toString()) as { application_id?: unknown }
    return Number.isSafeInteger(id) ? (id as number) : undefined
  } catch {
    return undefined
  }
}

/** `to` becomes the content of `first` followed by that of `second`. A file system that can share blocks copies nothing of the first. */
async function appendCopy(first: string, second: string, to: string): Promise<void> {
  copyFileSync(first, to, constants.COPYFILE_FICLONE)
  const [source, target] = [await open(second, 'r'), await open(to, 'a')]
  try {
    for await (const bytes of source.createReadStream({ autoClose: false, highWaterMark: 1024 * 1024 }))
      await target.writeFile(bytes as Buffer)
    await target.sync()
  } finally {
    await source.close()
    await target.close()
  }
}
