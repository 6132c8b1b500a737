// Explains how to pull applications of any program: parameters, guarantees and errors. The texts come from the OpenAPI
// document.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import { responseDefinitions } from '../../domain/questions/response-schema.ts'
import { Words } from '../html/components.tsx'
import { exportOperation } from '../http/openapi/export-operations.ts'
import type { FindEntry } from './components/find-list.tsx'
import { typeOf } from './components/schema-view.tsx'

export const guideEntries: readonly FindEntry[] = [
  { text: 'Pulling applications', href: '#pulling' },
  { text: 'Exactly once and polling', href: '#exactly-once' },
  { text: 'Errors', href: '#errors' },
]

export function PullingGuide(): VNode {
  const { parameters, responses, description } = exportOperation()
  const errors = Object.entries(responses).filter(([status]) => status !== '200')
  return (
    <>
      <section aria-labelledby="pulling">
        <h2 id="pulling">Pulling applications</h2>
        <p>
          <Words>{description}</Words>
        </p>
        <dl class="terms">
          {parameters.map(({ name, schema, description }) => (
            <div>
              <dt>
                <code>{name}</code> <span class="soft">{typeOf(schema)}</span>
              </dt>
              <dd>
                <Words>{description}</Words>
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <ExactlyOnce />
      <section aria-labelledby="errors">
        <h2 id="errors">Errors</h2>
        <dl class="terms">
          {errors.map(([status, response]) => (
            <div>
              <dt>
                <code>{status}</code>
              </dt>
              <dd>
                <Words>{(response as { description: string }).description}</Words>
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  )
}

/** The fields of an application besides its answers. `statuses` are those of the version shown. */
export function MetadataFields({ slug, statuses }: { slug: string; statuses: readonly string[] }): VNode {
  const { Application } = responseDefinitions([], slug, { definitionsAt: '#/$defs/' })
  const fields = Object.entries(Application!.properties as Record<string, Readonly<Record<string, unknown>>>)
  return (
    <section aria-labelledby="metadata">
      <h2 id="metadata">Metadata fields</h2>
      <p>Applications of all programs have these fields.</p>
      <dl class="terms">
        {fields.map(([name, schema]) => (
          <div>
            <dt>
              <code>{name}</code> <span class="soft">{name === 'application' ? 'object' : typeOf(schema)}</span>
            </dt>
            <dd>
              {name === 'application' ? 'Answers by question key.' : String(schema.description)}
              {name === 'status' && <Statuses statuses={statuses} />}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Statuses({ statuses }: { statuses: readonly string[] }): VNode {
  if (statuses.length === 0) return <p>Always null: this program has no statuses.</p>
  return (
    <p id="statuses">
      One of{' '}
      {statuses.map((status, i) => (
        <>
          {i > 0 && ', '}
          <code dir="auto">{status}</code>
        </>
      ))}
      ; null until a status is set. Applications keep statuses from earlier versions.
    </p>
  )
}

const ExactlyOnce = () => (
  <section aria-labelledby="exactly-once">
    <h2 id="exactly-once">Exactly once and polling</h2>
    <ul class="prose">
      <li>
        The pages of one export contain each matching application that existed at the first page exactly once, whatever
        is submitted meanwhile. A token returns the same applications however often it is sent, until it expires.
      </li>
      <li>A response with status 200 that ends normally is complete. If the connection breaks, repeat the request.</li>
      <li>
        To poll, store the <code>Snapshot-Time</code> of the first page and send it as <code>fromDate</code> next time.
        Nothing is missed, but while old applications are loaded in bulk, some applications repeat: skip duplicates by{' '}
        <code>application_id</code>, or send the <code>Snapshot-Time</code> of a page requested before the export as its{' '}
        <code>toDate</code>.
      </li>
      <li>
        Status, note and <code>revision_state</code> can change after you have pulled an application, and polling does
        not return it again. Read the change feed, or run a full export periodically.
      </li>
    </ul>
  </section>
)
