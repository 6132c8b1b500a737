// Would a request pass, and why was one refused: the page to try it on, and the operations.

/** @jsxImportSource preact */

import { invalidRequest, notFound, type ProblemItem } from '../../../base/problem.ts'
import { listKeys } from '../../../core/keys/api-keys.ts'
import { judgeCall, reasonTexts } from '../../../core/keys/test-access.ts'
import { findRefusal } from '../../../db/keys/refusal-rows.ts'
import { parseAddress } from '../../../domain/values/ip-address.ts'
import { readingRoles } from '../../html/navigation.ts'
import { action, type Part, pageAt, reads, showForm } from '../requests/action.ts'
import { judgedAnswer, refusalAnswer } from '../requests/answer-schemas.ts'
import { CheckPage } from './key-check-page.tsx'
import { explained, type Keys, keyRoute } from './key-lookup.tsx'

export const keyChecks = ({ db, find, programs }: Keys): Part => [
  pageAt('/admin/keys/check', readingRoles, async visit => {
    const query = visit.url.searchParams
    const apiKeyId = query.get('key') ?? ''
    const keys = await listKeys(db, visit.now)
    // A link here from a key names that key alone: no request to judge yet.
    const asks = query.has('address')
    const program = keys.find(one => one.api_key_id === apiKeyId)?.programs[0] ?? ''
    const values = new URLSearchParams({ program, ...Object.fromEntries(query) })
    const call = calledWith(query, apiKeyId)
    const verdict = call === undefined ? undefined : { reason: await judgeCall(db, call, visit.now) }
    const asked = (query.get('request_id') ?? '').trim().toLowerCase()
    const refusal = isRequestId(asked) ? await findRefusal(db, asked) : undefined
    const offered = await programs()
    const errors = asks && call === undefined ? [noAddress] : []
    return showForm(
      visit,
      { values, errors },
      () => <CheckPage keys={keys} programs={offered} verdict={verdict} asked={asked} refusal={refusal} />,
      errors.length > 0 ? 400 : 200,
    )
  }),
  action({
    name: 'wouldCallPass',
    route: `GET ${keyRoute}/would-pass`,
    summary: 'Would a request pass?',
    answers: 'Whether a request with this key would be let in now, and if not why.',
    answered: judgedAnswer,
    ...reads('keys'),
    query: {
      address: 'The address it would come from.',
      program: 'The slug of the program it would export, or of a key that only submits, submit to.',
    },
    run: async visit => {
      const call = calledWith(visit.url.searchParams, (await find(visit)).api_key_id)
      if (call === undefined) throw invalidRequest('No request can be judged.', [noAddress])
      const reason = await judgeCall(db, call, visit.now)
      return { passes: reason === undefined, ...(reason !== undefined && { reason, detail: reasonTexts[reason] }) }
    },
  }),
  action({
    name: 'readRefusal',
    route: 'GET /refusals/:requestId',
    summary: 'Why was a request refused?',
    answers: 'The request that was answered with 401, and why. Kept for 30 days.',
    answered: refusalAnswer,
    ...reads('keys'),
    run: async ({ params }) => {
      const id = params.requestId!.toLowerCase()
      const refusal = isRequestId(id) ? await findRefusal(db, id) : undefined
      return explained(refusal ?? notFound('No refusal of this request is kept.'))
    },
  }),
]

const isRequestId = (text: string): boolean => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(text)

/** Undefined when the address is none. */
function calledWith(query: URLSearchParams, apiKeyId: string) {
  const address = parseAddress((query.get('address') ?? '').trim())
  return address && { apiKeyId, address, slug: query.get('program') ?? '' }
}

const noAddress: ProblemItem = {
  parameter: 'address',
  code: 'not_an_address',
  detail: 'Must be the IPv4 or IPv6 address that the request would come from, such as 192.0.2.17.',
}
