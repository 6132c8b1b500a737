// The queue in which passwords are hashed: few at a time, and a share for each client.

import { expect, test } from 'bun:test'
import { isPassword, passwordErrors } from '../../src/people/passwords.ts'
import { Problem } from '../../src/problem.ts'

/** One that costs next to nothing to look at: what is tested is the queue. */
const hash = await Bun.password.hash('four plain words here', { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })

const outcome = (looked: Promise<boolean>): Promise<boolean | string> =>
  looked.catch((error: unknown) => (error instanceof Problem ? error.internal! : 'thrown'))

test('one client has at most eight passwords looked at or waiting, and keeps no other from the queue', async () => {
  const flood = Array.from({ length: 30 }, () => outcome(isPassword('guessed', hash, '192.0.2.1')))
  const others = ['192.0.2.2', '192.0.2.3', undefined].map(from =>
    outcome(isPassword('four plain words here', hash, from)),
  )
  expect(await Promise.all(others)).toEqual([true, true, true])
  const outcomes = await Promise.all(flood)
  expect(outcomes.filter(one => one === false)).toHaveLength(8)
  expect(outcomes.filter(one => one === 'password_queue')).toHaveLength(22)
  // Its places are free again.
  expect(await isPassword('four plain words here', hash, '192.0.2.1')).toBe(true)
})

test('the queue has an end, however many clients wait in it', async () => {
  const all = Array.from({ length: 70 }, (_, i) => outcome(isPassword('guessed', hash, `client ${i}`)))
  const outcomes = await Promise.all(all)
  expect(outcomes.filter(one => one === 'password_queue')).toHaveLength(4)
  // A hash that cannot be read gives its place on.
  for (let i = 0; i < 10; i++) expect(await outcome(isPassword('guessed', 'no hash', '192.0.2.1'))).toBe('thrown')
  expect(await isPassword('four plain words here', hash, '192.0.2.1')).toBe(true)
})

test('the longest password is looked at to its end, and beyond', async () => {
  const longest = 'a few words '.repeat(17).slice(0, 200)
  const stored = await Bun.password.hash(longest, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })
  expect(await isPassword(longest, stored, undefined)).toBe(true)
  expect(await isPassword(`${longest}x`, stored, undefined)).toBe(false)
})

test('a name or an e-mail of one’s own is no password, in whatever case it is known or typed', () => {
  const person = { email: 'Ada.Lovelace@example.gov', name: 'Ada Byron Lovelace' }
  for (const known of [person.email, person.name])
    for (const typed of [known, known.toLowerCase(), known.toUpperCase()])
      expect(passwordErrors(typed, person)).toMatchObject([{ parameter: 'password', code: 'too_simple' }])
  expect(passwordErrors(`${person.name} again`, person)).toEqual([])
})
