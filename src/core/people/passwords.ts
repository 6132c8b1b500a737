// Password rules and hashing (argon2id).

import { Problem, type ProblemItem } from '../../base/problem.ts'
import { type PasswordClient, PasswordQueue } from './password-queue.ts'

export const passwordLengthMin = 12
const passwordLengthMax = 200
/** Cost of argon2id: KiB of memory and number of passes. */
interface PasswordCost {
  memoryCost: number
  timeCost: number
}

/** Cost in production. */
export const fullPasswordCost: PasswordCost = { memoryCost: 65_536, timeCost: 2 }
let cost = fullPasswordCost

/** A hash of no password, which takes as long to compare as a real one. */
let placeholder: Promise<string> | undefined

/** For tests of other things, which would spend half of their time here. */
export function setPasswordCost(other: PasswordCost): void {
  cost = other
  placeholder = undefined
}

const hash = (password: string): Promise<string> => Bun.password.hash(password, { algorithm: 'argon2id', ...cost })

/** Of this process. */
const queue = new PasswordQueue()

/** Errors of a chosen password. Source: NIST SP 800-63B, 3.1.1.2. */
export function passwordErrors(password: string, person: { email: string; name: string }): ProblemItem[] {
  const error = (code: string, detail: string): ProblemItem[] => [{ parameter: 'password', code, detail }]
  if (password.length < passwordLengthMin)
    return error('too_short', `Use at least ${passwordLengthMin} characters. A few unrelated words work well.`)
  if (password.length > passwordLengthMax) return error('too_long', `Use at most ${passwordLengthMax} characters.`)
  if (new Set(password).size < 5) return error('too_simple', 'Use a greater variety of characters.')
  const lower = password.toLowerCase()
  if ([person.email, person.name, 'tributary'].some(known => known !== '' && lower === known.toLowerCase()))
    return error('too_simple', 'Don’t use your name or email address.')
  return []
}

/** Throws Problem `unavailable` like `isPassword`. */
export const hashPersonPassword = (password: string, from: PasswordClient): Promise<string> =>
  queue.run(from, () => hash(password))

/** Whether a password matches this hash. Without a hash, it does the same work. Throws Problem `unavailable` if too many are waiting. */
export async function isPassword(password: string, stored: string | undefined, from: PasswordClient): Promise<boolean> {
  placeholder ??= hash(crypto.randomUUID())
  const against = stored ?? (await placeholder)
  const good = await queue.run(from, () => Bun.password.verify(password.slice(0, passwordLengthMax + 1), against))
  if (good && stored !== undefined) return true
  queue.noteFailure(from)
  return false
}

/** For a correct password that has been changed before it could be used. */
export const changedConcurrently = (): Problem =>
  new Problem('unauthenticated', {
    detail: 'Your password or account changed at the same time. Sign in again.',
    internal: 'changed_concurrently',
  })
