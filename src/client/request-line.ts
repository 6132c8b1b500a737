// One request and its answer; broken off when it says nothing for too long, or when the caller's signal is aborted.

import type { Problem } from './api-types.ts'
import { askedWait } from './attempts.ts'
import { NotNow, RequestRefused } from './client-errors.ts'
import { BrokenPage } from './page-lines.ts'

interface LineOptions {
  authorization: string
  silenceMs: number
  fetch: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

export class RequestLine {
  private readonly breaker = new AbortController()
  private timer: ReturnType<typeof setTimeout> | undefined
  private readonly breakOff = (): void => this.breaker.abort(this.signal?.reason)

  private readonly client: LineOptions
  private readonly signal: AbortSignal | undefined

  constructor(client: LineOptions, signal: AbortSignal | undefined) {
    this.client = client
    this.signal = signal
    signal?.throwIfAborted()
    signal?.addEventListener('abort', this.breakOff, { once: true })
    this.heard()
  }

  /** Resolves when the answer is 200; what is refused for good rejects with RequestRefused. */
  async get(url: string, accept: string): Promise<Response> {
    const headers = { Authorization: this.client.authorization, Accept: accept }
    // A credential must not follow anybody who leads elsewhere.
    const own = this.client.fetch ?? fetch
    const response = await own(url, { headers, redirect: 'manual', signal: this.breaker.signal })
    this.heard()
    if (response.status === 200) return response
    const problem = await problemOf(response)
    const { status } = response
    if (status !== 408 && status !== 429 && status < 500) throw new RequestRefused(status, problem)
    throw new NotNow(status, problem, askedWait(response.headers.get('Retry-After'), Date.now()))
  }

  async *chunks(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
    if (response.body === null) throw new BrokenPage('The page is empty.')
    const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>
    for (;;) {
      this.heard()
      const { done, value } = await reader.read()
      // The reader of what is handed over may take its time.
      clearTimeout(this.timer)
      if (done) return
      yield value
    }
  }

  /** The failure itself where another attempt may pass; throws it where none can. */
  passing(error: unknown): unknown {
    if (this.signal?.aborted) throw this.signal.reason
    if (error instanceof RequestRefused || error instanceof RangeError) throw error
    return this.breaker.signal.aborted ? this.breaker.signal.reason : error
  }

  close(): void {
    clearTimeout(this.timer)
    this.signal?.removeEventListener('abort', this.breakOff)
    // Ends what is still arriving; without effect on an answer that was read to its end.
    this.breaker.abort(new Error('The answer was not read to its end.'))
  }

  private heard(): void {
    clearTimeout(this.timer)
    const told = new Error(`The service said nothing for ${Math.round(this.client.silenceMs / 1000)} seconds.`)
    this.timer = setTimeout(() => this.breaker.abort(told), this.client.silenceMs)
  }
}

async function problemOf(response: Response): Promise<Problem | undefined> {
  try {
    return (await response.json()) as Problem
  } catch {
    return undefined
  }
}
