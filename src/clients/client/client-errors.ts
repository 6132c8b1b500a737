// The errors of this package. Everything it throws is one of these, except for a signal's own reason.

import type { Problem } from './api-types.ts'

/** The service rejected the request, and would again: because of a parameter, the API key, or an expired token. */
export class RequestRefused extends Error {
  override name = 'RequestRefused'
  readonly status: number
  /** The response's problem document, if it was one. */
  readonly problem: Problem | undefined

  constructor(status: number, problem: Problem | undefined) {
    super(refusalText(status, problem))
    this.status = status
    this.problem = problem
  }

  /** The key does not have this permission, or the program does not exist. */
  get isAboutTheKey(): boolean {
    return this.status === 401
  }

  get isAboutNothingThere(): boolean {
    return this.status === 404
  }

  /** Machine-readable codes such as `expired_token`, one for each error. */
  get codes(): string[] {
    return (this.problem?.errors ?? []).map(error => error.code)
  }
}

/** Every attempt failed. `cause` is the last failure. */
export class GaveUp extends Error {
  override name = 'GaveUp'
  readonly attempts: number
  /** Every attempt got a 500: a fault of the service that waiting does not fix. */
  readonly isServiceFault: boolean

  constructor(attempts: number, cause: unknown, isServiceFault: boolean) {
    super(`Gave up after ${attempts} attempts; the last one failed: ${messageOf(cause)}`, { cause })
    this.attempts = attempts
    this.isServiceFault = isServiceFault
  }
}

/** A 200 response from something other than the service, such as a sign-in page or a cache on the way. */
export class ForeignAnswer extends Error {
  override name = 'ForeignAnswer'

  constructor(how: string) {
    super(`The response did not come from a Tributary service: it is ${how}.`)
  }
}

/** The service was never reached and waiting does not help: the host does not exist, or its certificate is not trusted. */
export class Unreachable extends Error {
  override name = 'Unreachable'
}

/** Undefined for a temporary failure. */
export function unreachableBy(error: unknown, host: string): Unreachable | undefined {
  const { code = (error as { cause?: { code?: unknown } } | null)?.cause?.code } = (error ?? {}) as { code?: unknown }
  const detail = [String(code), messageOf(error)].find(text => text !== 'undefined')
  const mend = mendOf(String(code), host)
  return mend === undefined ? undefined : new Unreachable(`${mend} (${detail})`, { cause: error })
}

function mendOf(code: string, host: string): string | undefined {
  if (code === 'ENOTFOUND') return `The host ${host}, or the proxy in HTTPS_PROXY, does not exist.`
  if (/SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)|CERT_UNTRUSTED/.test(code))
    return `The certificate of ${host} was issued by an unknown authority. If your network has its own authority, set NODE_EXTRA_CA_CERTS to a file with its certificate.`
  if (/CERT_(HAS_EXPIRED|NOT_YET_VALID)|ALTNAME_INVALID|HOSTNAME_MISMATCH/.test(code))
    return `The certificate of ${host} is expired, not valid yet, or issued for another host.`
  return undefined
}

/** A response that asks the client to retry later. */
export class NotNow extends Error {
  override name = 'NotNow'
  readonly status: number
  /** The wait that the service requests. */
  readonly waitMs: number | undefined

  constructor(status: number, problem: Problem | undefined, waitMs: number | undefined) {
    super(refusalText(status, problem))
    this.status = status
    this.waitMs = waitMs
  }
}

/** Node.js says "fetch failed" and has the reason in `cause`. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error as { cause?: { message?: string; code?: string } }
  const reason = error instanceof TypeError ? cause?.message || cause?.code : undefined
  return reason === undefined ? error.message : `${error.message}: ${reason}`
}

function refusalText(status: number, problem: Problem | undefined): string {
  if (status === 401)
    return `The service responded with 401: the API key has no access, or the program does not exist.${requestOf(problem)}`
  if (status >= 300 && status < 400)
    return `The service responded with ${status}, a redirect, which is not followed. Use the address of the service itself.`
  const errors = (problem?.errors ?? []).map(error =>
    ` ${[error.parameter ?? error.path, error.detail].join(' ')}`.replace(/\.?$/, '.'),
  )
  const detail = problem?.detail ?? problem?.title ?? ''
  const text = `The service responded with ${status}${detail === '' ? '' : `: ${detail}`}${errors.join('')}${requestOf(problem)}`
  // One line of readable length.
  return text.replace(/\s+/g, ' ').slice(0, 10_000)
}

const requestOf = (problem: Problem | undefined): string =>
  problem?.request_id === undefined ? '' : ` (request ${problem.request_id})`
