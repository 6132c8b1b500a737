// The typed client against the real service, through a proxy that fails on purpose.

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { GaveUp, RequestRefused } from '../../src/client/client-errors.ts'
import { type ClientOptions, TributaryClient } from '../../src/client/tributary-client.ts'
import { integerFrom, pick, seededRandom } from '../../src/domain/invented/seeded-random.ts'
import { type Fault, useFaultyProxy } from '../support/faulty-proxy.ts'
import { useExport } from '../support/fixtures.ts'
import { findNeeded, needs } from '../support/needs.ts'
import { insertRawApplications } from '../support/raw-applications.ts'
import { outputOf } from '../support/run.ts'

const nextLetter = seededRandom(4711)
/** As long as given, and no shorter when it is compressed. */
const letters = (length: number): string =>
  Array.from({ length }, () => String.fromCharCode(integerFrom(nextLetter, 0x20, 0x2fff))).join('')

const { service, key, slug, ids, sql, program } = await useExport({
  applications: 230,
  textOf: i => `“answer” ${i} }],{"\\ ${letters((i * 97) % 800)}`,
  config: { maxPageSize: 50 },
})
const clientOf = (baseUrl = service.baseUrl, options: Partial<ClientOptions> = {}): TributaryClient =>
  new TributaryClient({ baseUrl, username: key.username, password: key.password, waitMs: 1, ...options })

async function proxied(faultOf: (n: number) => Fault) {
  const proxy = await useFaultyProxy(service.port, faultOf)
  return proxy
}

async function walked(client: TributaryClient, options?: Parameters<TributaryClient['applications']>[1]) {
  const found: number[] = []
  for await (const application of client.applications(slug, options)) found.push(application.application_id)
  return found
}

/** Mostly faults, of every kind. */
function randomFaults(seed: number): (n: number) => Fault {
  const next = seededRandom(seed)
  return () =>
    pick<() => Fault>(next, [
      () => 'none',
      () => 'none',
      () => 'hang up',
      () => ({ status: 503 }),
      () => ({ status: 429, retryAfter: '0' }),
      () => ({ cutAfterBytes: integerFrom(next, 0, 60_000) }),
      () => ({ silentAfterBytes: integerFrom(next, 0, 60_000) }),
    ])()
}

describe('a walk', () => {
  test('gives every application once, in order, at any page size', async () => {
    for (const pageSize of [undefined, 1000, 7]) expect(await walked(clientOf(), { pageSize })).toEqual(ids)
  })

  test.each([1, 2, 3, 4])(
    'through cuts, silences, 429 and 503 at random, every application once and in order (seed %d)',
    async seed => {
      const proxy = await proxied(randomFaults(seed))
      const client = clientOf(proxy.baseUrl, { silenceMs: 200, retriesMax: 60, waitMsMax: 5 })
      expect(await walked(client)).toEqual(ids)
      expect(proxy.requests.some(({ fault }) => fault !== 'none')).toBe(true)
    },
  )

  test('a page that broke is asked for again by its own token, and not from the beginning', async () => {
    const proxy = await proxied(n => (n === 2 ? { cutAfterBytes: 3000 } : 'none'))
    expect(await walked(clientOf(proxy.baseUrl))).toEqual(ids)
    const targets = proxy.requests.map(({ target }) => target)
    expect(targets[3]).toBe(targets[2]!)
    // Each page by a token of its own, and the first of them once.
    expect(new Set(targets).size).toBe(Math.ceil(ids.length / 50))
    expect(targets.filter(target => target === targets[0])).toHaveLength(1)
  })

  test('G2: "Nothing submitted after page 1 appears", though the first page was asked for twice', async () => {
    const proxy = await proxied(n => (n === 0 ? { cutAfterBytes: 9000 } : 'none'))
    const found: number[] = []
    const late: number[] = []
    for await (const { application_id } of clientOf(proxy.baseUrl).applications(slug)) {
      // The first page is whole by now.
      if (found.length === 0) late.push(...(await insertRawApplications(sql, program, 3)))
      found.push(application_id)
    }
    expect(found).toEqual(ids)
    expect(proxy.requests.map(({ target }) => target.includes('nextPageToken')).slice(0, 3)).toEqual([
      false,
      false,
      true,
    ])
    ids.push(...late)
  })

  test('takes filters, and says from where to go on', async () => {
    const times: (string | undefined)[] = []
    for await (const { page } of clientOf().steps(slug, { pageSize: 200 }))
      if (page !== undefined) times.push(page.snapshotTime)
    expect(times).toEqual([expect.any(String), undefined])
    expect(await walked(clientOf(), { fromDate: times[0] })).toEqual([])
    expect(await walked(clientOf(), { revisionState: 'OBSOLETE' })).toEqual([])
    const chosen = clientOf().applications(slug, { fields: 'nothing_of_it' })
    await expect(chosen.next()).rejects.toThrow(/fields/)
  })
})

