// Checks the settings that the service and workers share with the follower when they start. A process with a different value
// would mix two forms of the same application, or silently reject every client.

import { Problem } from '../../base/problem.ts'
import type { Sql } from '../../db/client.ts'
import type { ExportProfile } from '../../domain/questions/key-map.ts'
import { findFollowState } from '../db/follow-state.ts'
import { readFollowedKeys } from '../db/followed-keys.ts'
import { profileOf } from '../source/profile.ts'

/** Throws Problem `conflict` if applications were copied in another profile than this process's. */
export async function requireFollowedProfile(sql: Sql, profile: ExportProfile): Promise<void> {
  const state = await findFollowState(sql)
  if (state === undefined) return
  const followed = profileOf(state.rendering)
  if (followed !== profile)
    throw new Problem('conflict', {
      detail:
        `CIVIFORM_PROFILE is ${profile}, but the follower wrote the applications as ${followed}. Use the same value for the service, ` +
        'the workers and the follower. To change it, restart the follower first.',
    })
}

/** How many CiviForm keys would work if CiviForm's salt were set. */
export async function countKeysWithoutSalt(sql: Sql, originApiSalt: string | undefined): Promise<number> {
  if (originApiSalt !== undefined) return 0
  return (await readFollowedKeys(sql)).filter(({ retired_at }) => retired_at === null).length
}
