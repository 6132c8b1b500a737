// Shows a JSON Schema in words: types, and members with their descriptions. Covers the keywords that our OpenAPI documents use.

/** @jsxImportSource preact */

import type { ComponentChildren, VNode } from 'preact'
import { Words } from '../../html/components.tsx'

export type Schema = Readonly<Record<string, unknown>>

/** Name of a referenced definition. */
const referred = (schema: Schema): string | undefined =>
  typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined

/** `string or null`, `array of integer`, the name of a definition. */
export function typeOf(schema: Schema): string {
  const name = referred(schema)
  if (name !== undefined) return name
  if ('const' in schema) return JSON.stringify(schema.const)
  const alternatives = (schema.oneOf ?? schema.anyOf) as Schema[] | undefined
  if (alternatives !== undefined) return alternatives.map(typeOf).join(' or ')
  const types = [schema.type ?? 'anything'].flat().map(String)
  return types
    .map(type => (type === 'array' ? `array of ${typeOf((schema.items ?? {}) as Schema)}` : type))
    .join(' or ')
}

/** Like `typeOf`, but definitions are links to their descriptions. */
function Type({ schema }: { schema: Schema }): VNode {
  const name = referred(schema) ?? referred((schema.items ?? {}) as Schema)
  const words = typeOf(schema)
  if (name === undefined) return <>{words}</>
  return (
    <>
      {words.slice(0, words.length - name.length)}
      <a href={`#schema-${name}`}>{name}</a>
    </>
  )
}

/** Limits, format and allowed values of a schema, in a few words. */
function facts(schema: Schema): string[] {
  const { format, pattern, minimum, maximum, minLength, maxLength } = schema
  return [
    ...(format === undefined ? [] : [String(format)]),
    ...(minimum === undefined ? [] : [`at least ${String(minimum)}`]),
    ...(maximum === undefined ? [] : [`at most ${String(maximum)}`]),
    ...(minLength === undefined ? [] : [`at least ${String(minLength)} characters`]),
    ...(maxLength === undefined ? [] : [`at most ${String(maxLength)} characters`]),
    ...(pattern === undefined ? [] : [`matches ${String(pattern)}`]),
  ]
}

const valuesOf = (schema: Schema): unknown[] => [schema.enum ?? schema.examples ?? []].flat()

/** Values as code, separated by commas. */
export const Codes = ({ values }: { values: readonly string[] }) =>
  values.map((value, i) => (
    <>
      {i > 0 && ', '}
      <code dir="auto">{value}</code>
    </>
  ))

/** A name with its type, description and members. */
export function Described(props: {
  name: ComponentChildren
  schema: Schema
  /** Replaces the schema's own description. */
  description?: string
  required?: boolean
}): VNode {
  const { name, schema, required } = props
  const description = props.description ?? (schema.description as string | undefined)
  const values = valuesOf(schema)
  return (
    <div>
      <dt>
        <code>{name}</code>{' '}
        <span class="soft">
          <Type schema={schema} />
          {facts(schema).map(fact => ` · ${fact}`)}
          {required === true && ' · required'}
        </span>
      </dt>
      <dd>
        {description !== undefined && (
          <p>
            <Words>{description}</Words>
          </p>
        )}
        {values.length > 0 && (
          <p>
            {schema.enum === undefined ? 'For example' : 'One of'}{' '}
            <Codes values={values.map(value => (typeof value === 'string' ? value : JSON.stringify(value)))} />
          </p>
        )}
        <Members schema={schema} />
      </dd>
    </div>
  )
}

/** The members of an object, list item or alternative; nothing for a schema without members. */
export function Members({ schema }: { schema: Schema }): VNode | null {
  const alternatives = (schema.oneOf ?? schema.anyOf) as Schema[] | undefined
  if (alternatives !== undefined)
    return (
      <>
        {alternatives.map(alternative => (
          <Members schema={alternative} />
        ))}
      </>
    )
  if (schema.items !== undefined && referred(schema.items as Schema) === undefined)
    return <Members schema={schema.items as Schema} />
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  const rest = schema.additionalProperties
  if (properties.length === 0 && typeof rest !== 'object') return null
  const required = new Set((schema.required ?? []) as string[])
  return (
    <dl class="terms">
      {properties.map(([name, property]) => (
        <Described name={name} schema={property} required={required.has(name)} />
      ))}
      {typeof rest === 'object' && rest !== null && <Described name="any other name" schema={rest as Schema} />}
    </dl>
  )
}
