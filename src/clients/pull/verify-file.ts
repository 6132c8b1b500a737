// Verifies a file against what was pulled into it: count and digest of its ids, and the SHA-256 of each of its files.

import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { formatOf } from './formats/output-formats.ts'
import { statePath } from './pull-to-file.ts'
import { IdDigest, IdSet } from './requests/id-digest.ts'
import { CommandError, fileError } from './requests/pull-outcome.ts'
import { sha256Of, sizeOf } from './spool/place-files.ts'
import { PullState } from './spool/pull-state.ts'
import type { PulledBefore } from './spool/pulled-before.ts'

/** What the file has, all of it as noted; rejects with the outcome `mismatch` when it is not. */
export async function verifyFile(file: string): Promise<{ count: number; digest: string; pulls: number }> {
  const { idsIn } = formatOf(file)
  await Promise.all([stat(file), stat(statePath(file))]).catch((error: unknown) => {
    throw fileError(error, `${(error as { path?: string }).path ?? file} cannot be read`)
  })
  const state = PullState.open(statePath(file))
  const done = state.read<PulledBefore>('done')
  state.close()
  if (done === undefined) throw new CommandError('incomplete', `No pull into ${file} is complete.`)
  // The applications are placed last.
  const name = basename(done.files.at(-1)?.path ?? file)
  if (name !== basename(file))
    throw new CommandError(
      'failed',
      `${file} was pulled under the name ${name}. Give it, what belongs to it, and its state ${name}.pull that name again.`,
    )

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
          `${file} does not have the applications that were pulled: their digest differs.`,
        )
      expected = receipts.next().value
      pull = new IdDigest()
    }
  }
  settle()
  for await (const ids of idsIn!(file)) {
    for (const id of ids) {
      if (id === undefined)
        throw new CommandError('mismatch', `${file} has no application in place ${whole.count + 1}.`)
      if (!seen.add(id)) throw new CommandError('mismatch', `${file} has application ${id} twice.`)
      whole.add([id])
      pull.add([id])
      settle()
    }
  }
  const noted = done.receipts.reduce((sum, { count }) => sum + count, 0)
  const { count, digest } = whole.receipt()
  if (count !== noted)
    throw new CommandError('mismatch', `${file} has ${count} applications, and ${noted} were pulled.`)
  // Entities have files of their own; these and the state may have moved together.
  for (const { path, bytes, sha256 } of done.files) {
    const copied = join(dirname(file), basename(path))
    if (sizeOf(copied) !== bytes || (await sha256Of(copied)) !== sha256)
      throw new CommandError('mismatch', `${copied} is not as the last pull left it.`)
  }
  return { count, digest, pulls: done.receipts.length }
}
