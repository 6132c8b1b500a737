// Whether a file has what was pulled into it: count and digest of the ids in it, against those that the pulls noted.

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { fileLines } from './file-lines.ts'
import { IdDigest } from './id-digest.ts'
import { CommandError, fileFault } from './pull-outcome.ts'
import { PullState } from './pull-state.ts'
import { type PulledBefore, statePath } from './pull-to-file.ts'
import { csvRecords } from './tables/csv-text.ts'

/** What the file has, all of it as noted; rejects with the outcome `mismatch` when it is not. */
export async function verifyFile(file: string): Promise<{ count: number; digest: string; pulls: number }> {
  if (!/\.(csv|ndjson)$/i.test(file))
    throw new CommandError('usage', 'Only files that end with .ndjson or .csv can be verified.')
  await Promise.all([stat(file), stat(statePath(file))]).catch((error: unknown) => {
    throw fileFault(error, `${(error as { path?: string }).path ?? file} cannot be read`)
  })
  const state = PullState.open(statePath(file))
  const done = state.read<PulledBefore>('done')
  state.close()
  if (done === undefined) throw new CommandError('incomplete', `No pull into ${file} is complete.`)

  const whole = new IdDigest()
  const receipts = done.receipts.values()
  let expected = receipts.next().value
  let pull = new IdDigest()
  const settle = (): void => {
    while (expected !== undefined && pull.count === expected.count) {
      if (pull.receipt().digest !== expected.digest)
        throw new CommandError(
          'mismatch',
          `${file} does not have the applications that were pulled: their digest differs.`,
        )
      expected = receipts.next().value
      pull = new IdDigest()
    }
  }
  settle()
  for await (const ids of idsOf(file)) {
    whole.add(ids)
    for (const id of ids) {
      pull.add([id])
      settle()
    }
  }
  const noted = done.receipts.reduce((sum, { count }) => sum + count, 0)
  const { count, digest } = whole.receipt()
  if (count !== noted)
    throw new CommandError('mismatch', `${file} has ${count} applications, and ${noted} were pulled.`)
  return { count, digest, pulls: done.receipts.length }
}

async function* idsOf(file: string): AsyncGenerator<number[], void, undefined> {
  const isCsv = file.toLowerCase().endsWith('.csv')
  let line = 0
  for await (const texts of isCsv ? csvRecords(createReadStream(file)) : fileLines(file)) {
    // The first record of CSV has the names of the columns.
    const skipped = isCsv && line === 0 ? 1 : 0
    line += skipped
    yield texts.slice(skipped).map(text => {
      line++
      const id = isCsv ? idInRecord(text) : idInJson(text)
      return id ?? raise(`${file} has no application in ${isCsv ? 'record' : 'line'} ${line}.`)
    })
  }
}

/** It is the first column, and a number. */
function idInRecord(record: Buffer): number | undefined {
  const end = record.indexOf(',')
  const digits = record.subarray(0, end === -1 ? record.length : end).toString()
  return /^[0-9]{1,16}$/.test(digits) ? Number(digits) : undefined
}

function idInJson(text: Buffer): number | undefined {
  try {
    const { application_id: id } = JSON.parse(text.toString()) as { application_id?: unknown }
    return Number.isSafeInteger(id) ? (id as number) : undefined
  } catch {
    return undefined
  }
}

function raise(message: string): never {
  throw new CommandError('mismatch', message)
}
