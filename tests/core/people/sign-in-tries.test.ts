// How many wrong passwords may be tried: by address, by account, and in a browser that is known.

import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import { Problem } from '../../../src/base/problem.ts'
import { SignInTries, wrongPasswordsMax } from '../../../src/core/people/sign-in-tries.ts'
import { parseAddress } from '../../../src/domain/values/ip-address.ts'

const minutesMs = 60_000
const trying = (ofAddressMax = 0) => new SignInTries(ofAddressMax)
afterEach(() => setSystemTime())
const at = (text: string, browser?: string) => ({ address: parseAddress(text), browser })
const { ofOneClient, ofAccount } = wrongPasswordsMax

/** Seconds after which to come again; undefined when the try is let through, and then it is wrong. */
async function wrong(tries: SignInTries, account: string, client: ReturnType<typeof at>): Promise<number | undefined> {
  try {
    await (await tries.begin(account, client)).fail()
    return undefined
  } catch (error) {
    return (error as Problem).retryAfterSeconds
  }
}
/** Spends a count with wrong passwords, and gives how many were let through. */
async function spend(tries: SignInTries, account: string, client: ReturnType<typeof at>): Promise<number> {
  let through = 0
  while ((await wrong(tries, account, client)) === undefined) through++
  return through
}

describe('wrong passwords', () => {
  test('are limited to ten in 15 minutes per account and address', async () => {
    const tries = trying()
    expect(await spend(tries, 'ada', at('192.0.2.1'))).toBe(ofOneClient)
    expect(await wrong(tries, 'ada', at('192.0.2.1'))).toBe(900)
    expect(await wrong(tries, 'bo', at('192.0.2.1'))).toBeUndefined()
    expect(await wrong(tries, 'ada', at('192.0.2.2'))).toBeUndefined()
    setSystemTime(Date.now() + 15 * minutesMs)
    expect(await wrong(tries, 'ada', at('192.0.2.1'))).toBeUndefined()
  })

  test('are limited per minute and address or IPv6 /64 as configured, over all accounts', async () => {
    const tries = trying(3)
    const client = at('2001:db8::1')
    for (const account of ['a', 'b', 'c']) expect(await wrong(tries, account, client)).toBeUndefined()
    expect(await wrong(tries, 'd', at('2001:db8::2'))).toBe(60)
    // Two networks may share a counter, by chance; three hardly do.
    const elsewhere = ['2001:db8:0:1::1', '2001:db8:0:2::1', '2001:db8:0:3::1'].map(text => at(text))
    expect(await Promise.all(elsewhere.map(network => wrong(tries, 'd', network)))).toContain(undefined)
  })

  test('are limited to a hundred an hour per account over all addresses, not counting refused ones', async () => {
    const tries = trying()
    let through = 0
    for (let i = 0; i < 50; i++) through += await spend(tries, 'ada', at(`192.0.2.${i}`))
    expect(through).toBe(ofAccount)
    // The longer wait of two, where the address has had its own tries too.
    for (const address of ['198.51.100.1', '192.0.2.0']) expect(await wrong(tries, 'ada', at(address))).toBe(3600)
    expect(await wrong(tries, 'bo', at('198.51.100.1'))).toBeUndefined()
  })

  test('never lock out a known browser, even if strangers share its address, since it has its own limit', async () => {
    const tries = trying(60)
    for (let i = 0; i < 50; i++) await spend(tries, 'ada', at(`192.0.2.${i}`))
    const owner = at('192.0.2.1', 'known')
    const known = await tries.begin('ada', owner)
    // Nor do strangers there fill its place in the queue for hashing.
    expect(known.from).toEqual({ name: 'known', isKnown: true })
    await known.takeBack()
    expect(await spend(tries, 'ada', owner)).toBe(ofOneClient)
    expect(await wrong(tries, 'ada', at('192.0.2.1', 'another'))).toBeUndefined()
  })
})

test('a right password does not count, while attempts under way do, so concurrent ones stay within the limit', async () => {
  const tries = trying(3)
  for (let i = 0; i < 100; i++) await (await tries.begin('ada', at('192.0.2.1'))).takeBack()
  const underWay = await Promise.all(['a', 'b', 'c'].map(account => tries.begin(account, at('192.0.2.1'))))
  await expect(tries.begin('d', at('192.0.2.1'))).rejects.toThrow(Problem)
  await underWay[0]!.takeBack()
  await tries.begin('d', at('192.0.2.1'))
})

test('a failed sign-in at a provider counts only for its address', async () => {
  const tries = trying(30)
  const client = at('192.0.2.1')
  for (let i = 0; i < 29; i++) await tries.countRefusal('ada', client.address)
  expect(await wrong(tries, 'ada', client)).toBeUndefined()
  await expect(tries.countRefusal('unknown', client.address)).rejects.toThrow(Problem)
  expect(await wrong(tries, 'ada', at('192.0.2.2'))).toBeUndefined()
})

test('a series of failures leaves two audit entries: the first, and the one that reaches the limit', async () => {
  const tries = trying()
  const client = at('192.0.2.1')
  const entries = []
  for (let i = 0; i < ofOneClient; i++) entries.push(await (await tries.begin('ada', client)).fail())
  expect(entries.filter(entry => entry !== undefined)).toEqual([{}, { failures: ofOneClient }])
  expect([entries[0], entries.at(-1)]).toEqual([{}, { failures: ofOneClient }])
})

test('audit entries are bounded for any number of accounts and addresses', async () => {
  const tries = trying()
  const outcome = async (account: string, client: ReturnType<typeof at>) =>
    (await (await tries.begin(account, client)).fail()) !== undefined
  const item = await Promise.all(Array.from({ length: 500 }, (_, i) => outcome(`person ${i}`, at('192.0.2.1'))))
  expect(item.filter(Boolean)).toHaveLength(20)
  const many = await Promise.all(
    Array.from({ length: 3000 }, (_, i) => outcome(`x${i}`, at(`2001:db8:0:${i.toString(16)}::1`))),
  )
  expect(many.filter(Boolean).length).toBeLessThanOrEqual(980)
})

test('memory is bounded: 50,000 accounts and addresses use no more than the available counters', async () => {
  // Or counts end while others begin, on a busy machine.
  setSystemTime(Date.now())
  const tries = trying(1)
  let through = 0
  for (let i = 0; i < 50_000; i++)
    if (
      (await wrong(tries, `x${i}`, at(`2001:db8:${(i >> 8).toString(16)}:${(i & 255).toString(16)}::1`))) === undefined
    )
      through++
  expect(through).toBeLessThanOrEqual(16_384)
})
