// The errors of an export: status, code, meaning, what to do, and an example of each.

/** @jsxImportSource preact */

import type { ProblemKind } from '../../../base/problem.ts'
import { unauthenticated } from '../../../core/keys/caller.ts'
import { Words } from '../../html/components.tsx'
import { Lines, ScrollBox } from '../../html/secret.tsx'
import { exportOperation } from '../../http/openapi/export-operations.ts'
import { problemStatuses } from '../../http/server/errors.ts'

interface ErrorHelp {
  kind: ProblemKind
  /** What a client does about it. */
  remedy: string
  detail: string
  errors?: readonly { parameter: string; code: string; detail: string }[]
}

const help: readonly ErrorHelp[] = [
  {
    kind: 'invalid_request',
    remedy: 'Correct each parameter in `errors`. Do not retry the request unchanged.',
    detail: 'A parameter is invalid.',
    errors: [{ parameter: 'revisionState', code: 'invalid_revision_state', detail: 'must be CURRENT or OBSOLETE.' }],
  },
  {
    kind: 'unauthenticated',
    remedy:
      'Check the Username, the Password and the program. If they are correct, send the `request_id` to an administrator, who can look up the reason for any 401 in the console, under API keys.',
    detail: unauthenticated('no_grant').detail,
  },
  {
    kind: 'not_acceptable',
    remedy: 'Send `Accept: application/json`, or set the parameter `format`.',
    detail: 'No export format matches the Accept header.',
    errors: [
      {
        parameter: 'Accept',
        code: 'not_acceptable',
        detail: 'must accept one of application/json, application/x-ndjson, text/csv.',
      },
    ],
  },
  {
    kind: 'precondition_failed',
    remedy: 'Send `If-None-Match` instead of `If-Match`.',
    detail:
      'Export pages have weak ETags, which If-Match never matches. Send If-None-Match to check whether anything has changed.',
  },
  {
    kind: 'rate_limited',
    remedy: 'Wait for the number of seconds in `Retry-After`, then repeat the request.',
    detail: 'This API key may have 4 exports at a time. Try again when an export has finished.',
  },
  {
    kind: 'unavailable',
    remedy: 'Wait for the number of seconds in `Retry-After`, then repeat the request. Page tokens remain valid.',
    detail: 'The database is busy. Try again in a few seconds.',
  },
]

const codeOf = (kind: ProblemKind): string => kind.replaceAll('_', '-')

const exampleOf = (kind: ProblemKind, detail: string, errors: ErrorHelp['errors']): string => {
  const { status, title } = problemStatuses[kind]
  const request_id = '34d067e7-035c-46a9-8535-fab9081ff583'
  const problem = { type: `urn:tributary:problem:${codeOf(kind)}`, title, status, detail, request_id, errors }
  return JSON.stringify(problem, null, 2)
}

const responses: Readonly<Record<number, { description?: unknown } | undefined>> = exportOperation().responses

export const Errors = () => (
  <section aria-labelledby="errors">
    <h2 id="errors">Errors</h2>
    <p>
      Errors are problem documents (RFC 9457). Their <code>type</code> is <code>urn:tributary:problem:</code> and the
      code below. Each has a <code>request_id</code>, which is also in the header <code>X-Request-Id</code>.
    </p>
    <ScrollBox label="Errors of the export">
      <table class="reference">
        <caption class="unseen">Errors of the export</caption>
        <thead>
          <tr>
            {['Status', 'Code', 'Meaning', 'What to do'].map(head => (
              <th scope="col">{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {help.map(({ kind, remedy }) => {
            const { status } = problemStatuses[kind]
            return (
              <tr>
                <td>
                  <code>{status}</code>
                </td>
                <td>
                  <code>{codeOf(kind)}</code>
                </td>
                <td>
                  <Words>{String(responses[status]?.description ?? '')}</Words>
                </td>
                <td>
                  <Words>{remedy}</Words>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </ScrollBox>
    <details>
      <summary>Examples</summary>
      {help.map(({ kind, detail, errors = [] }) => (
        <div class="panel">
          <ScrollBox label={`Example of ${codeOf(kind)}`}>
            <div class="json">
              <Lines>{exampleOf(kind, detail, errors)}</Lines>
            </div>
          </ScrollBox>
        </div>
      ))}
    </details>
  </section>
)
