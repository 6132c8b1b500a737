// Generates a curl request and a sample response for an operation, from the OpenAPI document and the example of a program that the reader
// can see.

import { type SampledSchemas, schemaSample } from '../../../domain/samples/schema-sample.ts'
import type { Schema } from '../components/schema-view.tsx'
import type { ListedOperation, ServiceDocument } from '../components/service-document.ts'
import { memberValues, valuesOfPath } from './member-values.ts'

export interface OperationSample {
  request: string
  /** Undefined if the document has no schema for it. */
  answer: { status: string; type: string; value: unknown } | undefined
}

/** An export page that the reader can see, with the program's slug. */
export interface SeenExample {
  slug: string
  page: { payload: { application: Readonly<Record<string, unknown>> }[] }
}

/** Generates the samples of a document; `baseUrl` has no trailing slash. */
export function operationSampler(document: ServiceDocument, baseUrl: string, seen: SeenExample | undefined) {
  const common = knownOf(document, seen)
  return (listed: ListedOperation): OperationSample => {
    const known = { ...common, values: { ...common.values, ...valuesOfPath(listed.path) } }
    return { request: requestOf(listed, document, baseUrl, known), answer: answerOf(listed, known) }
  }
}

function knownOf(document: ServiceDocument, seen: SeenExample | undefined): SampledSchemas {
  const { schemas: definitions } = document.components
  if (seen === undefined) return { definitions, samples: {}, values: memberValues }
  const { slug, page } = seen
  const [application] = page.payload
  const [first] = Object.entries(application?.application ?? {})
  return {
    definitions,
    samples: {
      ...(application !== undefined && {
        ExportPage: page,
        Application: application,
        Answers: application.application,
      }),
      ...(first !== undefined && { Question: first[1] }),
    },
    values: {
      ...memberValues,
      programSlug: slug,
      slug,
      program: slug,
      program_name: slug,
      programs: [slug],
      ...(first !== undefined && { answers: Object.fromEntries([first]) }),
    },
  }
}

/** Whether a schema describes its value. */
const says = ({ type, properties, additionalProperties }: Schema): boolean =>
  type !== 'string' && (type !== 'object' || properties !== undefined || additionalProperties === false)

const jsonOf = (content: Readonly<Record<string, { schema?: Schema }>> = {}): Schema | undefined =>
  content['application/json']?.schema

function answerOf({ operation }: ListedOperation, known: SampledSchemas): OperationSample['answer'] {
  const [status, answer] = Object.entries(operation.responses ?? {}).find(([status]) => status.startsWith('2')) ?? []
  const schema = jsonOf(answer?.content)
  if (status === undefined || schema === undefined || !says(schema)) return undefined
  return { status, type: 'application/json', value: schemaSample(schema, 'answer', known) }
}

/** Quotes a text as a shell word. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function requestOf(
  { method, path, operation }: ListedOperation,
  document: ServiceDocument,
  baseUrl: string,
  known: SampledSchemas,
): string {
  const { parameters = [], requestBody, responses = {} } = operation
  const sampled = ({ name, schema }: { name: string; schema: Schema }): string =>
    String(known.values[name] ?? (name.endsWith('Id') ? 1 : schemaSample(schema, name, known)))
  const required = parameters.filter(parameter => parameter.required)
  const address = required
    .filter(parameter => parameter.in === 'path')
    .reduce(
      (address, parameter) => address.replace(`{${parameter.name}}`, encodeURIComponent(sampled(parameter))),
      baseUrl + path,
    )
  const query = required
    .filter(parameter => parameter.in === 'query')
    .map(parameter => [parameter.name, sampled(parameter)] as [string, string])
  const content = Object.values(responses)[0]?.content ?? {}
  const body = jsonOf(requestBody?.content)
  return [
    `curl ${credentialsOf(operation, document)}`,
    ...(method === 'get' ? [] : [`-X ${method.toUpperCase()}`]),
    ...(jsonOf(content) !== undefined && Object.keys(content)[0] !== 'application/json'
      ? [`-H 'Accept: application/json'`]
      : []),
    ...required
      .filter(parameter => parameter.in === 'header')
      .map(parameter => `-H ${quoted(`${parameter.name}: ${sampled(parameter)}`)}`),
    ...(body === undefined
      ? []
      : [
          `-H 'Content-Type: application/json'`,
          `-d ${says(body) ? quoted(JSON.stringify(schemaSample(body, 'body', known))) : '@body.json'}`,
        ]),
    quoted(query.length === 0 ? address : `${address}?${new URLSearchParams(query)}`),
  ].join(' \\\n  ')
}

/** curl options for the first security scheme, with secrets from the environment. */
function credentialsOf({ security = [] }: ListedOperation['operation'], { components }: ServiceDocument): string {
  const [name] = Object.keys(security[0] ?? {})
  return name !== undefined && components.securitySchemes[name]?.scheme === 'bearer'
    ? '-H "Authorization: Bearer $TRIBUTARY_TOKEN"'
    : '-u "$TRIBUTARY_USERNAME:$TRIBUTARY_PASSWORD"'
}
