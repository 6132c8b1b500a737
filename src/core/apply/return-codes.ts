// The code that lets an applicant return on any device: `KRTP-4M7X-9QHD`. The database stores only its HMAC.

import { createHmac, randomInt } from 'node:crypto'

/** Digits and consonants that don't look alike and don't form words. 28^12 has 57 bits, and wrong codes are counted. */
const alphabet = '23456789BCDFGHJKLMNPQRSTVWXZ'
const length = 12

export function mintCode(): string {
  const letters = Array.from({ length }, () => alphabet[randomInt(alphabet.length)])
  return groupsOf(letters.join(''))
}

const groupsOf = (letters: string): string => letters.replace(/.{4}(?=.)/g, '$&-')

/** A typed code in the form in which it was shown; undefined if it is none. */
export function readCode(typed: string): string | undefined {
  const letters = typed.toUpperCase().replace(/[\s\p{Pd}.]/gu, '')
  return letters.length === length && [...letters].every(letter => alphabet.includes(letter))
    ? groupsOf(letters)
    : undefined
}

export const hashCode = (code: string, pepper: string): Buffer =>
  createHmac('sha256', pepper).update(`apply code ${code}`).digest()
