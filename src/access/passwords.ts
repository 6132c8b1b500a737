// Passwords of people: what one must be like, and argon2id. Few are hashed at a time, since each takes memory and a moment.

import { Problem, type ProblemItem } from '../problem.ts'

export const passwordLengthMin = 12
const passwordLengthMax = 200
/** Hashed at once in this process; others wait, and past `waitingMax` are told to come again. */
const atOnce = 2
const waitingMax = 64

let running = 0
const waiting: (() => void)[] = []

async function oneOfFew<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) {
    if (waiting.length >= waitingMax)
      throw new Problem('unavailable', {
        detail: 'Too many people are signing in just now. Try again in a few seconds.',
        retryAfterSeconds: 5,
        internal: 'password_queue',
      })
    await new Promise<void>(resolve => waiting.push(resolve))
  }
  running++
  try {
    return await work()
  } finally {
    running--
    waiting.shift()?.()
  }
}

/** What is wrong with a password that somebody chose, if anything. Source: NIST SP 800-63B, 3.1.1.2. */
export function passwordFaults(password: string, person: { email: string; name: string }): ProblemItem[] {
  const fault = (code: string, detail: string): ProblemItem[] => [{ parameter: 'password', code, detail }]
  if (password.length < passwordLengthMin)
    return fault('too_short', `Use at least ${passwordLengthMin} characters. A few words in a row are good.`)
  if (password.length > passwordLengthMax) return fault('too_long', `Use at most ${passwordLengthMax} characters.`)
  if (new Set(password).size < 5) return fault('too_simple', 'Use more different characters.')
  const lower = password.toLowerCase()
  if ([person.email, person.name, 'tributary'].some(known => known !== '' && lower === known.toLowerCase()))
    return fault('too_simple', 'Use something else than your name or e-mail.')
  return []
}

export const hashPersonPassword = (password: string): Promise<string> =>
  oneOfFew(() => Bun.password.hash(password, { algorithm: 'argon2id' }))

let nobodys: Promise<string> | undefined

/** Whether a password is the one of this hash. Without a hash, the same work is done for nothing. */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  nobodys ??= Bun.password.hash(crypto.randomUUID(), { algorithm: 'argon2id' })
  const against = hash ?? (await nobodys)
  const good = await oneOfFew(() => Bun.password.verify(password.slice(0, passwordLengthMax + 1), against))
  return good && hash !== undefined
}