describe('what cannot pass is said at once', () => {
  test.each([
    ['an API key that is not known', { password: 'wrong' }, {}, 401, 'The service answered 401: the API key'],
    ['a parameter that cannot be used', {}, { fromDate: 'May' }, 400, 'fromDate'],
  ])('%s', async (_, options, filters, status, said) => {
    const proxy = await proxied(() => 'none')
    const failure = await walked(clientOf(proxy.baseUrl, options), filters).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(RequestRefused)
    const { message } = failure as RequestRefused
    expect(message).toContain(said)
    // Each sentence ends once.
    expect(message).not.toContain('..')
    expect(failure).toMatchObject({ status })
    expect(proxy.requests).toHaveLength(1)
  })

  test('an answer that leads elsewhere is not followed: the key goes nowhere else', async () => {
    const proxy = await proxied(() => ({ status: 302 }))
    await expect(walked(clientOf(proxy.baseUrl))).rejects.toThrow('give its own address')
    expect(proxy.requests).toHaveLength(1)
  })

  test.each([
    'http://apply.example.gov',
    'ftp://127.0.0.1',
    'apply.example.gov',
    'https://me:secret@apply.example.gov',
  ])('the address %s', address => {
    expect(() => clientOf(address)).toThrow(TypeError)
  })
})

describe('waiting', () => {
  test('after as many failures one after another as were allowed it gives up, with the last of them', async () => {
    const proxy = await proxied(() => ({ status: 503 }))
    const failure = await walked(clientOf(proxy.baseUrl, { retriesMax: 3 })).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(GaveUp)
    expect(String(failure)).toContain('Gave up after 4 attempts; the last one failed: The service answered 503')
    expect(proxy.requests).toHaveLength(4)
  })

  test('each wait is longer than the one before, up to a bound, and never the same for all; Retry-After is kept to', async () => {
    const waits: number[] = []
    const answers: Fault[] = [
      { status: 503 },
      'hang up',
      { status: 500 },
      { status: 503 },
      { status: 429, retryAfter: '1' },
    ]
    const proxy = await proxied(n => answers[n] ?? 'none')
    const client = clientOf(proxy.baseUrl, { waitMs: 16, waitMsMax: 64, onRetry: ({ waitMs }) => waits.push(waitMs) })
    await walked(client)
    const bounds = [16, 32, 64, 64].map(most => [most / 2, most] as const)
    for (const [i, [least, most]] of bounds.entries()) {
      expect(waits[i]).toBeGreaterThanOrEqual(least)
      expect(waits[i]).toBeLessThanOrEqual(most)
    }
    expect(waits[4]).toBeGreaterThanOrEqual(1000)
    expect(waits).toHaveLength(5)
    expect(new Set(waits).size).toBe(5)
  })

  test('a signal ends the walk, its requests and its waits, with its own reason', async () => {
    const proxy = await proxied(n => (n > 0 ? { silentAfterBytes: 2000 } : 'none'))
    const controller = new AbortController()
    const found: number[] = []
    const walk = (async () => {
      for await (const { application_id } of clientOf(proxy.baseUrl).applications(slug, {
        signal: controller.signal,
      })) {
        found.push(application_id)
        if (found.length === 50) setTimeout(() => controller.abort(new Error('enough')), 20)
      }
    })()
    await expect(walk).rejects.toThrow('enough')
    const waiting = new AbortController()
    const endless = await proxied(() => ({ status: 503 }))
    const options = { waitMs: 3_600_000, waitMsMax: 3_600_000, onRetry: () => waiting.abort(new Error('no more')) }
    await expect(walked(clientOf(endless.baseUrl, options), { signal: waiting.signal })).rejects.toThrow('no more')
  })

  test('a reader who leaves early leaves no request behind', async () => {
    const proxy = await proxied(() => 'none')
    for await (const _ of clientOf(proxy.baseUrl).applications(slug)) break
    expect(proxy.requests).toHaveLength(1)
    expect(await clientOf().checkAuth()).toMatchObject({ programs: [slug] })
  })
})

test.skipIf(!needs('node'))('it runs under Node.js as it stands, through cuts and refusals', async () => {
  const proxy = await proxied(
    n => (['none', { cutAfterBytes: 4000 }, { status: 503 }, 'hang up'] as const)[n] ?? 'none',
  )
  const script = `
    import { TributaryClient } from ${JSON.stringify(join(import.meta.dir, '../../src/client/tributary-client.ts'))}
    const client = new TributaryClient({ baseUrl: process.argv[1], username: process.env.NAME, password: process.env.WORD, waitMs: 1 })
    const ids = []
    for await (const application of client.applications(${JSON.stringify(slug)})) ids.push(application.application_id)
    console.log(JSON.stringify(ids))`
  const out = await outputOf([findNeeded('node')!, '--input-type=module', '-e', script, proxy.baseUrl], {
    env: { NAME: key.username, WORD: key.password },
  })
  expect(JSON.parse(out)).toEqual(ids)
})
