// The API reference: shows the service's OpenAPI document as a page, with each operation's parameters, body, responses and samples, and the
// shared definitions.

/** @jsxImportSource preact */

import type { ComponentChildren, VNode } from 'preact'
import { Badge, counted, Words } from '../html/components.tsx'
import { Lines } from '../html/secret.tsx'
import { ThreeColumns } from '../html/shell.tsx'
import type { OperationSample } from './code-samples/operation-sample.ts'
import { DocsTabs } from './components/docs-tabs.tsx'
import { FindList } from './components/find-list.tsx'
import { JsonTree } from './components/json-tree.tsx'
import { MarkdownLinks } from './components/markdown-links.tsx'
import { Panel } from './components/panels.tsx'
import { Described, Members } from './components/schema-view.tsx'
import type { Content, ListedOperation, Outcome, ServiceDocument } from './components/service-document.ts'

interface ServicePageProps {
  document: ServiceDocument
  documentPath: string
  sampleOf: (listed: ListedOperation) => OperationSample
}

export function ServicePage({ document, documentPath, sampleOf }: ServicePageProps): VNode {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): ListedOperation => ({ method, path, operation })),
  )
  const groups = document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags?.includes(name)),
  }))
  const schemas = Object.entries(document.components.schemas)
  return (
    <ThreeColumns
      title="API reference"
      part="documentation"
      crumbs={[{ text: 'Documentation', path: '/docs/api/programs' }, { text: 'API reference' }]}
      lead={document.info.description}
      styles={['/assets/docs.css']}
      actions={<MarkdownLinks path="/docs/api" />}
      scripts={['/assets/find.js', '/assets/docs.js']}
      find={<FindOperation groups={groups} schemas={schemas.map(([name]) => name)} />}
    >
      <DocsTabs current="service" />
      <div class="service" id="service">
        <p>
          To edit and send requests, <a href="/swagger">open this reference in Scalar</a> (1 MB). Also available as an{' '}
          <a href={documentPath}>OpenAPI 3.1 document</a>.
        </p>
        <section aria-labelledby="authentication">
          <h2 id="authentication">Authentication</h2>
          <p>Send credentials over HTTPS only.</p>
          <ul>
            {Object.values(document.components.securitySchemes).map(({ description }) => (
              <li>
                <Words>{description}</Words>
              </li>
            ))}
          </ul>
        </section>
        {groups.map(({ name, description, operations }, i) => (
          <Fold name={name} count={counted(operations.length, 'operation')} open={i === 0}>
            <p>{description}</p>
            {operations.map((operation, j) => (
              <OperationCard {...operation} sample={sampleOf(operation)} open={i === 0 && j === 0} />
            ))}
          </Fold>
        ))}
        <Fold name="Definitions" count={counted(schemas.length, 'definition')}>
          {schemas.map(([name, schema]) => (
            <section class="card" aria-labelledby={`schema-${name}`}>
              <h3 id={`schema-${name}`}>{name}</h3>
              {typeof schema.description === 'string' && <p>{schema.description}</p>}
              <Members schema={schema} />
            </section>
          ))}
        </Fold>
      </div>
    </ThreeColumns>
  )
}

interface Group {
  name: string
  description: string
  operations: readonly ListedOperation[]
}

const FindOperation = ({ groups, schemas }: { groups: readonly Group[]; schemas: readonly string[] }) => (
  <FindList
    what="an operation"
    groups={[
      ...groups.map(({ name, operations }) => ({
        title: name,
        entries: operations.map(({ method, path, operation }) => ({
          text: operation.summary ?? operation.operationId,
          href: `#${operation.operationId}`,
          about: `${method.toUpperCase()} ${path}`,
        })),
      })),
      {
        title: 'Definitions',
        entries: schemas.map(name => ({ text: name, href: `#schema-${name}`, name: true })),
      },
    ]}
  />
)

/** A folded section of the page. Browsers open it when a link or search leads into it. */
const Fold = (props: { name: string; count: string; open?: boolean; children: ComponentChildren }) => (
  <details class="part" open={props.open}>
    <summary>
      <h2>{props.name}</h2> <span class="soft">{props.count}</span>
    </summary>
    {props.children}
  </details>
)

