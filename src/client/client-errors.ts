// What a client of the service can fail with. Every error of this package is one of these; a signal's own reason passes through.

import type { Problem } from './api-types.ts'

/** The service refused the request, and would again: a parameter, the API key, or a token that is not good any more. */
export class RequestRefused extends Error {
  override name = 'RequestRefused'
  readonly status: number
  /** The answer's problem document, where it was one. */
  readonly problem: Problem | undefined

  constructor(status: number, problem: Problem | undefined) {
    super(refusalInWords(status, problem))
    this.status = status
    this.problem = problem
  }

  /** The key is not good for this, or there is no such program. */
  get isAboutTheKey(): boolean {
    return this.status === 401
  }

  get isAboutNothingThere(): boolean {
    return this.status === 404
  }

  /** The machine's word for what was wrong, such as `expired_token`; one for each fault. */
  get codes(): string[] {
    return (this.problem?.errors ?? []).map(fault => fault.code)
  }
}

/** The request could not be answered as often as it was sent. `cause` is the last failure. */
export class GaveUp extends Error {
  override name = 'GaveUp'

  constructor(attempts: number, cause: unknown) {
    super(`Gave up after ${attempts} attempts; the last one failed: ${messageOf(cause)}`, { cause })
  }
}

/** An answer that says: not now. */
export class NotNow extends Error {
  override name = 'NotNow'
  /** How long the service asks to wait. */
  readonly waitMs: number | undefined

  constructor(status: number, problem: Problem | undefined, waitMs: number | undefined) {
    super(refusalInWords(status, problem))
    this.waitMs = waitMs
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function refusalInWords(status: number, problem: Problem | undefined): string {
  if (status === 401)
    return `The service answered 401: the API key is not good for this, or there is no such program.${requestOf(problem)}`
  if (status >= 300 && status < 400)
    return `The service answered ${status} and leads elsewhere, which is not followed: give its own address.`
  const faults = (problem?.errors ?? []).map(fault =>
    ` ${[fault.parameter ?? fault.path, fault.detail].join(' ')}`.replace(/\.?$/, '.'),
  )
  const detail = problem?.detail ?? problem?.title ?? ''
  return `The service answered ${status}${detail === '' ? '' : `: ${detail}`}${faults.join('')}${requestOf(problem)}`
}

const requestOf = (problem: Problem | undefined): string =>
  problem?.request_id === undefined ? '' : ` (request ${problem.request_id})`
