// The refusal of a database that has not come as far as a walk (G13): waiting helps, unless it was set back.

import { Problem } from '../../problem.ts'

export function databaseIsBehind(cause: unknown): Problem {
  return new Problem('unavailable', {
    detail:
      'The database that would answer has not come as far as this walk. Try again in a few seconds. ' +
      'If it was restored from a backup, that will not help: begin the walk again, without a token.',
    retryAfterSeconds: 5,
    internal: 'behind_walk',
    cause,
  })
}
