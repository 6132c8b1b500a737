// Tokens of forms as pages have them.

import { expect, test } from 'bun:test'
import { maskedToken, unmaskedToken } from '../../../src/core/people/masked-token.ts'

const token = 'q7Zr0m_-4hJ2ZrXbXo8gk2eA1cQv9sYdTtLw5uNfPzE'

test('a masked token unmasks to the token and differs each time', () => {
  const masked = Array.from({ length: 50 }, () => maskedToken(token))
  expect(new Set(masked).size).toBe(50)
  for (const value of masked) {
    expect(unmaskedToken(value)).toBe(token)
    expect(value).not.toContain(token.slice(0, 6))
  }
})

test('an empty token stays empty', () => {
  expect([maskedToken(''), unmaskedToken('')]).toEqual(['', ''])
})

test('an unmasked token is unchanged, and an invalid masked token becomes empty', () => {
  expect(unmaskedToken(token)).toBe(token)
  for (const text of ['.', 'a.b', 'AAAA.AA', 'AAAA.AAAA.AAAA', '%.%', `${maskedToken(token)}.`])
    expect(unmaskedToken(text)).not.toBe(token)
})
