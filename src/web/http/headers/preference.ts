// Parses the `Prefer` header (RFC 7240): strict handling, and how long a response may wait.

import { listItems, token } from './negotiation.ts'

const quoted = '"(?:[^"\\\\]|\\\\.)*"'
const pair = `(${token})(?:[ \\t]*=[ \\t]*(${token}|${quoted}))?`
const preference = new RegExp(`^[ \\t]*${pair}[ \\t]*(?:;[ \\t]*(?:${pair})?[ \\t]*)*$`)

/** Maximum wait in seconds, below the usual timeouts of proxies. */
const waitSecondsMax = 30

/**
 * Whether the value of `Prefer` (several joined by commas, or null) contains `handling=strict`. Ignores case, parameters and malformed
 * preferences, since a preference is never a reason to reject a request. The first of several handlings counts.
 */
export function prefersStrictHandling(header: string | null): boolean {
  return preferred(header, 'handling')?.toLowerCase() === 'strict'
}

/** Seconds to wait for a change (`wait`, RFC 7240, section 4.3); 0 without the preference. */
export function preferredWaitSeconds(header: string | null): number {
  const wait = preferred(header, 'wait')
  return wait !== undefined && /^[0-9]+$/.test(wait) ? Math.min(Number(wait), waitSecondsMax) : 0
}

/** The value of the first preference with this name. */
export function preferred(header: string | null, name: string): string | undefined {
  for (const item of listItems(header)) {
    const match = preference.exec(item)
    if (match?.[1]?.toLowerCase() === name) return (match[2] ?? '').replace(/^"(.*)"$/, '$1').replace(/\\(.)/g, '$1')
  }
  return undefined
}
