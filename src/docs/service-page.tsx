// The service's own OpenAPI document as a page: every operation with its parameters, body, answers, and the definitions they share.
// It says nothing that is not in the document.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import { Badge, Words } from '../html/parts.tsx'
import { ThreeColumns } from '../html/shell.tsx'
import { DocsTabs } from './parts/docs-tabs.tsx'
import { FindList } from './parts/find-list.tsx'
import { Described, Members, type Schema } from './parts/schema-view.tsx'

interface Content {
  schema?: Schema
}

interface Answer {
  description: string
  headers?: Readonly<Record<string, { schema: Schema; description?: string }>>
  content?: Readonly<Record<string, Content>>
}

export interface Operation {
  operationId: string
  summary?: string
  description?: string
  tags?: readonly string[]
  parameters?: readonly { name: string; in: string; required?: boolean; description?: string; schema: Schema }[]
  requestBody?: { required?: boolean; content: Readonly<Record<string, Content>> }
  responses?: Readonly<Record<string, Answer>>
}

/** What of an OpenAPI document the page shows. */
export interface ServiceDocument {
  info: { title: string; description: string }
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: {
    schemas: Readonly<Record<string, Schema>>
    securitySchemes: Readonly<Record<string, { description: string }>>
  }
}

interface ListedOperation {
  method: string
  path: string
  operation: Operation
}

export function ServicePage(props: { document: ServiceDocument; documentPath: string }): VNode {
  const { document, documentPath } = props
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
      title="Operations of the service"
      part="documentation"
      crumbs={[{ text: 'Documentation', path: '/docs/api/programs' }, { text: 'Operations of the service' }]}
      lead={document.info.description}
      styles={['/assets/docs.css']}
      scripts={['/assets/find.js']}
      find={
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
              entries: schemas.map(([name]) => ({ text: name, href: `#schema-${name}`, name: true })),
            },
          ]}
        />
      }
    >
      <DocsTabs current="service" />
      <div class="service" id="service">
        <p>
          For programs: <a href={documentPath}>OpenAPI 3.1</a>. What the answers of one program look like is in the{' '}
          <a href="/docs/api/programs">docs of that program</a>.
        </p>
        <section aria-labelledby="authentication">
          <h2 id="authentication">Authentication</h2>
          <p>Over HTTPS only.</p>
          <ul>
            {Object.values(document.components.securitySchemes).map(({ description }) => (
              <li>
                <Words>{description}</Words>
              </li>
            ))}
          </ul>
        </section>
        {groups.map(({ name, description, operations }) => (
          <section aria-labelledby={`tag-${name}`}>
            <h2 id={`tag-${name}`}>{name}</h2>
            <p>{description}</p>
            {operations.map(one => (
              <OperationCard {...one} folded={operations.length > unfoldedMax} />
            ))}
          </section>
        ))}
        <section aria-labelledby="definitions">
          <h2 id="definitions">Definitions</h2>
          {schemas.map(([name, schema]) => (
            <section class="card" aria-labelledby={`schema-${name}`}>
              <h3 id={`schema-${name}`}>{name}</h3>
              {typeof schema.description === 'string' && <p>{schema.description}</p>}
              <Members schema={schema} />
            </section>
          ))}
        </section>
      </div>
    </ThreeColumns>
  )
}

/** Of a group with more operations, each is folded under its name. */
const unfoldedMax = 15

function OperationCard({ folded, ...one }: ListedOperation & { folded: boolean }): VNode {
  const { method, path, operation } = one
  const { operationId, summary } = operation
  const address = (
    <>
      <Badge tone={method === 'get' ? 'good' : 'info'}>{method.toUpperCase()}</Badge> <code>{path}</code>
    </>
  )
  if (folded) {
    return (
      <details class="card operation">
        <summary>
          <h3 id={operationId}>{summary ?? operationId}</h3> <span class="address">{address}</span>
        </summary>
        <OperationFacts {...one} />
      </details>
    )
  }
  return (
    <section class="card operation" aria-labelledby={operationId}>
      <h3 id={operationId}>
        <a href={`#${operationId}`}>{summary ?? operationId}</a>
      </h3>
      <p class="address">{address}</p>
      <OperationFacts {...one} />
    </section>
  )
}

function OperationFacts({ operation }: ListedOperation): VNode {
  const { operationId, description, parameters = [], requestBody, responses = {} } = operation
  const refusals = Object.entries(responses).filter(([status]) => !status.startsWith('2'))
  return (
    <>
      {description !== undefined && <p>{description}</p>}
      {parameters.length > 0 && (
        <>
          <h4>Parameters</h4>
          <dl class="terms">
            {parameters.map(one => (
              <Described
                name={one.in === 'query' ? one.name : `${one.name} (${one.in})`}
                schema={one.schema}
                description={one.description}
                required={one.required}
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
      <h4>Answers</h4>
      <Answers answers={Object.entries(responses).filter(([status]) => status.startsWith('2'))} />
      <details>
        <summary>
          Refusals<span class="unseen"> of {operationId}</span>: {refusals.map(([status]) => status).join(', ')}
        </summary>
        <Answers answers={refusals} />
      </details>
    </>
  )
}

const Answers = ({ answers }: { answers: readonly (readonly [string, Answer])[] }) => (
  <dl class="terms outcomes">
    {answers.map(([status, answer]) => (
      <AnswerItem status={status} answer={answer} />
    ))}
  </dl>
)

function AnswerItem({ status, answer }: { status: string; answer: Answer }): VNode {
  const { description, headers = {}, content = {} } = answer
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
              Header fields<span class="unseen"> of {status}</span>: {Object.keys(headers).join(', ')}
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
