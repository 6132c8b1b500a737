// What something is refused or fails with.

import { Problem } from '../../src/base/problem.ts'

/** The Problem that something is refused with. Any other outcome fails the test. */
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

/** What a promise is rejected with, such as an error of PostgreSQL; undefined when it is not. */
export const failureOf = async <E = Error & { code?: string; constraint_name?: string }>(
  attempt: PromiseLike<unknown>,
): Promise<E | undefined> =>
  attempt.then(
    () => undefined,
    error => error,
  )

/** Whether a promise is fulfilled, for waiting until it is. */
export const succeeds = async (attempt: PromiseLike<unknown>): Promise<boolean> =>
  (await failureOf<unknown>(attempt)) === undefined
