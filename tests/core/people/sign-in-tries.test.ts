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
  test('of one account from one address are ten in fifteen minutes; others, and elsewhere, are another count', async () => {
    const tries = trying()
    expect(await spend(tries, 'ada', at('192.0.2.1'))).toBe(ofOneClient)
    expect(await wrong(tries, 'ada', at('192.0.2.1'))).toBe(900)
    expect(await wrong(tries, 'bo', at('192.0.2.1'))).toBeUndefined()
    expect(await wrong(tries, 'ada', at('192.0.2.2'))).toBeUndefined()
    setSystemTime(Date.now() + 15 * minutesMs)
    expect(await wrong(tries, 'ada', at('192.0.2.1'))).toBeUndefined()
  })

  test('from one address, of whatever accounts, are as many a minute as is configured; of one IPv6 /64 too', async () => {
    const tries = trying(3)
    const client = at('2001:db8::1')
    for (const account of ['a', 'b', 'c']) expect(await wrong(tries, account, client)).toBeUndefined()
    expect(await wrong(tries, 'd', at('2001:db8::2'))).toBe(60)
    // Two networks may share a counter, by chance; three hardly do.
    const elsewhere = ['2001:db8:0:1::1', '2001:db8:0:2::1', '2001:db8:0:3::1'].map(text => at(text))
    expect(await Promise.all(elsewhere.map(network => wrong(tries, 'd', network)))).toContain(undefined)
  })

  test('of one account from everywhere are a hundred an hour, and refused ones do not count', async () => {
    const tries = trying()
    let through = 0
    for (let i = 0; i < 50; i++) through += await spend(tries, 'ada', at(`192.0.2.${i}`))
    expect(through).toBe(ofAccount)
    // The longer wait of two, where the address has had its own tries too.
    for (const address of ['198.51.100.1', '192.0.2.0']) expect(await wrong(tries, 'ada', at(address))).toBe(3600)
    expect(await wrong(tries, 'bo', at('198.51.100.1'))).toBeUndefined()
  })

  test('never shut out a browser that is known, even where strangers are at its address; it has ten of its own', async () => {
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

test('a right password counts nothing; tries that are under way do, so that none are made at once beyond the limit', async () => {
  const tries = trying(3)
  for (let i = 0; i < 100; i++) await (await tries.begin('ada', at('192.0.2.1'))).takeBack()
  const underWay = await Promise.all(['a', 'b', 'c'].map(account => tries.begin(account, at('192.0.2.1'))))
  await expect(tries.begin('d', at('192.0.2.1'))).rejects.toThrow(Problem)
  await underWay[0]!.takeBack()
  await tries.begin('d', at('192.0.2.1'))
})

test('what a provider does not vouch for counts for its address alone', async () => {
  const tries = trying(30)
  const client = at('192.0.2.1')
  for (let i = 0; i < 29; i++) await tries.countRefusal('ada', client.address)
  expect(await wrong(tries, 'ada', client)).toBeUndefined()
  await expect(tries.countRefusal('unknown', client.address)).rejects.toThrow(Problem)
  expect(await wrong(tries, 'ada', at('192.0.2.2'))).toBeUndefined()
})

test('a run of failures is two entries: its first, and the one after which others are refused', async () => {
  const tries = trying()
  const client = at('192.0.2.1')
  const entries = []
  for (let i = 0; i < ofOneClient; i++) entries.push(await (await tries.begin('ada', client)).fail())
  expect(entries.filter(entry => entry !== undefined)).toEqual([{}, { failures: ofOneClient }])
  expect([entries[0], entries.at(-1)]).toEqual([{}, { failures: ofOneClient }])
})

test('entries are bounded, however many accounts are tried from however many addresses', async () => {
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

test('memory is bounded: of 50,000 accounts and addresses, at most as many are remembered as there are counters', async () => {
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
