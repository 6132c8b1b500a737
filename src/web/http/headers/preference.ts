// The `Prefer` header (RFC 7240): whether to read a request strictly, and how long its answer may wait.

import { listItems, token } from './negotiation.ts'

const quoted = '"(?:[^"\\\\]|\\\\.)*"'
const pair = `(${token})(?:[ \\t]*=[ \\t]*(${token}|${quoted}))?`
const preference = new RegExp(`^[ \\t]*${pair}[ \\t]*(?:;[ \\t]*(?:${pair})?[ \\t]*)*$`)

/** Longest wait that is granted, in seconds: shorter than what proxies commonly allow an answer. */
const waitSecondsMax = 30

/**
 * Whether the client asks for `handling=strict`, in a `Prefer` header's value or several joined by commas; null for none.
 * Names and values are compared without case, parameters are passed over, of two handlings the first counts, and a
 * preference that is not well-formed is as if it were not there: a preference is never a reason to refuse a request.
 */
export function prefersStrictHandling(header: string | null): boolean {
  return preferred(header, 'handling')?.toLowerCase() === 'strict'
}

/** Seconds that a response may wait for a change (`wait`, RFC 7240, section 4.3); 0 without that preference. */
export function preferredWaitSeconds(header: string | null): number {
  const wait = preferred(header, 'wait')
  return wait !== undefined && /^[0-9]+$/.test(wait) ? Math.min(Number(wait), waitSecondsMax) : 0
}

/** The value of the first preference of this name. */
export function preferred(header: string | null, name: string): string | undefined {
  for (const item of listItems(header)) {
    const match = preference.exec(item)
    if (match?.[1]?.toLowerCase() === name) return (match[2] ?? '').replace(/^"(.*)"$/, '$1').replace(/\\(.)/g, '$1')
  }
  return undefined
}
