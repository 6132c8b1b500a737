// Generates TypeScript from the schemas in the service's OpenAPI document and in a program's docs. Supports the part of JSON Schema that
// they use and throws on anything else. Pure.

import { escapedText } from './visible-text.ts'

export interface Schema {
  readonly [keyword: string]: unknown
}

/** `Application` and its members for one program, from its `response.schema.json`. */
export function programTypes(schemaDocument: unknown, opening: string): string {
  const { $defs } = schemaDocument as { $defs: Readonly<Record<string, Schema>> }
  return typesOf($defs, opening)
}

/** A type for each schema. A value to which more may be added has the known ones or any string as its type. */
export function typesOf(schemas: Readonly<Record<string, Schema>>, opening: string): string {
  const types = Object.entries(schemas).map(
    ([name, schema]) => `${comment(schema, '')}export type ${typeName(name)} = ${typeOf(schema, '')}\n`,
  )
  return escapedText(`${opening}\n${types.join('\n')}`)
}

const typeName = (name: string): string => name.replace(/[^\p{L}\p{N}_]/gu, '_')

function typeOf(schema: Schema, indent: string): string {
  if (typeof schema.$ref === 'string') return typeName(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1))
  if (schema.const !== undefined) return literal(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ')
  const types = [schema.type].flat().map(type => oneType(String(type), schema, indent))
  return [...new Set(types.flat())].join(' | ')
}

function oneType(type: string, schema: Schema, indent: string): string | string[] {
  switch (type) {
    case 'string':
      return Array.isArray(schema.examples) && String(schema.description).includes('accept others')
        ? [...schema.examples.map(literal), '(string & {})']
        : 'string'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
    case 'null':
      return type
    case 'array':
      return `readonly (${schema.items === undefined ? 'unknown' : typeOf(schema.items as Schema, indent)})[]`
    case 'object':
      return objectType(schema, indent)
    case 'undefined':
      return 'unknown'
    default:
      throw new Error(`No TypeScript equivalent for the type ${type}.`)
  }
}

function objectType(schema: Schema, indent: string): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  const required = new Set((schema.required ?? []) as string[])
  const inner = `${indent}  `
  const lines = properties.map(([name, property]) => {
    const key = /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? name : literal(name)
    return `${comment(property, inner)}${inner}${key}${required.has(name) ? '' : '?'}: ${typeOf(property, inner)}\n`
  })
  const others = schema.additionalProperties as Schema | false | undefined
  // An index signature would have to fit the listed properties, too.
  if (properties.length === 0) lines.push(`${inner}[key: string]: ${others ? typeOf(others, inner) : 'unknown'}\n`)
  else if (schema.title === 'Question') lines.push(`${inner}[field: string]: unknown\n`)
  return `{\n${lines.join('')}${indent}}`
}

const literal = (value: unknown): string =>
  typeof value === 'string'
    ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    : JSON.stringify(value)

function comment({ description }: Schema, indent: string): string {
  return typeof description === 'string' ? `${indent}/** ${description.replaceAll('*/', '*\\/')} */\n` : ''
}
