// How to pull applications of any program: the parameters, what holds for the answer, the refusals. The words are those
// of the OpenAPI document.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import { responseDefinitions } from '../../domain/questions/response-schema.ts'
import { Words } from '../html/components.tsx'
import { exportOperation } from '../http/openapi/export-operations.ts'
import type { FindEntry } from './components/find-list.tsx'
import { typeOf } from './components/schema-view.tsx'

export const guideEntries: readonly FindEntry[] = [
  { text: 'Pulling applications', href: '#pulling' },
  { text: 'Exactly once, and polling', href: '#exactly-once' },
  { text: 'Errors', href: '#errors' },
]

export function PullingGuide(): VNode {
  const { parameters, responses, description } = exportOperation()
  const refusals = Object.entries(responses).filter(([status]) => status !== '200')
  return (
    <>
      <section aria-labelledby="pulling">
        <h2 id="pulling">Pulling applications</h2>
        <p>
          <Words>{description}</Words>
        </p>
        <dl class="terms">
          {parameters.map(one => (
            <div>
              <dt>
                <code>{one.name}</code> <span class="soft">{typeOf(one.schema)}</span>
              </dt>
              <dd>
                <Words>{one.description}</Words>
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <ExactlyOnce />
      <section aria-labelledby="errors">
        <h2 id="errors">Errors</h2>
        <dl class="terms">
          {refusals.map(([status, answer]) => (
            <div>
              <dt>
                <code>{status}</code>
              </dt>
              <dd>
                <Words>{(answer as { description: string }).description}</Words>
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  )
}

/** What an application has around its answers. `statuses` are those of the version that is shown. */
export function MetadataFields({ slug, statuses }: { slug: string; statuses: readonly string[] }): VNode {
  const { Application } = responseDefinitions([], slug, { definitionsAt: '#/$defs/' })
  const fields = Object.entries(Application!.properties as Record<string, Readonly<Record<string, unknown>>>)
  return (
    <section aria-labelledby="metadata">
      <h2 id="metadata">Metadata fields</h2>
      <p>Every application has these, whatever its program asks.</p>
      <dl class="terms">
        {fields.map(([name, schema]) => (
          <div>
            <dt>
              <code>{name}</code> <span class="soft">{name === 'application' ? 'object' : typeOf(schema)}</span>
            </dt>
            <dd>
              {name === 'application' ? 'The answers, by question key.' : String(schema.description)}
              {name === 'status' && <Statuses statuses={statuses} />}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Statuses({ statuses }: { statuses: readonly string[] }): VNode {
  if (statuses.length === 0) return <p>This program has no statuses: null.</p>
  return (
    <p id="statuses">
      One of{' '}
      {statuses.map((status, i) => (
        <>
          {i > 0 && ', '}
          <code dir="auto">{status}</code>
        </>
      ))}
      ; null before one is set. Applications keep statuses that earlier versions had.
    </p>
  )
}

const ExactlyOnce = () => (
  <section aria-labelledby="exactly-once">
    <h2 id="exactly-once">Exactly once, and polling</h2>
    <ul class="prose">
      <li>
        The pages of one walk have each matching application that was there at the first page exactly once, whatever is
        submitted in the meantime. The same token gives the same applications, as often as it is sent, for days.
      </li>
      <li>
        A response with status 200 that ends properly is complete. If the connection breaks, send the same request
        again.
      </li>
      <li>
        To poll, keep the <code>Snapshot-Time</code> of the first page, and send it as <code>fromDate</code> next time:
        nothing is lost. While old applications are loaded in bulk, some of it comes again: skip an{' '}
        <code>application_id</code> that you have, or end each walk at the <code>Snapshot-Time</code> of a page that you
        asked for before it, as <code>toDate</code>.
      </li>
      <li>
        Status, note and <code>revision_state</code> can change after an application was pulled. It does not come again
        for that: walk everything once in a while.
      </li>
    </ul>
  </section>
)
