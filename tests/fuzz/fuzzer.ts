// A fuzzer of the service from the service's own OpenAPI document: requests to every operation, of what it sent before and of what
// no client would send, and a judge of every answer.

import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { exportTypes } from '../../src/web/http/headers/export-formats.ts'
import type { TestService } from '../support/service.ts'
import {
  absurd,
  anyEdits,
  type Edit,
  edited,
  example,
  hostileText,
  type Json,
  known,
  type Schema,
  valid,
} from './fuzz-values.ts'

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  schema?: Schema
}

export interface Operation {
  /** `PUT /intake/v1/programs/{slug}/…` */
  name: string
  method: string
  path: string
  parameters: Parameter[]
  body: Schema | undefined
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
}

type Body = { json: Json; edits?: Edit[] } | { text: string }

/** One request, as plain JSON, so that it can be kept. */
export interface Case {
  operation: string
  parameters: Record<string, Json>
  body?: Body
  as: 'key' | 'admin' | 'stranger'
  contentType?: string
  accept?: string
}

/** An answer, and what is wrong with it. */
interface Exchange {
  ok: boolean
  headers: Headers
  text: string
  errors: string[]
}

export interface Credentials {
  key: string
  admin: string
}

/** Values of one name that are remembered. */
const knownMax = 200
/** Sets of values that an operation is tried with that has not succeeded. */
const attemptsMax = 6

export class Fuzzer {
  readonly operations: Operation[]
  /** Operations that were answered with 2xx, and how often. */
  readonly succeeded = new Map<string, number>()
  /** How often each status was answered. */
  readonly statuses: Record<number, number> = {}
  readonly #known = new Map<string, Json[]>()
  readonly #checks = new Map<string, (value: unknown) => string[]>()

