// Passwords of people: what one must be like, and argon2id. Few are hashed at a time, since each takes memory and a moment.

import { Problem, type ProblemItem } from '../problem.ts'

export const passwordLengthMin = 12
const passwordLengthMax = 200
/** Hashed concurrently in this process; others wait, and are refused past `waitingMax`. */
const atOnce = 2
const waitingMax = 64
/** Of those under way and waiting, at most so many are of one client, so that one cannot keep all others out. */
const ofOneClientMax = 8

let running = 0
const waiting: (() => void)[] = []
const ofClient = new Map<string, number>()

/** Throws Problem `unavailable` when too many wait, or too many of this client do. `from` is undefined for what no stranger can ask for. */
async function oneOfFew<T>(from: string | undefined, work: () => Promise<T>): Promise<T> {
  const held = from === undefined ? 0 : (ofClient.get(from) ?? 0)
  if (held >= ofOneClientMax || (running >= atOnce && waiting.length >= waitingMax)) throw tooManyAtOnce
  if (from !== undefined) ofClient.set(from, held + 1)
  try {
    // The one that ends hands its place on, so that none that comes in the meantime takes it.
    if (running >= atOnce) await new Promise<void>(resolve => waiting.push(resolve))
    else running++
    return await work().finally(() => {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    })
  } finally {
    if (from !== undefined) free(from)
  }
}

function free(from: string): void {
  const left = ofClient.get(from)! - 1
  if (left > 0) ofClient.set(from, left)
  else ofClient.delete(from)
}

const tooManyAtOnce = new Problem('unavailable', {
  detail: 'Too many people are signing in at the moment. Try again in a few seconds.',
  retryAfterSeconds: 5,
  internal: 'password_queue',
})

/** Errors of a chosen password. Source: NIST SP 800-63B, 3.1.1.2. */
export function passwordErrors(password: string, person: { email: string; name: string }): ProblemItem[] {
  const error = (code: string, detail: string): ProblemItem[] => [{ parameter: 'password', code, detail }]
  if (password.length < passwordLengthMin)
    return error('too_short', `Use at least ${passwordLengthMin} characters. A few words in a row are good.`)
  if (password.length > passwordLengthMax) return error('too_long', `Use at most ${passwordLengthMax} characters.`)
  if (new Set(password).size < 5) return error('too_simple', 'Use more different characters.')
  const lower = password.toLowerCase()
  if ([person.email, person.name, 'tributary'].some(known => known !== '' && lower === known.toLowerCase()))
    return error('too_simple', 'Use something else than your name or e-mail.')
  return []
}

export const hashPersonPassword = (password: string, from: string | undefined): Promise<string> =>
  oneOfFew(from, () => Bun.password.hash(password, { algorithm: 'argon2id' }))

let placeholder: Promise<string> | undefined

/**
 * Whether a password is the one of this hash. Without a hash, the same work is done for nothing. Throws Problem `unavailable` when too
 * many are looked at: at all, or for the client that `from` names.
 */
export async function isPassword(
  password: string,
  hash: string | undefined,
  from: string | undefined,
): Promise<boolean> {
  placeholder ??= Bun.password.hash(crypto.randomUUID(), { algorithm: 'argon2id' })
  const against = hash ?? (await placeholder)
  const good = await oneOfFew(from, () => Bun.password.verify(password.slice(0, passwordLengthMax + 1), against))
  return good && hash !== undefined
}

/** When a password that was right is another by the time that something follows from it. */
export const changedConcurrently = (): Problem =>
  new Problem('unauthenticated', {
    detail: 'Your password was changed, or you were disabled, at this moment. Sign in again.',
    internal: 'changed_concurrently',
  })
