// A database that lost commits may give a lost version's ID to a version of another program. The lost version and its submissions no
// longer exist there, so both are removed here, which frees the ID for the new version.

import { inTransaction } from '../../db/client.ts'
import { lockQuestionBank } from '../../db/programs/questions.ts'
import { deleteLostVersions, readApplicationsOf, readVersionNames } from '../db/followed-programs.ts'
import { readSourceNames } from '../db/source-catalogue.ts'
import type { FollowReading } from '../source/followed-source.ts'
import { removeDeleted } from './apply-changes.ts'

/** Safe to repeat; no effect if the database never lost commits. */
export async function giveUpReusedVersions(deps: FollowReading): Promise<void> {
  const { sql, source, wasRolledBack, log } = deps
  if (!wasRolledBack) return
  const names = new Map((await readSourceNames(source)).map(({ id, name }) => [id, name]))
  const reused = (await readVersionNames(sql))
    .filter(({ program_version_id: id, origin_name }) => names.has(id) && names.get(id) !== origin_name)
    .map(version => version.program_version_id)
  if (reused.length === 0) return
  const { length: lost } = await removeDeleted(deps, await readApplicationsOf(sql, reused))
  await inTransaction(sql, async tx => {
    await lockQuestionBank(tx)
    await deleteLostVersions(tx, reused)
  })
  log.error({ versions: reused, lost }, 'CiviForm has lost program versions and reused their IDs')
}
