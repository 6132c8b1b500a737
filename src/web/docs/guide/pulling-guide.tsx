// Explains how to pull applications of any program: pages, parameters, guarantees, fields and errors. The texts come from the OpenAPI
// document.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import type { JsonSchema } from '../../../domain/fields/field-schema.ts'
import { responseDefinitions } from '../../../domain/questions/response-schema.ts'
import { Words } from '../../html/components.tsx'
import { exportOperation } from '../../http/openapi/export-operations.ts'
import type { FindEntry } from '../components/find-list.tsx'
import type { JsonMark } from '../components/json-tree.tsx'
import { CommandSample } from '../components/run.tsx'
import { Codes, typeOf } from '../components/schema-view.tsx'
import { type GuidedProgram, loginOf, type Reader } from './get-started.tsx'

export const guideEntries: readonly FindEntry[] = [
  { text: 'Get a key', href: '#key' },
  { text: 'First request', href: '#first-request' },
  { text: 'All pages', href: '#pulling' },
  { text: 'Exactly-once exports and polling', href: '#exactly-once' },
]

/** How to read all pages, and only what is new. */
export function PullingGuide({ program, reader }: { program: GuidedProgram; reader: Reader }): VNode {
  const { parameters, description } = exportOperation()
  const sample = (query: string, shown: string) => ({
    code: `curl --compressed \\\n  ${loginOf(reader)} \\\n  '${program.export_url}?${shown}'`,
    run: reader.isKey && reader.mayExport ? { url: `${program.export_url}?${query}` } : undefined,
  })
  return (
    <>
      <section aria-labelledby="pulling">
        <h2 id="pulling">All pages</h2>
        <p>
          <Words>{description}</Words>
        </p>
        <CommandSample
          id="next-page"
          what="Next page"
          {...sample('nextPageToken={nextPageToken}', 'nextPageToken=<token>')}
        />
        <details class="parts" open>
          <summary>
            <h3>Parameters</h3>
          </summary>
          <dl class="terms">
            {parameters.map(({ name, schema, description }) => (
              <div>
                <dt>
                  <code>{name}</code> <span class="soft">{typeOf(schema)}</span>
                </dt>
                <dd>
                  <Words>{description}</Words>
                  <Values schema={schema} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      </section>
      <section aria-labelledby="exactly-once">
        <h2 id="exactly-once">Exactly-once exports and polling</h2>
        <CommandSample
          id="poll"
          what="Applications since the last export"
          {...sample('fromDate={snapshotTime}', 'fromDate=<Snapshot-Time>')}
        />
        <Guarantees />
      </section>
    </>
  )
}

/** The values of a parameter or field that has a few. */
function Values({ schema }: { schema: JsonSchema }): VNode | null {
  const values = [schema.enum ?? schema.examples ?? []].flat().filter(value => typeof value === 'string')
  if (values.length === 0) return null
  return (
    <p>
      {schema.enum === undefined && values.length === 1 ? 'For example' : 'One of'} <Codes values={values} />
    </p>
  )
}

/** Anchor of a metadata field. */
const fieldAnchor = (name: string): string => `field-${name}`

const metadataFields = (slug: string) => {
  const { Application } = responseDefinitions([], slug, { definitionsAt: '#/$defs/' })
  return Object.entries(Application!.properties as Record<string, JsonSchema>)
}

/** Links from an example to the fields. */
export const metadataMarks = (slug: string): [path: string, mark: JsonMark][] =>
  metadataFields(slug).map(([name]) => [`payload[<index>].${name}`, { href: `#${fieldAnchor(name)}` }])

/** The fields of an application besides its answers. `statuses` are those of the version shown. */
export function MetadataFields({ slug, statuses }: { slug: string; statuses: readonly string[] }): VNode {
  const fields = metadataFields(slug)
  return (
    <section aria-labelledby="metadata">
      <h2 id="metadata">Metadata fields</h2>
      <p>Applications of all programs have these fields.</p>
      <details class="parts" open>
        <summary>{fields.length} fields</summary>
        <dl class="terms">
          {fields.map(([name, schema]) => (
            <div id={fieldAnchor(name)}>
              <dt>
                <code>{name}</code> <span class="soft">{name === 'application' ? 'object' : typeOf(schema)}</span>
              </dt>
              <dd>
                {name === 'application' ? 'Answers by question key.' : String(schema.description)}
                <Values schema={schema} />
                {name === 'status' && <Statuses statuses={statuses} />}
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  )
}

function Statuses({ statuses }: { statuses: readonly string[] }): VNode {
  if (statuses.length === 0) return <p>Always null: this program has no statuses.</p>
  return (
    <p id="statuses">
      One of <Codes values={statuses} />; null until a status is set. Applications keep statuses from earlier versions.
    </p>
  )
}

const Guarantees = () => (
  <ul class="prose">
    <li>
      The pages of one export contain every matching application that existed when the first page was requested, exactly
      once, even if others are submitted meanwhile. Until it expires, a token always returns the same applications.
    </li>
    <li>A response with status 200 that ends normally is complete. If the connection breaks, repeat the request.</li>
    <li>
      To poll, store the <code>Snapshot-Time</code> of the first page and send it as <code>fromDate</code> next time.
      Nothing is missed, but while old applications are loaded in bulk, some applications repeat: skip duplicates by{' '}
      <code>application_id</code>, or send the <code>Snapshot-Time</code> of a page requested before the export as its{' '}
      <code>toDate</code>.
    </li>
    <li>
      Status, note and <code>revision_state</code> can change after you have pulled an application, and polling does not
      return it again. Read the change feed, or run a full export periodically.
    </li>
  </ul>
)
