// Requests of a patient client: each is retried, on either service, until it gets a response.

import type { Installation } from '../installation/installation.ts'

/** Time limits of one attempt and of all together: longer than any fault lasts. */
const attemptMs = 30_000
const patienceMs = 90_000

export interface PatientAnswer {
  status: number
  headers: Headers
  /** As read; a response that ended properly and cannot be read is a broken promise. */
  body: unknown
}

interface Asked {
  method?: string
  body?: unknown
  key?: string
  /** The credentials of a key other than the client's own. */
  authorization?: string
  accept?: string
  /** Parses the body of a successful response; throws if it is incomplete. */
  read?: (text: string, headers: Headers) => unknown
}

/** How often requests had to be repeated, and the longest wait. */
export interface Patience {
  repeats: number
  longestMs: number
}

/** Whether to repeat the request: because of a lack of capacity, or until a clock that was set back has reached the time of the token. */
function isForNow({ status, body }: PatientAnswer): boolean {
  if (status === 429 || status === 503) return true
  if (status !== 400) return false
  // As a problem document, or in OData's format.
  const { errors, error } = (body ?? {}) as { errors?: { code?: string }[]; error?: { details?: { code?: string }[] } }
  return (errors ?? error?.details ?? []).some(({ code }) => code === 'page_token_issued_ahead')
}

export class Client {
  readonly patience: Patience = { repeats: 0, longestMs: 0 }
  #turn = 0

  constructor(
    private readonly installation: Installation,
    private readonly authorization: string,
    private readonly broken: (what: string) => void,
  ) {}

  /** The first response that is neither a temporary error nor cut off. Undefined if none came in time, and for an incomplete one. */
  async ask(path: string, init: Asked = {}): Promise<PatientAnswer | undefined> {
    const beganMs = performance.now()
    const headers: Record<string, string> = {
      Authorization: init.authorization ?? this.authorization,
      Accept: init.accept ?? 'application/json',
    }
    const read = init.read ?? ((text: string) => JSON.parse(text))
    if (init.body !== undefined) headers['Content-Type'] = 'application/json'
    if (init.key !== undefined) headers['Idempotency-Key'] = init.key
    for (let attempt = 0; performance.now() - beganMs < patienceMs; attempt++) {
      if (attempt > 0) {
        this.patience.repeats++
        await Bun.sleep(Math.min(1000, 25 * 2 ** attempt))
      }
      const { services } = this.installation
      const { url } = services[this.#turn++ % services.length]!
      const request = {
        method: init.method ?? 'GET',
        headers,
        ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
        signal: AbortSignal.timeout(attemptMs),
      }
      const answer = await this.#once(url + path, request, read)
      if (answer === 'incomplete') return undefined
      if (answer === undefined || isForNow(answer)) continue
      this.patience.longestMs = Math.max(this.patience.longestMs, performance.now() - beganMs)
      if (answer.status >= 500) this.broken(`${path} returned ${answer.status}: ${JSON.stringify(answer.body)}`)
      return answer
    }
    this.broken(`${path} got no response within ${patienceMs / 1000} s`)
    return undefined
  }

  /** Undefined if the connection failed or was reset; a response that ended properly must be complete. */
  async #once(
    url: string,
    init: RequestInit,
    read: (text: string, headers: Headers) => unknown,
  ): Promise<PatientAnswer | 'incomplete' | undefined> {
    let response: Response
    let text: string
    try {
      response = await fetch(url, init)
      text = await response.text()
    } catch {
      return undefined
    }
    try {
      const body = text === '' ? undefined : response.ok ? read(text, response.headers) : JSON.parse(text)
      return { status: response.status, headers: response.headers, body }
    } catch {
      this.broken(`${url} ended normally but is incomplete: ${text.length} characters, … ${text.slice(-80)}`)
      return 'incomplete'
    }
  }
}