  private constructor(
    private readonly service: TestService,
    private readonly document: { paths: Record<string, Record<string, unknown>>; components: object },
    private readonly credentials: () => Credentials,
  ) {
    this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, described]) =>
        operationOf(method.toUpperCase(), path, described as Described),
      ),
    )
  }

  static async open(service: TestService, credentials: () => Credentials): Promise<Fuzzer> {
    const response = await service.get('/docs/api/openapi.json', { headers: { Authorization: credentials().key } })
    return new Fuzzer(service, (await response.json()) as Fuzzer['document'], credentials)
  }

  /** Remembers a value under a name, as if the service had sent it. */
  learn(name: string, value: Json): void {
    const values = this.#known.get(name) ?? []
    if (values.length >= knownMax) values.shift()
    values.push(value)
    this.#known.set(name, values)
  }

  /** For tests of the fuzzer that change what is documented. */
  forgetChecks(): void {
    this.#checks.clear()
  }

  /** Any request to any operation. */
  anyCase(): fc.Arbitrary<Case> {
    return fc.oneof(...this.operations.map(operation => this.#caseOf(operation)))
  }

  #caseOf(operation: Operation): fc.Arbitrary<Case> {
    const own = operation.path.startsWith('/admin/') ? ('admin' as const) : ('key' as const)
    // What need not be given mostly is not: among many parameters one is always wrong.
    const parameters = Object.fromEntries(
      operation.parameters.map(({ name, schema = {}, in: place }) => {
        const right = fc.oneof(known(name), valid({ ...schema, type: schema.type ?? 'string' }, name))
        const given = fc.oneof(
          { arbitrary: right, weight: 12 },
          { arbitrary: hostileText as fc.Arbitrary<Json>, weight: 1 },
        )
        return [name, place === 'path' ? given : fc.option(given, { nil: null, freq: 1 })]
      }),
    )
    const bodies: fc.Arbitrary<Body | undefined> =
      operation.body === undefined
        ? fc.constant(undefined)
        : fc.oneof(
            { arbitrary: valid(operation.body, operation.name).map(json => ({ json })), weight: 6 },
            {
              arbitrary: fc
                .tuple(valid(operation.body, operation.name), anyEdits)
                .map(([json, edits]) => ({ json, edits })),
              weight: 6,
            },
            { arbitrary: absurd.map(json => ({ json })), weight: 2 },
            {
              arbitrary: fc
                .oneof(hostileText, fc.constantFrom('{', '{"a":1,"a":2}', '[1e999]', '"\\ud800"'))
                .map(text => ({ text })),
              weight: 1,
            },
          )
    return fc
      .record({
        parameters: fc.record(parameters, { noNullPrototype: true }),
        body: bodies,
        as: fc.oneof(
          { arbitrary: fc.constant(own), weight: 20 },
          fc.constantFrom('key' as const, 'admin' as const, 'stranger' as const),
        ),
        contentType: fc.oneof(
          { arbitrary: fc.constant('application/json'), weight: 20 },
          fc.constantFrom('text/plain', 'application/json; charset=latin1', 'multipart/form-data', '*/*'),
        ),
        accept: fc.constantFrom('application/json', '*/*', 'text/html', ...exportTypes, 'image/png;q=0'),
      })
      .map(({ body, ...rest }) => ({ operation: operation.name, ...rest, ...(body === undefined ? {} : { body }) }))
  }

  /**
   * Asks for an operation as its description says, with what was sent before, the latest first, until it succeeds. Returns what is wrong
   * with the answers.
   */
  async tryOne(operation: Operation): Promise<string[]> {
    const parameters = operation.parameters.filter(({ in: place }) => place === 'path').map(({ name }) => name)
    const asked = new Set<string>()
    for (let n = 1; n <= attemptsMax; n++) {
      const sent: Case = {
        operation: operation.name,
        parameters: this.#resolved(
          Object.fromEntries(parameters.map(name => [name, { $from: name, n: -n }])),
        ) as Case['parameters'],
        as: operation.path.startsWith('/admin/') ? 'admin' : 'key',
        ...(operation.body && { body: { json: this.#resolved(example(operation.body, operation.name, n)) } }),
      }
      if (asked.size === asked.add(JSON.stringify(sent)).size) continue
      const { ok, errors } = await this.send(sent)
      if (ok || errors.length > 0) return errors
    }
    return []
  }

  /** Sends it, and returns what is wrong with the answer; nothing when nothing is. */
  async judge(sent: Case): Promise<string[]> {
    const operation = this.operations.find(({ name }) => name === sent.operation)
    // What was found in a release that still had the operation.
    if (operation === undefined) return []
    const request = this.#requestOf(operation, sent)
    return request === undefined ? [] : (await this.#exchange(operation, request)).errors
  }

  /** The same for an operation that must be there, with the answer. */
  async send(sent: Case): Promise<Exchange> {
    const operation = this.operations.find(({ name }) => name === sent.operation)
    const request = operation && this.#requestOf(operation, sent)
    if (request === undefined) throw new Error(`${sent.operation} is not documented, or not to be asked so`)
    return this.#exchange(operation!, request)
  }

  async #exchange(operation: Operation, { path, init }: { path: string; init: RequestInit }): Promise<Exchange> {
    let response: Response
    let text: string
    try {
      response = await this.service.get(path, { ...init, signal: AbortSignal.timeout(30_000) })
      text = await response.text()
    } catch (error) {
      return { ok: false, headers: new Headers(), text: '', errors: [`no answer: ${error}`] }
    }
    const errors = this.#errorsOf(operation, response, text)
    this.statuses[response.status] = (this.statuses[response.status] ?? 0) + 1
    for (const [field, name] of Object.entries(knownInFields)) {
      const value = response.headers.get(field)
      if (value !== null) this.learn(name, value)
    }
    if (response.ok) {
      this.succeeded.set(operation.name, (this.succeeded.get(operation.name) ?? 0) + 1)
      this.#harvest(operation, text)
    }
    const { ok, headers } = response
    const known = errors.map(error => `${init.method} ${path} ${response.status}: ${error}\n${text.slice(0, 500)}`)
    return { ok, headers, text, errors: known }
  }

  #requestOf(operation: Operation, sent: Case): { path: string; init: RequestInit } | undefined {
    const query = new URLSearchParams()
    const headers = new Headers({ Accept: sent.accept ?? 'application/json' })
    let { path } = operation
    for (const { name, in: place } of operation.parameters) {
      const value = sent.parameters[name]
      if (value === undefined || value === null) continue
      const text = asText(this.#resolved(value))
      // Without a segment, or with one that an address takes for a step, it is another address.
      if (place === 'path' && ['', '.', '..'].includes(text)) return undefined
      if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(text.toWellFormed()))
      else if (place === 'query') query.append(name, text.toWellFormed())
      else if (/^[\x21-\x7e]{1,200}$/.test(text)) headers.set(name, text.replace(/wait=\d+/, 'wait=0'))
    }
    if (sent.as !== 'stranger') headers.set('Authorization', this.credentials()[sent.as])
    const { method } = operation
    if (sent.body === undefined) return { path: withQuery(path, query), init: { method, headers } }
    headers.set('Content-Type', sent.contentType ?? 'application/json')
    const body =
      'text' in sent.body
        ? sent.body.text
        : JSON.stringify(edited(this.#resolved(sent.body.json), sent.body.edits ?? []))
    return { path: withQuery(path, query), init: { method, headers, body } }
  }

  /** With the values that the service sent in the places that refer to them. */
  #resolved(value: Json): Json {
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return value.map(item => this.#resolved(item))
    if (typeof value.$from === 'string' && typeof value.n === 'number') {
      const values = this.#valuesOf(spelled(value.$from))
      return values.at(value.n % Math.max(1, values.length)) ?? value.else ?? 'x'
    }
    const resolved: Record<string, Json> = {}
    for (const [name, item] of Object.entries(value))
      Object.defineProperty(resolved, name, {
        value: this.#resolved(item),
        enumerable: true,
        configurable: true,
        writable: true,
      })
    return resolved
  }

  /** Of an id, as an address names it, also those that answers name more fully: of `key_id` those of `api_key_id`. */
  #valuesOf(name: string): readonly Json[] {
    const fuller = new RegExp(`(^|_)${name.replace(/_id$/, '_(.*_)?id')}$`)
    const known = name.endsWith('_id') ? [...this.#known.keys()].find(key => fuller.test(key)) : undefined
    return this.#known.get(name) ?? this.#known.get(known ?? '') ?? []
  }

  #harvest(operation: Operation, text: string): void {
    const value = parsed(text)
    if (value === undefined) return
    // A whole answer is what the same address takes back: a definition, for one.
    if (operation.method === 'GET' && typeof value === 'object' && text.length < 50_000)
      for (const method of ['PUT', 'POST', 'PATCH']) this.learn(spelled(`${method} ${operation.path}`), value)
    let budget = 300
    const learnFrom = (name: string, element: Json): void => {
      if (budget-- < 0) return
      if (Array.isArray(element)) for (const item of element.slice(0, 10)) learnFrom(name, item)
      else if (element !== null && typeof element === 'object')
        for (const [key, item] of Object.entries(element)) learnFrom(spelled(key), item)
      else if (typeof element === 'string' ? element.length < 500 : typeof element === 'number') {
        this.learn(name, element)
        if (states.has(name)) this.learn('based_on', element)
      }
    }
    learnFrom('answer', value)
  }

  #errorsOf(operation: Operation, response: Response, text: string): string[] {
    const { status } = response
    if (status === 500) return ['an answer of 500']
    const type = (response.headers.get('content-type') ?? '').replace(/;.*/, '')
    const documented = operation.responses[status]
    if (documented === undefined) return [`status ${status} is not documented`]
    if (!response.headers.has('x-request-id')) return ['no X-Request-Id']
    if (documented.content === undefined) return text === '' ? [] : [`a body that is not documented, of type ${type}`]
    const content = documented.content[type]
    if (content === undefined) return [`type ${JSON.stringify(type)} is not documented for ${status}`]
    const isJson = /[/+]json$/.test(type)
    const value = isJson ? parsed(text) : undefined
    if (isJson && value === undefined) return ['a body that is not JSON']
    // What a browser is shown where there is nothing, or nothing for it.
    if ((status === 404 || status === 401) && type === 'text/html')
      return text.includes(response.headers.get('x-request-id')!) ? [] : ['a page without its request id']
    if (status >= 400) {
      const errors = refusalErrors(operation, response, type, value as Record<string, Json>)
      if (errors.length > 0) return errors
    }
    if (value === undefined || content.schema === undefined) return []
    return this.#checker(`${operation.name} ${status} ${type}`, content.schema)(value)
  }

  #checker(name: string, schema: Schema): (value: unknown) => string[] {
    const known = this.#checks.get(name)
    if (known !== undefined) return known
    const ajv = new Ajv2020({ strict: false, allErrors: false, logger: false })
    formats.default(ajv)
    const validate = ajv.compile({ components: this.document.components, allOf: [schema] })
    const check = (value: unknown): string[] =>
      validate(value)
        ? []
        : (validate.errors ?? []).map(e => `${e.instancePath || '/'} ${e.message} ${JSON.stringify(e.params)}`)
    this.#checks.set(name, check)
    return check
  }
}

