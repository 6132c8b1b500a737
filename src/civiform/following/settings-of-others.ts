// Settings that service and workers have in common with the follower, checked at their start: one process that is set otherwise would mix
// two forms of the same application, or refuse every client, without a word.

import { Problem } from '../../base/problem.ts'
import type { Sql } from '../../db/client.ts'
import type { ExportProfile } from '../../domain/questions/key-map.ts'
import { findFollowState } from '../db/follow-state.ts'
import { readFollowedKeys } from '../db/followed-keys.ts'
import { profileOf } from '../source/profile.ts'

/** Throws Problem `conflict` where applications are followed in another profile than this process is set to. */
export async function requireFollowedProfile(sql: Sql, profile: ExportProfile): Promise<void> {
  const state = await findFollowState(sql)
  if (state === undefined) return
  const followed = profileOf(state.rendering)
  if (followed !== profile)
    throw new Problem('conflict', {
      detail:
        `CIVIFORM_PROFILE is ${profile} here, and the follower has written the applications as ${followed}. Set it alike for the service, ` +
        'the workers and the follower; to change it, start the follower first.',
    })
}

/** How many keys of CiviForm's could be used, if its salt were set. */
export async function countKeysWithoutSalt(sql: Sql, originApiSalt: string | undefined): Promise<number> {
  if (originApiSalt !== undefined) return 0
  return (await readFollowedKeys(sql)).filter(({ retired_at }) => retired_at === null).length
}
