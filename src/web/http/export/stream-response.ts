// Turns a byte-writing function into an HTTP response, so that an early failure is a clean error and a late one is a
// broken connection.

import type { Sink } from '../../../core/export/pages/page-outlet.ts'
import { byDeadline } from '../../../core/export/servers/exports.ts'
import { contentDigest, type DigestAlgorithm } from '../headers/content-digest.ts'
import type { RequestOutcome, RequestRecord } from '../server/request-record.ts'

/** Sink that `Bun.serve` passes to a direct stream. `write` returns a number, or a promise if the client must read first; 0 if the client has gone. */
interface DirectController {
  write(bytes: Uint8Array): number | Promise<number>
}

/** Thrown into a stream to reset its connection, so that the client does not take the response for complete. */
class BrokenOff extends Error {}

/**
 * Runs `produce` with a sink. Resolves with a Response once the first bytes are available. If they are also the last, the response has a
 * known length, and a digest if requested; otherwise it is streamed, and the request's log line is written when the stream ends.
 * Rejects with the error of `produce` if it fails before its first write, and with Problem `unavailable` if it has written nothing by
 * `deadlineMs`; `produce` then finds its client gone. The first bytes wait for `granted`, and fail if it fails.
 * The headers in `head` are built while `produce` waits for its first rows.
 * After the first bytes, a rejection, or an outcome other than `complete`, resets the connection; it is never closed as if complete.
 *
 * It is a direct stream, the only kind that passes bytes to the socket without copying them. Every write is awaited and its result
 * checked, which is what makes it wait for slow clients and notice disconnected ones.
 */
export async function streamResponse(
  record: RequestRecord,
  head: { readonly headers: Headers },
  deadlineMs: number,
  produce: (sink: Sink) => Promise<RequestOutcome>,
  { granted, digest }: { granted?: Promise<unknown>; digest?: DigestAlgorithm | undefined } = {},
): Promise<Response> {
  const client = new ClientSink(record.request.signal, granted)
  const produced = produce(client)
  // `produced` is awaited below; without this, a failure between the two awaits would be reported as unhandled.
  produced.catch(() => {})
  let headers: Headers
  try {
    // By now the driver has sent the statement.
    await new Promise(resolve => setImmediate(resolve))
    headers = head.headers
    await byDeadline(deadlineMs, Promise.race([client.firstWrite, produced]))
  } catch (error) {
    client.leave()
    throw error
  }
  if (client.wholeBody !== undefined) {
    await produced
    headers.set('Content-Length', String(client.wholeBody.length))
    if (digest !== undefined) headers.set('Content-Digest', contentDigest(digest, client.wholeBody))
    return new Response(client.wholeBody, { headers })
  }
  record.streaming = true
  produced.then(
    outcome => record.finish(200, outcome),
    error => {
      record.error = error
      record.finish(200, 'failed')
    },
  )
  const source = {
    type: 'direct' as const,
    async pull(controller: DirectController) {
      client.attach(controller)
      if ((await produced) !== 'complete') throw new BrokenOff('the response was interrupted')
    },
    cancel() {
      client.leave()
    },
  }
  return new Response(new ReadableStream(source as unknown as Bun.DirectUnderlyingSource<Uint8Array>), { headers })
}

class ClientSink implements Sink {
  wholeBody: Uint8Array<ArrayBuffer> | undefined
  readonly firstWrite: Promise<void>
  #wrote: () => void = () => {}
  #isFirst = true
  #controller: DirectController | undefined
  /** The write that waits for the response to start. */
  #early: { bytes: Uint8Array; settle: (taken: boolean | Promise<boolean>) => void } | undefined
  #leave: () => void = () => {}
  readonly #left: Promise<boolean>
  #gone = false

  constructor(
    signal: AbortSignal,
    private readonly granted: Promise<unknown> | undefined,
  ) {
    this.firstWrite = new Promise(resolve => {
      this.#wrote = resolve
    })
    this.#left = new Promise(resolve => {
      this.#leave = () => resolve(false)
    })
    if (signal.aborted) this.leave()
    else signal.addEventListener('abort', () => this.leave(), { once: true })
  }

  attach(controller: DirectController): void {
    this.#controller = controller
    // Bytes written within this call leave together with the response headers, which are otherwise sent one by one.
    if (this.#early !== undefined) this.#early.settle(!this.#gone && this.#hand(controller, this.#early.bytes))
  }

  leave(): void {
    this.#gone = true
    if (this.#controller === undefined) this.#early?.settle(false)
    this.#leave()
  }

  write(bytes: Uint8Array, last: boolean): boolean | Promise<boolean> {
    if (this.#gone) return false
    if (!this.#isFirst) return this.#send(bytes)
    this.#isFirst = false
    return this.granted === undefined ? this.#begin(bytes, last) : this.granted.then(() => this.#begin(bytes, last))
  }

  #begin(bytes: Uint8Array, last: boolean): boolean | Promise<boolean> {
    if (this.#gone) return false
    if (last) this.wholeBody = new Uint8Array(bytes)
    this.#wrote()
    return last || this.#send(bytes)
  }

  #send(bytes: Uint8Array): boolean | Promise<boolean> {
    if (this.#controller !== undefined) return this.#hand(this.#controller, bytes)
    return new Promise(settle => {
      this.#early = { bytes, settle }
    })
  }

  #hand(controller: DirectController, bytes: Uint8Array): boolean | Promise<boolean> {
    const taken = controller.write(bytes)
    if (typeof taken === 'number') return taken > 0
    // Bun does not always settle a pending write when the client disconnects, so it is settled here.
    return Promise.race([taken.then(count => count !== 0), this.#left])
  }
}
