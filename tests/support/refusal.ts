// What something is refused or fails with.

import { Problem } from '../../src/base/problem.ts'

/** The Problem that something is rejected with. Any other outcome fails the test. */
export function refusal(attempt: () => unknown): Problem {
  try {
    attempt()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('nothing was refused')
}

export async function rejection(promise: Promise<unknown>): Promise<Problem> {
  const error = await failureOf<unknown>(promise)
  if (error instanceof Problem) return error
  throw error ?? new Error('nothing was refused')
}

/** What a promise is rejected with, such as a PostgreSQL error; undefined if it is not. */
export const failureOf = async <E = Error & { code?: string; constraint_name?: string }>(
  attempt: PromiseLike<unknown>,
): Promise<E | undefined> =>
  attempt.then(
    () => undefined,
    error => error,
  )

/** Whether a promise is fulfilled, for use in waiting conditions. */
export const succeeds = async (attempt: PromiseLike<unknown>): Promise<boolean> =>
  (await failureOf<unknown>(attempt)) === undefined
