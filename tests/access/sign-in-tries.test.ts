// How many wrong passwords may be tried: by address, by account, and in a browser that is known.

import { describe, expect, test } from 'bun:test'
import { SignInTries, wrongPasswordsMax } from '../../src/access/sign-in-tries.ts'
import { parseAddress } from '../../src/domain/values/ip-address.ts'
import { Problem } from '../../src/problem.ts'

const minutes = 60_000_000
let now = 1_000_000
const trying = (ofAddressMax = 0) => new SignInTries(ofAddressMax, () => now)
const at = (text: string, browser?: string) => ({ address: parseAddress(text), browser })
const { ofOneClient, ofAccount } = wrongPasswordsMax

/** Seconds after which to come again; undefined when the try is let through, and then it is wrong. */
function wrong(tries: SignInTries, account: string, client: ReturnType<typeof at>): number | undefined {
  try {
    tries.begin(account, client).fail()
    return undefined
  } catch (error) {
    return (error as Problem).retryAfterSeconds
  }
}
/** Spends a count with wrong passwords, and gives how many were let through. */
function spend(tries: SignInTries, account: string, client: ReturnType<typeof at>): number {
  let through = 0
  while (wrong(tries, account, client) === undefined) through++
  return through
}

describe('wrong passwords', () => {
  test('of one account from one address are ten in fifteen minutes; others, and elsewhere, are another count', () => {
    const tries = trying()
    expect(spend(tries, 'ada', at('192.0.2.1'))).toBe(ofOneClient)
    expect(wrong(tries, 'ada', at('192.0.2.1'))).toBe(900)
    expect(wrong(tries, 'bo', at('192.0.2.1'))).toBeUndefined()
    expect(wrong(tries, 'ada', at('192.0.2.2'))).toBeUndefined()
    now += 15 * minutes
    expect(wrong(tries, 'ada', at('192.0.2.1'))).toBeUndefined()
  })

  test('from one address, of whatever accounts, are as many a minute as is configured; of one IPv6 /64 too', () => {
    const tries = trying(3)
    const client = at('2001:db8::1')
    for (const account of ['a', 'b', 'c']) expect(wrong(tries, account, client)).toBeUndefined()
    expect(wrong(tries, 'd', at('2001:db8::2'))).toBe(60)
    expect(wrong(tries, 'd', at('2001:db8:0:1::1'))).toBeUndefined()
  })

  test('of one account from everywhere are a hundred an hour, and refused ones do not count', () => {
    const tries = trying()
    let through = 0
    for (let i = 0; i < 50; i++) through += spend(tries, 'ada', at(`192.0.2.${i}`))
    expect(through).toBe(ofAccount)
    expect(wrong(tries, 'ada', at('198.51.100.1'))).toBe(3600)
    expect(wrong(tries, 'bo', at('198.51.100.1'))).toBeUndefined()
  })

  test('never shut out a browser that is known, even where strangers are at its address; it has ten of its own', () => {
    const tries = trying(60)
    for (let i = 0; i < 50; i++) spend(tries, 'ada', at(`192.0.2.${i}`))
    const owner = at('192.0.2.1', 'known')
    tries.begin('ada', owner).takeBack()
    expect(spend(tries, 'ada', owner)).toBe(ofOneClient)
    expect(wrong(tries, 'ada', at('192.0.2.1', 'another'))).toBeUndefined()
  })
})

test('a right password counts nothing; tries that are under way do, so that none are made at once beyond the limit', () => {
  const tries = trying(3)
  for (let i = 0; i < 100; i++) tries.begin('ada', at('192.0.2.1')).takeBack()
  const underWay = ['a', 'b', 'c'].map(account => tries.begin(account, at('192.0.2.1')))
  expect(() => tries.begin('d', at('192.0.2.1'))).toThrow(Problem)
  underWay[0]!.takeBack()
  tries.begin('d', at('192.0.2.1'))
})

test('what a provider does not vouch for counts for its address alone', () => {
  const tries = trying(30)
  const client = at('192.0.2.1')
  for (let i = 0; i < 29; i++) tries.countRefusal('ada', client.address)
  expect(wrong(tries, 'ada', client)).toBeUndefined()
  expect(() => tries.countRefusal('unknown', client.address)).toThrow(Problem)
  expect(wrong(tries, 'ada', at('192.0.2.2'))).toBeUndefined()
})

test('a run of failures is two entries: its first, and the one after which others are refused', () => {
  const tries = trying()
  const client = at('192.0.2.1')
  const entries = Array.from({ length: ofOneClient }, () => tries.begin('ada', client).fail())
  expect(entries.filter(entry => entry !== undefined)).toEqual([{}, { failures: ofOneClient }])
  expect([entries[0], entries.at(-1)]).toEqual([{}, { failures: ofOneClient }])
})

test('entries are bounded, however many accounts are tried from however many addresses', () => {
  const tries = trying()
  const told = (account: string, client: ReturnType<typeof at>) => tries.begin(account, client).fail() !== undefined
  const one = Array.from({ length: 500 }, (_, i) => told(`person ${i}`, at('192.0.2.1')))
  expect(one.filter(Boolean)).toHaveLength(20)
  const many = Array.from({ length: 3000 }, (_, i) => told(`x${i}`, at(`2001:db8:0:${i.toString(16)}::1`)))
  expect(many.filter(Boolean).length).toBeLessThanOrEqual(980)
})

test('memory is bounded: of 200,000 accounts and addresses, at most as many are remembered as there are counters', () => {
  const tries = trying(1)
  let through = 0
  for (let i = 0; i < 200_000; i++)
    if (wrong(tries, `x${i}`, at(`2001:db8:${(i >> 8).toString(16)}:${(i & 255).toString(16)}::1`)) === undefined)
      through++
  expect(through).toBeLessThanOrEqual(16_384)
})
