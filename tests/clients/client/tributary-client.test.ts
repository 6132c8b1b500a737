// The typed client against the real service, through a proxy that fails on purpose.

import { describe, expect, spyOn, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { getEventListeners } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../../../scripts/processes/free-port.ts'
import { Attempts } from '../../../src/clients/client/attempts.ts'
import { GaveUp, NotNow, RequestRefused, Unreachable } from '../../../src/clients/client/client-errors.ts'
import type { ClientOptions } from '../../../src/clients/client/client-options.ts'
import { TributaryClient } from '../../../src/clients/client/tributary-client.ts'
import { integerFrom, seededRandom } from '../../../src/domain/random/seeded-random.ts'
import { testCertificate } from '../../support/certificate.ts'
import { type Fault, randomFaults, useFaultyProxy } from '../../support/faulty-proxy.ts'
import { endWithTest, useExport, useService } from '../../support/fixtures.ts'
import { findNeeded, needs } from '../../support/needs.ts'
import { insertRawApplications } from '../../support/raw-applications.ts'
import { outputOf } from '../../support/run.ts'

const nextLetter = seededRandom(4711)
/** As long as given, and no shorter when it is compressed. */
const letters = (length: number): string =>
  Array.from({ length }, () => String.fromCharCode(integerFrom(nextLetter, 0x20, 0x2fff))).join('')

const { service, key, slug, ids, sql, program, database } = await useExport({
  applications: 230,
  textOf: i => `“answer” ${i} }],{"\\ ${letters((i * 97) % 800)}`,
  config: { maxPageSize: 50 },
})
const clientOf = (baseUrl = service.baseUrl, options: Partial<ClientOptions> = {}): TributaryClient =>
  new TributaryClient({ baseUrl, username: key.username, password: key.password, waitMs: 1, ...options })

async function proxied(faultOf: (n: number) => Fault) {
  const proxy = await useFaultyProxy(service.port, faultOf, true)
  return proxy
}

async function walked(client: TributaryClient, options?: Parameters<TributaryClient['applications']>[1]) {
  const found: number[] = []
  for await (const application of client.applications(slug, options)) found.push(application.application_id)
  return found
}

describe('a walk', () => {
  test('accepts times as Date and null as omitted, and refuses an unknown option', async () => {
    const [early, late] = [new Date(Date.UTC(2000)), new Date(Date.UTC(2100))]
    expect(await walked(clientOf(), { fromDate: early, toDate: null, revisionState: null, fields: null })).toEqual(ids)
    expect(await walked(clientOf(), { fromDate: late })).toEqual([])
    expect(await walked(clientOf(), { toDate: early })).toEqual([])
    const misspelt: object = { from_date: '2100-01-01' }
    await expect(walked(clientOf(), misspelt)).rejects.toThrow('from_date')
    await expect(clientOf().changes(slug, 'latest', misspelt).next()).rejects.toThrow('from_date')
    expect(() => clientOf(undefined, { userName: 'x' } as object)).toThrow('userName')
  })

  test('yields every application once, in order, at any page size', async () => {
    for (const pageSize of [undefined, 1000, 7]) expect(await walked(clientOf(), { pageSize })).toEqual(ids)
  })

  test.each([1, 2, 3, 4])(
    'yields every application once and in order despite random cuts, silences, 429 and 503 (seed %d)',
    async seed => {
      const proxy = await proxied(randomFaults(seed, 60_000))
      const client = clientOf(proxy.baseUrl, { silenceMs: 200, retriesMax: 60, waitMsMax: 5 })
      expect(await walked(client)).toEqual(ids)
      expect(proxy.requests.some(({ fault }) => fault !== 'none')).toBe(true)
    },
  )

  test('waits for a slow page longer than the limit on silence, as long as data keeps arriving', async () => {
    const slowly = async (url: string, init: RequestInit): Promise<Response> => {
      if (url.includes('nextPageToken')) return fetch(url, init)
      const answer = await fetch(url, { ...init, headers: { ...init.headers, 'Accept-Encoding': 'identity' } })
      const bytes = await answer.bytes()
      const size = Math.ceil(bytes.length / 10)
      let at = 0
      const pull = async (to: ReadableStreamDefaultController): Promise<void> => {
        await Bun.sleep(150)
        init.signal!.throwIfAborted()
        if (at >= bytes.length) to.close()
        else to.enqueue(bytes.slice(at, at + size))
        at += size
      }
      return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers: answer.headers })
    }
    expect(await walked(clientOf(undefined, { fetch: slowly, silenceMs: 1000 }))).toEqual(ids)
  })

  test('requests a broken page again with its own token, and does not start over', async () => {
    const proxy = await proxied(n => (n === 2 ? { cutAfterBytes: 3000 } : 'none'))
    const { signal } = new AbortController()
    expect(await walked(clientOf(proxy.baseUrl), { pageSize: 50, signal })).toEqual(ids)
    // Of all these requests nothing stays with a signal that may live for long.
    expect(getEventListeners(signal, 'abort')).toEqual([])
    const targets = proxy.requests.map(({ target }) => target)
    expect(targets.every(target => target.includes('pageSize=50'))).toBe(true)
    expect(targets[3]).toBe(targets[2]!)
    // Each page by a token of its own, and the first of them once.
    expect(new Set(targets).size).toBe(Math.ceil(ids.length / 50))
    expect(targets.filter(target => target === targets[0])).toHaveLength(1)
  })

  test('G2: "Nothing submitted after page 1 appears", even if the first page is requested twice', async () => {
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

  test('accepts filters, and reports the time from which to continue', async () => {
    const times: (string | undefined)[] = []
    for await (const { page } of clientOf().steps(slug, { pageSize: 200 }))
      if (page !== undefined) times.push(page.snapshotTime)
    expect(times).toEqual([expect.any(String), undefined])
    expect(await walked(clientOf(), { fromDate: times[0] })).toEqual([])
    expect(await walked(clientOf(), { revisionState: 'OBSOLETE' })).toEqual([])
    const chosen = clientOf().applications(slug, { fields: 'nothing_of_it' })
    await expect(chosen.next()).rejects.toThrow(/fields/)
    expect(await walked(clientOf(), { questions: 'current' })).toEqual(ids)
    const unknown = clientOf().applications(slug, { questions: 'all' as 'current' })
    await expect(unknown.next()).rejects.toThrow(/questions/)
  })
})

const ndjson = { 'Content-Type': 'application/x-ndjson' }
const html = '<!doctype html>\n<html>\n<title>Sign in</title>\n</html>\n'
const someoneElses = '{"application_id":1,"application":{}}\n{"application_id":2,"application":{}}\n'

describe('a 200 response that is not from the service is requested again, and nothing in it is yielded', () => {
  test.each<[string, Fault]>([
    ['a sign-in page of several lines', { fields: { 'Content-Type': 'text/html' }, body: html }],
    ['a page of one line', { fields: { 'Content-Type': 'text/html; charset=utf-8' }, body: '<html>\n' }],
    ['an HTML page with the requested content type', { fields: ndjson, body: html }],
    ['nothing', { fields: ndjson, body: '' }],
    ['nothing, without a content type', { fields: {}, body: '' }],
    ['JSON lines of something else', { fields: ndjson, body: someoneElses }],
    ['one JSON line of something else', { fields: ndjson, body: '{"application_id":1}\n' }],
    [
      'lines that end like pages of another service',
      { fields: ndjson, body: `${someoneElses}{"nextPageToken":null,"count":2}\n` },
    ],
    ['null', { fields: { 'Content-Type': 'application/json' }, body: 'null' }],
    ['{}', { fields: { 'Content-Type': 'application/json' }, body: '{}' }],
    ['a page that was changed on the way', { replace: 'answer', by: 'ANSWER' }],
  ])('%s, for the first page, the second and the last', async (_, fault) => {
    const last = Math.ceil(ids.length / 50) - 1
    for (const page of [0, 1, last]) {
      const proxy = await proxied(n => (n === page ? fault : 'none'))
      const reasons: string[] = []
      const client = clientOf(proxy.baseUrl, { onRetry: ({ reason }) => void reasons.push(reason) })
      expect(await walked(client)).toEqual(ids)
      expect(reasons).toHaveLength(1)
      const targets = proxy.requests.map(({ target }) => target)
      expect(targets[page + 1]).toBe(targets[page]!)
      expect(new Set(targets).size).toBe(last + 1)
    }
  })

  test('a complete empty page without a walk token, in place of the first page', async () => {
    const body = `{"nextPageToken":null,"count":0,"sha256":"${createHash('sha256').digest('hex')}"}\n`
    const proxy = await proxied(n => (n === 0 ? { fields: ndjson, body } : 'none'))
    expect(await walked(clientOf(proxy.baseUrl))).toEqual(ids)
  })

  test('the first page, repeated by a cache in place of another', async () => {
    const headers = { Authorization: key.authorization, Accept: 'application/x-ndjson' }
    const first = await service.get(`/api/v1/admin/programs/${slug}/applications`, { headers })
    const fields = { ...ndjson, 'Walk-Token': first.headers.get('Walk-Token')! }
    const body = await first.text()
    const proxy = await proxied(n => (n === 1 ? { fields, body } : 'none'))
    expect(await walked(clientOf(proxy.baseUrl))).toEqual(ids)
  })

  test.each(['null', '{}', '[]', '"a"', '', '{"payload":null}', '{"payload":[null]}', '{"payload":[{}]}', html])(
    '%p for every second request',
    async body => {
      const fields = { 'Content-Type': 'application/json' }
      const proxy = await proxied(n => (n % 2 === 0 ? { fields, body } : 'none'))
      const client = clientOf(proxy.baseUrl)
      expect(await client.checkAuth()).toMatchObject({ programs: [slug] })
      expect((await client.programs()).payload).toMatchObject([{ program_name: slug, applications: ids.length }])
      const cursor = await cursorOf()
      expect((await client.changes(slug, cursor).next()).value).toMatchObject({ payload: [], hasMore: false })
      expect(proxy.requests).toHaveLength(6)
    },
  )

  test('a client that gets only such responses gives up and reports what it received', async () => {
    const proxy = await proxied(() => ({ fields: { 'Content-Type': 'text/html' }, body: html }))
    await expect(walked(clientOf(proxy.baseUrl, { retriesMax: 2 }))).rejects.toMatchObject({
      name: 'GaveUp',
      attempts: 3,
      message: expect.stringMatching(/text\/html.*application\/x-ndjson/),
      cause: { name: 'ForeignAnswer' },
    })
  })
})

async function cursorOf(): Promise<string> {
  for await (const { page } of clientOf().steps(slug, { pageSize: 1 }))
    if (page !== undefined) return page.changeCursor!
  throw new Error('a walk without a page')
}

describe('changes', () => {
  test('changes come in pages of the requested size, up to the present', async () => {
    const cursor = await cursorOf()
    const late = await insertRawApplications(sql, program, 5)
    ids.push(...late)
    const sizes: number[] = []
    const seen: number[] = []
    for await (const { payload } of clientOf().changes(slug, cursor, { pageSize: 2 })) {
      sizes.push(payload.length)
      seen.push(...payload.map(change => change.application_id))
    }
    expect(sizes).toEqual([2, 2, 1])
    expect(seen).toEqual(late)
  })

  test('changes from now on begin with the current cursor, yielded immediately even when waiting for the next change', async () => {
    const now = await cursorOf()
    for (const options of [{}, { waitSeconds: 30 }]) {
      const changes = clientOf().changes(slug, 'latest', options)
      expect((await changes.next()).value).toMatchObject({
        payload: [],
        nextCursor: now,
        hasMore: false,
        changeCursor: now,
      })
      await changes.return()
    }
  })

  test('changes can include their applications, equal to those of a walk, and the time of the latest publication', async () => {
    const walked: unknown[] = []
    for await (const application of clientOf().applications(slug)) walked.push(application)
    const carried: unknown[] = []
    let asOf: string | null = null
    for await (const page of clientOf().changes(slug, '0', { include: 'application', pageSize: 7 })) {
      carried.push(...page.payload.map(({ application }) => application))
      asOf = page.questionsAsOf
    }
    expect(carried).toEqual(walked)
    for await (const { page } of clientOf().steps(slug, { pageSize: 1 })) {
      if (page === undefined) continue
      expect(page.questionsAsOf ?? null).toBe(asOf)
      break
    }
  })

  test('changes with applications have one page with the latest publication while nothing happens, and no empty pages after it', async () => {
    const controller = new AbortController()
    const [pages, sent]: [unknown[], unknown[]] = [[], []]
    const timers = spyOn(globalThis, 'setTimeout')
    endWithTest(() => timers.mockRestore())
    const send = (url: string, init: RequestInit): Promise<Response> => {
      sent.push([
        new URL(url).searchParams.get('fields'),
        new Headers(init.headers).get('Prefer'),
        timers.mock.lastCall![1],
      ])
      if (sent.length === 3) controller.abort(new Error('enough'))
      return fetch(url, init)
    }
    const client = clientOf(undefined, { fetch: send, silenceMs: 3_600_000 })
    const options = {
      include: 'application',
      fields: 'words_raw',
      waitSeconds: 1,
      signal: controller.signal,
    } as const
    const following = async () => {
      for await (const page of client.changes(slug, await cursorOf(), options)) pages.push(page)
    }
    await expect(following()).rejects.toThrow('enough')
    expect(pages).toEqual([expect.objectContaining({ payload: [], questionsAsOf: expect.any(String) })])
    // A connection may be silent for as long as the service may wait, besides.
    expect(sent).toEqual(Array(3).fill(['words_raw', 'wait=1', 3_601_000]))
  })
})

describe('the client does not retry', () => {
  test('an unknown host or an untrusted certificate, unless it has reached the service before', async () => {
    const tls = await useService(database, {}, { tls: testCertificate })
    const reported: unknown[] = []
    const onRetry = (retry: unknown): void => void reported.push(retry)
    // As Node.js says it.
    const nowhere = new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } })
    for (const [baseUrl, said, options] of [
      ['https://no-such-host.invalid', 'no-such-host.invalid', {}],
      [service.baseUrl, '127.0.0.1', { fetch: () => Promise.reject(nowhere) }],
      [tls.baseUrl, 'NODE_EXTRA_CA_CERTS', {}],
    ] as const) {
      const failure = await walked(clientOf(baseUrl, { onRetry, ...options })).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(Unreachable)
      expect((failure as Error).message).toContain(said)
    }
    expect(reported).toEqual([])
    const answers = [fetch, () => fetch('https://no-such-host.invalid'), fetch]
    let asked = 0
    const client = clientOf(undefined, { fetch: (url, init) => (answers[asked++] ?? fetch)(url, init), onRetry })
    expect(await walked(client)).toEqual(ids)
    expect(reported).toHaveLength(1)
  })

  test.each([
    ['a request with an unknown API key', { password: 'wrong' }, {}, 401, '401'],
    ['a request with an invalid parameter', {}, { fromDate: 'May' }, 400, 'fromDate'],
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

  test('or follow a redirect, so the key goes nowhere else', async () => {
    const asked: string[] = []
    const listening = (answer: () => Response) => {
      const server = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: ({ url }) => {
          asked.push(new URL(url).host)
          return answer()
        },
      })
      endWithTest(() => server.stop(true))
      return server.url
    }
    const elsewhere = listening(() => new Response('{"nextPageToken":null}', { headers: { 'Walk-Token': 'x' } }))
    for (const status of [301, 302, 307, 308]) {
      const { origin, host } = listening(() => Response.redirect(elsewhere.href, status))
      await expect(walked(clientOf(origin))).rejects.toMatchObject({ name: 'RequestRefused', status })
      expect(asked.splice(0)).toEqual([host])
    }
  })

  test('a page that is too large, or a problem document from something else', async () => {
    const asking = async (answer: () => Response): Promise<unknown[]> => {
      let asked = 0
      const fetch = async (): Promise<Response> => {
        asked++
        return answer()
      }
      return [await walked(clientOf(undefined, { fetch })).catch(String), asked]
    }
    const body = () => new ReadableStream({ pull: to => to.enqueue(new Uint8Array(256 * 1024 * 1024 + 1)) })
    const headers = { ...ndjson, 'Walk-Token': 'x' }
    expect(await asking(() => new Response(body(), { headers }))).toEqual([
      expect.stringMatching(/^RangeError: .*\b268435456\b.*pageSize/),
      1,
    ])
    const problem = { title: 'Invalid.', errors: { fromDate: ['is odd'] } }
    expect(await asking(() => Response.json(problem, { status: 400 }))).toEqual([
      expect.stringMatching(/^RequestRefused: .*\b400: Invalid\.$/),
      1,
    ])
  })

  test.each([
    'https://apply.example.gov?a=b',
    'https://apply.example.gov#a',
    'http://apply.example.gov',
    'ftp://127.0.0.1',
    'apply.example.gov',
    'https://me:secret@apply.example.gov',
  ])('and refuses the address %s', address => {
    expect(() => clientOf(address)).toThrow(TypeError)
  })
})

