// Rejects forms from pages of other sites.

import { Problem } from '../../../base/problem.ts'

/** A form is only accepted from one of our own pages: browsers send its origin (RFC 6454; Fetch Metadata). */
export function requireOwnOrigin({ request, place }: { request: Request; place: { baseUrl: string } }): void {
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site')
  if (origin === new URL(place.baseUrl).origin && (site === null || site === 'same-origin')) return
  throw new Problem('forbidden', {
    detail: 'This form did not come from a page of this service, so nothing was changed.',
    internal: 'foreign_origin',
  })
}
