// A database that lost commits gives the ids it had given in them again. So after its history was cut, an id alone does not tell which
// application it is; with the time of submission it does, which never becomes a later one.

import type { Micros } from '../../domain/values/offset-time.ts'
import type { Reading } from '../followed-source.ts'

/** Whether the one that is there now, submitted at `now`, is another than the one that was known under its id. */
export const isGivenAgain = (
  { wasSetBack }: Pick<Reading, 'wasSetBack'>,
  known: { submitted_at: Micros | null },
  now: Micros | null,
): boolean => wasSetBack && known.submitted_at !== null && now !== null && now > known.submitted_at
