// Whether a file has what was pulled into it: count and digest of the ids in it, against those that the pulls noted.

import { stat } from 'node:fs/promises'
import { fileLines } from './file-lines.ts'
import { IdDigest } from './id-digest.ts'
import { CommandError, fileFault } from './pull-outcome.ts'
import { PullState } from './pull-state.ts'
import { type PulledBefore, statePath } from './pull-to-file.ts'

/** What the file has, all of it as noted; rejects with the outcome `mismatch` when it is not. */
export async function verifyFile(file: string): Promise<{ count: number; digest: string; pulls: number }> {
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
  let line = 0
  for await (const lines of fileLines(file))
    yield lines.map(text => {
      line++
      return idIn(text.toString()) ?? raise(`${file} has no application on line ${line}.`)
    })
}

function idIn(text: string): number | undefined {
  try {
    const { application_id: id } = JSON.parse(text) as { application_id?: unknown }
    return Number.isSafeInteger(id) ? (id as number) : undefined
  } catch {
    return undefined
  }
}

function raise(message: string): never {
  throw new CommandError('mismatch', message)
}
