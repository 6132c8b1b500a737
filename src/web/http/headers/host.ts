// Validates the host of a request before routing: rejects invalid hosts, foreign hosts, and hosts so short that the router would misread the
// path.

import { invalidRequest, type Problem } from '../../../base/problem.ts'
import { parseAddress } from '../../../domain/values/ip-address.ts'

const place = /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)/

/**
 * The path of a URL with or without a host, as sent, without the query. It is not parsed with `URL`, which costs more than most of the
 * work for a small response.
 */
export const pathOf = (url: string): string => place.exec(url)![1]!

/**
 * The host of a request; undefined if its Host header is not a host, for which Bun leaves only a path in the URL, or if there are several, of
 * which Bun uses the first.
 */
const hostOf = ({ url, headers }: Request): string | undefined =>
  headers.get('host')?.includes(',') ? undefined : URL.parse(url)?.hostname

/** Whether the request has one valid host, or none, which Bun lets through for HTTP/1.0 only. */
export const isForAHost = (request: Request): boolean => !request.headers.has('host') || hostOf(request) !== undefined

export class OwnHost {
  readonly #scheme: 'http://' | 'https://'
  /** Where the router starts to look for the path; with TLS it assumes that a host has at least three characters. */
  readonly #pathFrom: number
  readonly #own: string | undefined

  constructor({ baseUrl, tls }: { baseUrl: string; tls: boolean }) {
    this.#scheme = tls ? 'https://' : 'http://'
    this.#pathFrom = this.#scheme.length + (tls ? 3 : 0)
    this.#own = baseUrl === '' ? undefined : new URL(baseUrl).hostname
  }

  /** The request, with a host added if it has none, which HTTP/1.0 allows. */
  named(request: Request): Request {
    if (request.headers.has('host') || !request.url.startsWith('/')) return request
    return new Request(`${this.#scheme}${this.#own ?? 'localhost'}${request.url}`, request)
  }

  /** Throws Problem `invalid_request` unless the request is for this host. */
  require(request: Request): void {
    const host = hostOf(request)
    const { url } = request
    if (host === undefined || url.indexOf('/', this.#pathFrom) !== url.indexOf('/', this.#scheme.length))
      throw refused('bad_host', 'must be sent once, as a host name or address, optionally with a port.')
    if (!this.#isOwn(host))
      throw refused(
        'foreign_host',
        'must be the host of BASE_URL. Configure the proxy to forward the original Host header.',
      )
  }

  /** IP addresses are allowed for operators and health probes; other sites cannot make a browser send one. */
  #isOwn(host: string): boolean {
    const name = host.replace(/^\[|\]$|\.$/g, '')
    return this.#own === undefined || name === this.#own || name === 'localhost' || parseAddress(name) !== undefined
  }
}

const refused = (code: string, detail: string): Problem =>
  invalidRequest('The request is for a host that this service does not serve.', [{ parameter: 'Host', code, detail }])
