// The host of a request. The router takes the path from the earliest possible end of a host, so this refuses an invalid host, one that is
// too short for that, and a foreign one, before routing.

import { invalidRequest, type Problem } from '../../../base/problem.ts'
import { parseAddress } from '../../../domain/values/ip-address.ts'

const place = /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)/

/**
 * The path of an address, wherever its host ends; of an address without a host, too. As it was sent, without its query. Bun has parsed the
 * address already, or could not; to parse it again would cost more than most of what is done for a small answer.
 */
export const pathOf = (url: string): string => place.exec(url)![1]!

/**
 * Bun passes on a Host header that names no host, and the address is then a path alone. Of several it uses the first, and shows all.
 * `undefined` where that is so.
 */
const hostOf = ({ url, headers }: Request): string | undefined =>
  headers.get('host')?.includes(',') ? undefined : URL.parse(url)?.hostname

/** Whether the request has one valid host; or none, as HTTP/1.0 allows: Bun lets nothing later come without. */
export const isForAHost = (request: Request): boolean => !request.headers.has('host') || hostOf(request) !== undefined

export class OwnHost {
  readonly #scheme: 'http://' | 'https://'
  /** Where the router begins to look for the path: with TLS it takes a host to have three characters at least. */
  readonly #pathFrom: number
  readonly #own: string | undefined

  constructor({ baseUrl, tls }: { baseUrl: string; tls: boolean }) {
    this.#scheme = tls ? 'https://' : 'http://'
    this.#pathFrom = this.#scheme.length + (tls ? 3 : 0)
    this.#own = baseUrl === '' ? undefined : new URL(baseUrl).hostname
  }

  /** The request, with a host if it came without one, as it may by HTTP/1.0. */
  named(request: Request): Request {
    if (request.headers.has('host') || !request.url.startsWith('/')) return request
    return new Request(`${this.#scheme}${this.#own ?? 'localhost'}${request.url}`, request)
  }

  /** Throws Problem `invalid_request` unless the request is for a host that is here. */
  require(request: Request): void {
    const host = hostOf(request)
    const { url } = request
    if (host === undefined || url.indexOf('/', this.#pathFrom) !== url.indexOf('/', this.#scheme.length))
      throw refused('bad_host', 'must be given once, as a host name or address, with a port or without.')
    if (!this.#isOwn(host))
      throw refused('foreign_host', 'must be the host of BASE_URL. A proxy has to pass on the one it was asked for.')
  }

  /** Operators and a platform's probes may name the service by address; no other site can make a browser do so. */
  #isOwn(host: string): boolean {
    const name = host.replace(/^\[|\]$|\.$/g, '')
    return this.#own === undefined || name === this.#own || name === 'localhost' || parseAddress(name) !== undefined
  }
}

const refused = (code: string, detail: string): Problem =>
  invalidRequest('The request is not for a host that is here.', [{ parameter: 'Host', code, detail }])