describe('waiting', () => {
  test('the client gives up after the allowed number of consecutive failures, with the last one as the cause', async () => {
    const proxy = await proxied(() => ({ status: 503 }))
    const failure = await walked(clientOf(proxy.baseUrl, { retriesMax: 3 })).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(GaveUp)
    expect(failure).toMatchObject({ isServiceFault: false, attempts: 4, cause: { name: 'NotNow', status: 503 } })
    expect(String(failure)).toMatch(/\b4\b.*\b503\b/)
    expect(proxy.requests).toHaveLength(4)
  })

  test('a service that responds with 500 to every attempt is reported as faulty, and not as unavailable', async () => {
    const giveUp = async (faults: Fault[]) => {
      const proxy = await proxied(n => faults[n % faults.length]!)
      return (await walked(clientOf(proxy.baseUrl, { retriesMax: 3 })).catch((error: unknown) => error)) as GaveUp
    }
    expect((await giveUp([{ status: 500 }])).isServiceFault).toBe(true)
    expect((await giveUp([{ status: 503 }, { status: 500 }])).isServiceFault).toBe(false)
    // What came before progress counts no more.
    const attempts = new Attempts({ retriesMax: 1, waitMs: 1 }, undefined)
    const fault = new NotNow(500, undefined, undefined)
    await attempts.wait(fault)
    attempts.progressed()
    await attempts.wait(new Error('broke off'))
    expect(await attempts.wait(fault).catch((error: unknown) => error)).toMatchObject({ isServiceFault: false })
  })

  test('a page that gets further with each attempt counts as progress, and one that does not is given up', async () => {
    const attempts: number[] = []
    const onRetry = ({ attempt }: { attempt: number }) => void attempts.push(attempt)
    /** Answers that break off after so many bytes, by the number of the request; whole where undefined. */
    function walkedWith(bytesOf: (n: number) => number | undefined): Promise<number[]> {
      let requests = 0
      const fetchPart = async (url: string, init: RequestInit): Promise<Response> => {
        // Not compressed: a part of what is would show nothing.
        const answer = await fetch(url, { ...init, headers: { ...init.headers, 'Accept-Encoding': 'identity' } })
        const bytes = bytesOf(requests++)
        if (bytes === undefined) return answer
        const parts = [(await answer.bytes()).slice(0, bytes)]
        const pull = (to: ReadableStreamDefaultController): void => {
          const part = parts.pop()
          if (part === undefined) to.error(new Error('broken off'))
          else to.enqueue(part)
        }
        return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers: answer.headers })
      }
      return walked(clientOf(undefined, { fetch: fetchPart, retriesMax: 2, onRetry }))
    }
    expect(await walkedWith(n => (n > 0 && n <= 4 ? 2000 + 3000 * n : undefined))).toEqual(ids)
    // Each of them is the first after progress.
    expect(attempts).toEqual([1, 1, 1, 1])
    attempts.length = 0
    await expect(walkedWith(n => (n > 0 ? 2000 : undefined))).rejects.toThrow(GaveUp)
    expect(attempts).toEqual([1, 2])
  })

  test('waits grow with each attempt, up to a limit and with random variation, and respect Retry-After', async () => {
    const waits: number[] = []
    const answers: Fault[] = [
      { status: 503 },
      'hang up',
      { status: 408 },
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

  test('a signal ends the walk, its requests and its waits, with the signal’s reason', async () => {
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
    const endless = async (retryAfter?: string): Promise<unknown> => {
      const waiting = new AbortController()
      const { baseUrl } = await proxied(() => ({ status: 503, ...(retryAfter !== undefined && { retryAfter }) }))
      const options = { waitMs: 3_600_000, waitMsMax: 3_600_000, onRetry: () => waiting.abort(new Error('no more')) }
      return walked(clientOf(baseUrl, options), { signal: waiting.signal })
    }
    for (const asked of [undefined, '900']) await expect(endless(asked)).rejects.toThrow('no more')
    // For longer it does not wait at all.
    await expect(endless('901')).rejects.toThrow(GaveUp)
  })

  test('after a signal, nothing more is yielded, even if it has already arrived', async () => {
    const controller = new AbortController()
    const found: number[] = []
    const walk = (async () => {
      for await (const { application_id } of clientOf().applications(slug, { signal: controller.signal })) {
        found.push(application_id)
        if (found.length === 7) controller.abort(new Error('enough'))
      }
    })()
    await expect(walk).rejects.toThrow('enough')
    expect(found).toEqual(ids.slice(0, 7))
  })
})

test.skipIf(!needs('node'))('the client runs unchanged under Node.js, despite cuts and errors', async () => {
  const proxy = await useFaultyProxy(
    service.port,
    n => (['none', { cutAfterBytes: 4000 }, { status: 503 }, 'hang up'] as const)[n] ?? 'none',
  )
  const script = `
    import { TributaryClient } from ${JSON.stringify(join(import.meta.dir, '../../../src/clients/client/tributary-client.ts'))}
    const client = new TributaryClient({ baseUrl: process.argv[1], username: process.env.NAME, password: process.env.WORD, waitMs: 1 })
    const ids = []
    for await (const application of client.applications(${JSON.stringify(slug)})) ids.push(application.application_id)
    console.log(JSON.stringify(ids))`
  const out = await outputOf([findNeeded('node')!, '--input-type=module', '-e', script, proxy.baseUrl], {
    env: { NAME: key.username, WORD: key.password },
  })
  expect(JSON.parse(out)).toEqual(ids)
})

test.skipIf(!needs('node'))(
  'under Node.js, which reports every failure as "fetch failed", errors include the reason',
  async () => {
    const script = `
    import { TributaryClient } from ${JSON.stringify(join(import.meta.dir, '../../../src/clients/client/tributary-client.ts'))}
    const client = new TributaryClient({ baseUrl: 'http://127.0.0.1:' + process.argv[1], username: 'a', password: 'b', retriesMax: 0 })
    await client.checkAuth().catch(error => console.log(error.message))`
    const port = String(await freePort())
    const out = await outputOf([findNeeded('node')!, '--input-type=module', '-e', script, port])
    expect(out).toContain(`fetch failed: connect ECONNREFUSED 127.0.0.1:${port}`)
  },
)
