// The errors of an export: status, code, meaning, what to do, and an example of each.

/** @jsxImportSource preact */

import { invalidRequest, Problem } from '../../../base/problem.ts'
import { unauthenticated } from '../../../core/keys/caller.ts'
import { tooManyExports } from '../../../core/keys/limits.ts'
import { Words } from '../../html/components.tsx'
import { Lines, ScrollBox } from '../../html/secret.tsx'
import { exportTypes, noFormatAccepted } from '../../http/headers/export-formats.ts'
import { exportOperation } from '../../http/openapi/export-operations.ts'
import { problemBody, problemCode, problemStatuses, unavailableDetail } from '../../http/server/errors.ts'

interface ErrorHelp {
  example: Problem
  /** The client's remedy. */
  remedy: string
}

const help: readonly ErrorHelp[] = [
  {
    example: invalidRequest('A parameter is invalid.', [
      { parameter: 'revisionState', code: 'invalid_revision_state', detail: 'must be CURRENT or OBSOLETE.' },
    ]),
    remedy: 'Correct each parameter in `errors`. Do not retry the request unchanged.',
  },
  {
    example: unauthenticated('no_grant'),
    remedy:
      'Check the Username, the Password and the program. If they are correct, send the `request_id` to an administrator, who can look up the reason for any 401 in the console, under API keys.',
  },
  {
    example: noFormatAccepted(exportTypes),
    remedy: 'Send `Accept: application/json`, or set the parameter `format`.',
  },
  {
    example: new Problem('precondition_failed', {
      detail:
        'Export pages have weak ETags, which If-Match never matches. Send If-None-Match to check whether anything has changed.',
    }),
    remedy: 'Send `If-None-Match` instead of `If-Match`.',
  },
  {
    example: tooManyExports({ requestsPerMinute: 0, exportsAtATime: 4 }),
    remedy: 'Wait for the number of seconds in `Retry-After`, then repeat the request.',
  },
  {
    example: new Problem('unavailable', { detail: unavailableDetail('busy') }),
    remedy: 'Wait for the number of seconds in `Retry-After`, then repeat the request. Page tokens remain valid.',
  },
]

const exampleOf = (problem: Problem): string =>
  JSON.stringify(problemBody(problem, '34d067e7-035c-46a9-8535-fab9081ff583'), null, 2)

const responses: Readonly<Record<number, { description?: unknown } | undefined>> = exportOperation().responses

export const Errors = () => (
  <section aria-labelledby="errors">
    <h2 id="errors">Errors</h2>
    <p>
      Errors are problem documents (RFC 9457). Their <code>type</code> is <code>urn:tributary:problem:</code> followed
      by the code below. Each has a <code>request_id</code>, which is also in the header <code>X-Request-Id</code>.
    </p>
    <ScrollBox label="Export errors">
      <table class="reference">
        <caption class="unseen">Export errors</caption>
        <thead>
          <tr>
            {['Status', 'Code', 'Meaning', 'What to do'].map(head => (
              <th scope="col">{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {help.map(({ example: { kind }, remedy }) => {
            const { status } = problemStatuses[kind]
            return (
              <tr>
                <td>
                  <code>{status}</code>
                </td>
                <td>
                  <code>{problemCode(kind)}</code>
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
      {help.map(({ example }) => (
        <div class="panel">
          <ScrollBox label={`Example of ${problemCode(example.kind)}`}>
            <div class="json">
              <Lines>{exampleOf(example)}</Lines>
            </div>
          </ScrollBox>
        </div>
      ))}
    </details>
  </section>
)