function OperationCard({ sample, open, ...item }: ListedOperation & { sample: OperationSample; open: boolean }): VNode {
  const { method, path, operation } = item
  const { operationId, summary } = operation
  return (
    <details class="card operation" open={open}>
      <summary>
        <h3>{summary ?? operationId}</h3>{' '}
        <span class="address">
          <Badge tone={method === 'get' ? 'good' : 'info'}>{method.toUpperCase()}</Badge>{' '}
          <code>{path.split(/(?<=.)(?=\/)/).map((step, i) => (i === 0 ? step : [<wbr />, step]))}</code>
        </span>
      </summary>
      {/* Link targets are inside the fold, so that browsers open it. */}
      <div class="sampled" id={operationId}>
        <div>
          <OperationFacts {...item} />
        </div>
        <Sample of={operationId} sample={sample} />
      </div>
    </details>
  )
}

function Sample({ of, sample: { request, answer } }: { of: string; sample: OperationSample }): VNode {
  return (
    <div class="samples">
      <Panel id={`${of}-request`} title="Request" of={of}>
        <div class="json" id={`${of}-request`}>
          <Lines>{request}</Lines>
        </div>
      </Panel>
      {answer !== undefined && (
        <Panel id={`${of}-answer`} title={`${answer.status} response`} of={of} tall>
          <JsonTree value={answer.value} id={`${of}-answer`} />
        </Panel>
      )}
    </div>
  )
}

function OperationFacts({ operation }: ListedOperation): VNode {
  const { operationId, description, parameters = [], requestBody, responses = {} } = operation
  const errors = Object.entries(responses).filter(([status]) => !status.startsWith('2'))
  return (
    <>
      {description !== undefined && (
        <p>
          <Words>{description}</Words>
        </p>
      )}
      {parameters.length > 0 && (
        <>
          <h4>Parameters</h4>
          <dl class="terms">
            {parameters.map(parameter => (
              <Described
                name={parameter.in === 'query' ? parameter.name : `${parameter.name} (${parameter.in})`}
                schema={parameter.schema}
                description={parameter.description}
                required={parameter.required}
              />
            ))}
          </dl>
        </>
      )}
      {requestBody !== undefined && (
        <>
          <h4>Body</h4>
          <Contents content={requestBody.content} />
        </>
      )}
      <h4>Responses</h4>
      <Responses responses={Object.entries(responses).filter(([status]) => status.startsWith('2'))} />
      <details>
        <summary>
          Errors<span class="unseen"> of {operationId}</span>: {errors.map(([status]) => status).join(', ')}
        </summary>
        <Responses responses={errors} />
      </details>
    </>
  )
}

const Responses = ({ responses }: { responses: readonly (readonly [string, Outcome])[] }) => (
  <dl class="terms outcomes">
    {responses.map(([status, response]) => (
      <ResponseItem status={status} response={response} />
    ))}
  </dl>
)

function ResponseItem({ status, response }: { status: string; response: Outcome }): VNode {
  const { description, headers = {}, content = {} } = response
  const good = status.startsWith('2')
  return (
    <div>
      <dt>
        <Badge tone={good ? 'good' : undefined}>{status}</Badge>
      </dt>
      <dd>
        <p>{description}</p>
        <Contents content={content} />
        {Object.keys(headers).length > 0 && (
          <details>
            <summary>
              Headers<span class="unseen"> of {status}</span>: {Object.keys(headers).join(', ')}
            </summary>
            <dl class="terms">
              {Object.entries(headers).map(([name, header]) => (
                <Described name={name} schema={header.schema} description={header.description} />
              ))}
            </dl>
          </details>
        )}
      </dd>
    </div>
  )
}

function Contents({ content }: { content: Readonly<Record<string, Content>> }): VNode {
  return (
    <>
      {Object.entries(content).map(([type, { schema = {} }]) => (
        <dl class="terms content">
          <Described name={type} schema={schema} />
        </dl>
      ))}
    </>
  )
}
