// The Problem that something is refused with. Any other outcome fails the test.

import { Problem } from '../../src/problem.ts'

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
  try {
    await promise
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('nothing was refused')
}
