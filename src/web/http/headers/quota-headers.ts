// Response headers that report the limits of a key (draft-ietf-httpapi-ratelimit-headers); core/keys/limits counts.

import type { KeyQuota } from '../../../base/problem.ts'

/** `RateLimit-Policy` and `RateLimit`; empty for a key without limits. */
export function quotaHeaders({ requestsPerMinute, exportsAtATime, left }: KeyQuota): Readonly<Record<string, string>> {
  const policies: string[] = []
  if (requestsPerMinute !== undefined) policies.push(`"requests";q=${requestsPerMinute};w=60`)
  if (exportsAtATime !== undefined) policies.push(`"exports";q=${exportsAtATime};qu="concurrent-requests"`)
  const headers: Record<string, string> = {}
  if (policies.length > 0) headers['RateLimit-Policy'] = policies.join(', ')
  if (left !== undefined)
    headers.RateLimit =
      'exports' in left ? `"exports";r=${left.exports}` : `"requests";r=${left.requests};t=${left.seconds}`
  return headers
}
