// Test access: would a request with a key be accepted now, and why was an earlier one rejected? The page and the operations.

/** @jsxImportSource preact */

import { invalidRequest, notFound, type ProblemItem } from '../../../base/problem.ts'
import { listKeys } from '../../../core/keys/api-keys.ts'
import { judgeCall, reasonTexts } from '../../../core/keys/test-access.ts'
import { findRefusal } from '../../../db/keys/refusal-rows.ts'
import { parseAddress } from '../../../domain/values/ip-address.ts'
import { isUuid } from '../../../domain/values/uuid.ts'
import { readingRoles } from '../../html/navigation.ts'
import { action, type Part, pageAt, reads, showForm } from '../requests/action.ts'
import { judgedAnswer, refusalAnswer } from '../requests/answer-schemas.ts'
import { CheckPage } from './key-check-page.tsx'
import { explained, type Keys, keyRoute } from './key-lookup.tsx'

export const keyChecks = ({ db, find, programs }: Keys): Part => [
  pageAt('/admin/keys/check', readingRoles, async request => {
    const query = request.url.searchParams
    const apiKeyId = query.get('key') ?? ''
    const keys = await listKeys(db, request.now)
    // A link from a key's page names only the key, so there is no request to test yet.
    const isSubmitted = query.has('address')
    const program = keys.find(key => key.api_key_id === apiKeyId)?.programs[0] ?? ''
    const values = new URLSearchParams({ program, ...Object.fromEntries(query) })
    const call = calledWith(query, apiKeyId)
    const verdict = call === undefined ? undefined : { reason: await judgeCall(db, call, request.now) }
    const requestId = (query.get('request_id') ?? '').trim().toLowerCase()
    const refusal = isUuid(requestId) ? await findRefusal(db, requestId) : undefined
    const offered = await programs()
    const errors = isSubmitted && call === undefined ? [noAddress] : []
    return showForm(
      request,
      { values, errors },
      () => <CheckPage keys={keys} programs={offered} verdict={verdict} requestId={requestId} refusal={refusal} />,
      errors.length > 0 ? 400 : 200,
    )
  }),
  action({
    name: 'wouldCallPass',
    route: `GET ${keyRoute}/would-pass`,
    summary: 'Test access with an API key',
    answers: 'Whether a request with this key would be accepted now, and the reason if not.',
    answered: judgedAnswer,
    ...reads('keys'),
    query: {
      address: 'The IP address the request would come from.',
      program: 'The slug of the program to export from, or to submit to if the key can only submit.',
    },
    run: async request => {
      const call = calledWith(request.url.searchParams, (await find(request)).api_key_id)
      if (call === undefined) throw invalidRequest('Access could not be tested.', [noAddress])
      const reason = await judgeCall(db, call, request.now)
      return { passes: reason === undefined, ...(reason !== undefined && { reason, detail: reasonTexts[reason] }) }
    },
  }),
  action({
    name: 'readRefusal',
    route: 'GET /refusals/:requestId',
    summary: 'Look up a rejected request',
    answers: 'A request that got a 401, and the reason. Kept for 30 days.',
    answered: refusalAnswer,
    ...reads('keys'),
    run: async ({ params }) => {
      const id = params.requestId!.toLowerCase()
      const refusal = isUuid(id) ? await findRefusal(db, id) : undefined
      return explained(refusal ?? notFound('There is no rejected request with this ID from the last 30 days.'))
    },
  }),
]

/** Undefined when the address can't be parsed. */
function calledWith(query: URLSearchParams, apiKeyId: string) {
  const address = parseAddress((query.get('address') ?? '').trim())
  return address && { apiKeyId, address, slug: query.get('program') ?? '' }
}

const noAddress: ProblemItem = {
  parameter: 'address',
  code: 'not_an_address',
  detail: 'Enter the IPv4 or IPv6 address the request would come from, such as 192.0.2.17.',
}
