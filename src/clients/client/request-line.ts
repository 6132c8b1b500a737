// Sends one request and reads its response. Gives up when the service sends nothing for too long, or when the caller's signal is aborted.

import { hasShape } from './answer-shapes.ts'
import type { Problem } from './api-types.ts'
import { askedWait } from './attempts.ts'
import { BodyBuffer } from './body-buffer.ts'
import { ForeignAnswer, NotNow, RequestRefused } from './client-errors.ts'
import { BrokenPage, textOf } from './whole-page.ts'

const problemBytesMax = 1024 * 1024

interface LineOptions {
  /** Called when a response arrives. */
  onAnswer: () => void
  authorization: string
  silenceMs: number
  answerMs: number
  fetch: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

export class RequestLine {
  private readonly breaker = new AbortController()
  private timer: ReturnType<typeof setTimeout> | undefined
  private heardMs = 0
  private patienceMs = 0
  private readonly deadline: ReturnType<typeof setTimeout>
  private readonly breakOff = (): void => this.breaker.abort(this.signal?.reason)

  private readonly client: LineOptions
  private readonly signal: AbortSignal | undefined

  constructor(client: LineOptions, signal: AbortSignal | undefined) {
    this.client = client
    this.signal = signal
    signal?.throwIfAborted()
    signal?.addEventListener('abort', this.breakOff, { once: true })
    const tooSlow = new Error(`The response was not complete after ${Math.round(client.answerMs / 1000)} seconds.`)
    this.deadline = setTimeout(() => this.breaker.abort(tooSlow), client.answerMs)
  }

  /**
   * Resolves when the response is 200 in the requested media type; rejects with RequestRefused for a permanent error. `quietMs`: how much longer than
   * usual the service may take to respond.
   */
  async get(url: string, headers: Readonly<Record<'Accept' | string, string>>, quietMs = 0): Promise<Response> {
    this.heard(quietMs)
    const own = this.client.fetch ?? fetch
    const response = await own(url, {
      headers: { Authorization: this.client.authorization, ...headers },
      // Credentials must not follow a redirect.
      redirect: 'manual',
      signal: this.breaker.signal,
    })
    this.client.onAnswer()
    this.heard()
    const { status } = response
    if (status === 200) {
      const type = mediaType(response)
      if (type !== headers.Accept)
        throw new ForeignAnswer(`of type ${type || 'none'}, but ${headers.Accept} was requested`)
      return response
    }
    const problem = await this.problemOf(response)
    if (status !== 408 && status !== 429 && status < 500) throw new RequestRefused(status, problem)
    throw new NotNow(status, problem, askedWait(response.headers.get('Retry-After'), Date.now()))
  }

  /** The whole body, of this many bytes at most, as a view of `body`. */
  async bytes(
    response: Response,
    bytesMax: number,
    { body = new BodyBuffer(), onBytes }: { body?: BodyBuffer; onBytes?: (count: number) => void } = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    if (response.body === null) throw new BrokenPage('The page is empty.')
    const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>
    body.clear()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      this.heard()
      if (body.length + value.length > bytesMax)
        throw new RangeError(`A response is larger than ${bytesMax} bytes. Use a smaller pageSize.`)
      body.add(value)
      onBytes?.(body.length)
    }
    clearTimeout(this.timer)
    return body.view()
  }

  /** The failure itself if a retry may succeed; otherwise throws it. */
  passing(error: unknown): unknown {
    if (this.signal?.aborted) throw this.signal.reason
    if (error instanceof RequestRefused || error instanceof RangeError) throw error
    return this.breaker.signal.aborted ? this.breaker.signal.reason : error
  }

  close(): void {
    clearTimeout(this.timer)
    clearTimeout(this.deadline)
    this.signal?.removeEventListener('abort', this.breakOff)
    // Cancels what is still arriving; no effect on a response that was read completely.
    this.breaker.abort(new Error('The response was not read to the end.'))
  }

  /** Undefined if it is no problem document or too long for one. */
  private async problemOf(response: Response): Promise<Problem | undefined> {
    try {
      const value: unknown = JSON.parse(textOf(await this.bytes(response, problemBytesMax)))
      if (!hasShape(value, 'object')) return undefined
      const problem = value as Problem
      return { ...problem, errors: hasShape(problem.errors, ['object']) ? problem.errors : [] }
    } catch {
      return undefined
    }
  }

  private heard(quietMs = 0): void {
    this.heardMs = performance.now()
    this.patienceMs = this.client.silenceMs + quietMs
    this.timer ??= setTimeout(this.listen, this.patienceMs)
  }

  /** Checks again when the silence would be too long. A timer for each chunk took a tenth of the time of a pull. */
  private readonly listen = (): void => {
    const leftMs = this.heardMs + this.patienceMs - performance.now()
    if (leftMs > 0) this.timer = setTimeout(this.listen, leftMs)
    else this.breaker.abort(new Error(`The service sent nothing for ${Math.round(this.patienceMs / 1000)} seconds.`))
  }
}

const mediaType = (response: Response): string =>
  (response.headers.get('Content-Type') ?? '').split(';', 1)[0]!.trim().toLowerCase()
