// Which passwords may be chosen, and how one is compared.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { hashPersonPassword, isPassword, passwordErrors } from '../../../src/core/people/passwords.ts'

test('a stored password costs 64 MiB and two passes of argon2id to guess, outside of tests', async () => {
  const code = `import { hashPersonPassword } from '${join(import.meta.dir, '../../../src/core/people/passwords.ts')}'
    console.log(await hashPersonPassword('a few words', { name: '192.0.2.1', isKnown: false }))`
  const { stdout } = Bun.spawnSync([process.execPath, '-e', code])
  expect(stdout.toString()).toStartWith('$argon2id$v=19$m=65536,t=2,')
})

test('the longest password is compared to its last character, and a longer one refused', async () => {
  const client = { name: '192.0.2.1', isKnown: false }
  const longest = 'a few words '.repeat(17).slice(0, 200)
  const stored = await hashPersonPassword(longest, client)
  expect(await isPassword(longest, stored, client)).toBe(true)
  expect(await isPassword(`${longest}x`, stored, client)).toBe(false)
})

test('a person’s name or email address is refused as a password, in any case', () => {
  const person = { email: 'Ada.Lovelace@example.gov', name: 'Ada Byron Lovelace' }
  for (const known of [person.email, person.name])
    for (const typed of [known, known.toLowerCase(), known.toUpperCase()])
      expect(passwordErrors(typed, person)).toMatchObject([{ parameter: 'password', code: 'too_simple' }])
  expect(passwordErrors(`${person.name} again`, person)).toEqual([])
})
