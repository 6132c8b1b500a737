// Verifies a file against its pull: the count and digest of its IDs, and the SHA-256 of each file.

import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { formatOf } from './formats/output-formats.ts'
import { statePath } from './pull-to-file.ts'
import { IdDigest, IdSet } from './requests/id-digest.ts'
import { CommandError, fileError } from './requests/pull-outcome.ts'
import { sha256Of, sizeOf } from './spool/place-files.ts'
import { PullState } from './spool/pull-state.ts'
import type { PulledBefore } from './spool/pulled-before.ts'

/** Compares the file's content with its record; rejects with the outcome `mismatch` if they differ. */
export async function verifyFile(file: string): Promise<{ count: number; digest: string; pulls: number }> {
  const { idsIn } = formatOf(file)
  await Promise.all([stat(file), stat(statePath(file))]).catch((error: unknown) => {
    throw fileError(error, `Cannot read ${(error as { path?: string }).path ?? file}`)
  })
  const state = PullState.open(statePath(file))
  const done = state.read<PulledBefore>('done')
  state.close()
  if (done === undefined) throw new CommandError('incomplete', `${file} has no completed pull.`)
  // The applications are placed last.
  const name = basename(done.files.at(-1)?.path ?? file)
  if (name !== basename(file))
    throw new CommandError(
      'failed',
      `${file} was pulled as ${name}. Rename it, its other files and its state ${name}.pull back to that name.`,
    )

  if (idsIn === undefined) {
    // A single file for people, whose only pull compared its content with the service's receipt.
    await requireUnchanged(file, done)
    return { ...done.receipts[0]!, pulls: 1 }
  }
  const whole = new IdDigest()
  const seen = new IdSet()
  const receipts = done.receipts.values()
  let expected = receipts.next().value
  let pull = new IdDigest()
  const settle = (): void => {
    while (expected !== undefined && pull.count === expected.count) {
      if (pull.receipt().digest !== expected.digest)
        throw new CommandError(
          'mismatch',
          `${file} does not contain the applications that were pulled: the digests differ.`,
        )
      expected = receipts.next().value
      pull = new IdDigest()
    }
  }
  settle()
  for await (const ids of idsIn(file)) {
    for (const id of ids) {
      if (id === undefined)
        throw new CommandError('mismatch', `${file} has no application at position ${whole.count + 1}.`)
      if (!seen.add(id)) throw new CommandError('mismatch', `${file} contains application ${id} twice.`)
      whole.add([id])
      pull.add([id])
      settle()
    }
  }
  const noted = done.receipts.reduce((sum, { count }) => sum + count, 0)
  const { count, digest } = whole.receipt()
  if (count !== noted)
    throw new CommandError('mismatch', `${file} has ${count} applications, but ${noted} were pulled.`)
  await requireUnchanged(file, done)
  return { count, digest, pulls: done.receipts.length }
}

/** Entities have separate files; these and the state may have moved together. */
async function requireUnchanged(file: string, { files }: PulledBefore): Promise<void> {
  for (const { path, bytes, sha256 } of files) {
    const copied = join(dirname(file), basename(path))
    if (sizeOf(copied) !== bytes || (await sha256Of(copied)) !== sha256)
      throw new CommandError('mismatch', `${copied} was changed after the last pull.`)
  }
}