interface Described {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses?: Operation['responses']
}

const operationOf = (method: string, path: string, described: Described): Operation => ({
  name: `${method} ${path}`,
  method,
  path,
  parameters: described.parameters ?? [],
  body: described.requestBody?.content['application/json']?.schema,
  responses: described.responses ?? {},
})

/** Names of the same thing, in addresses and in bodies. */
const aliases: Record<string, string> = {
  programSlug: 'slug',
  program: 'slug',
  programs: 'slug',
  program_name: 'slug',
  next: 'after',
  next_after: 'after',
  'If-None-Match': 'etag',
}
/** What a change names to say what it is based on. */
const states = new Set(['version', 'annotation_id', 'program_version_id'])
/** What response headers carry, by the parameter that takes it. */
const knownInFields = { 'Walk-Token': 'walk', 'Change-Cursor': 'after', 'Snapshot-Time': 'from_date', ETag: 'etag' }
const spelled = (name: string): string =>
  aliases[name] ?? (name.includes(' ') ? name : name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`))

const withQuery = (path: string, query: URLSearchParams): string => (query.size === 0 ? path : `${path}?${query}`)
const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Of a refusal: a problem document, or the error of OData where a feed was asked for. */
function refusalErrors(
  { name }: Operation,
  { status, headers }: Response,
  type: string,
  value: Record<string, Json>,
): string[] {
  const isOfFeed = name.includes(' /odata/')
  if (type !== (isOfFeed ? 'application/json' : 'application/problem+json')) return ['no problem document']
  const error = (value.error ?? {}) as Record<string, Json>
  const { request_id } = isOfFeed ? ((error.innererror ?? {}) as Record<string, Json>) : value
  const errors = isOfFeed ? error.details : value.errors
  if (request_id !== headers.get('x-request-id')) return ['another request_id than the field']
  if (!isOfFeed && value.status !== status) return ['another status than the answer']
  return status === 400 && !(Array.isArray(errors) && errors.length > 0) ? ['a 400 that names nothing'] : []
}
