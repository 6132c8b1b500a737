// The shape of each question object as JSON Schema 2020-12.
// It must not know what surrounds the question objects of a response.

import {
  coordinatePattern,
  idPattern,
  nameSuffixes,
  phonePattern,
  serviceAreaPattern,
  stateCodes,
  zipPattern,
} from './answer-formats.ts'
import { correctedStates } from './answers.ts'
import type { KeyNode } from './key-map.ts'
import { exportedType, questionKinds } from './question.ts'

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

export interface SchemaStyle {
  /** Where named definitions stand: `#/$defs/` in a schema of its own, `#/components/schemas/` in OpenAPI. */
  definitionsAt: '#/$defs/' | '#/components/schemas/'
  /**
   * Refuses every property, option and enumerated value not known now. For the tests of this service alone: what the
   * specification lets grow must not break a client that validates.
   */
  closed?: boolean
}

/** The question object of one question. */
export function questionSchema(node: KeyNode, style: SchemaStyle): JsonSchema {
  return objectSchema({ question_type: { type: 'string', const: node.type }, ...answerFields(node, style) }, style)
}

/**
 * The answer fields of a question object, each with its schema; `question_type` is not among them.
 * Source: spec, "Question objects".
 */
export function answerFields(node: KeyNode, style: SchemaStyle): Record<string, JsonSchema> {
  switch (node.type) {
    case 'ADDRESS':
      return addressFields
    case 'CURRENCY':
      return { currency_dollars: orNull('number', { description: 'Amount in dollars, exact to the cent.' }) }
    case 'DATE':
      return { date: orNull('string', { format: 'date', description: 'A day, YYYY-MM-DD, without a time zone.' }) }
    case 'EMAIL':
      return { email: anyText('An e-mail address as typed. To be treated as any text.') }
    case 'ENUMERATOR':
      return {
        entities: {
          type: 'array',
          description: 'One object for each entity; empty when unanswered.',
          items: {
            description: 'An entity: its name, and the questions repeated for it by question key.',
            ...questionsSchema({ entity_name: entityName }, node.children, style),
          },
        },
      }
    case 'FILE_UPLOAD':
      return {
        file_key: orNull('string', { deprecated: true, description: 'URL of the first file. Use file_urls.' }),
        file_urls: {
          type: 'array',
          description: 'URLs of the files, for people who are signed in as administrators; empty when unanswered.',
          items: { type: 'string' },
        },
      }
    case 'ID':
      return { id: orNull('string', { pattern: idPattern.source, description: 'Digits alone.' }) }
    case 'MAP':
      return { selections: selections('IDs of the selected places', node.option_ids, style) }
    case 'MULTI_SELECT':
      return { selections: selections('IDs of the selected options', node.option_ids, style) }
    case 'NAME':
      return {
        first_name: anyText('First name.'),
        middle_name: anyText('Middle name; null when there is none.'),
        last_name: anyText('Last name.'),
        suffix: openEnum('Suffix; null when there is none.', [...nameSuffixes], style, 'or null'),
      }
    case 'NUMBER':
      return {
        number: orNull('integer', {
          description: 'A whole number that every client holds exactly: within ±(2^53 − 1).',
          minimum: Number.MIN_SAFE_INTEGER,
          maximum: Number.MAX_SAFE_INTEGER,
        }),
      }
    case 'PHONE':
      return { phone_number: orNull('string', { pattern: phonePattern.source, description: 'E.164: + and digits.' }) }
    case 'SINGLE_SELECT':
      return { selection: openEnum('ID of the selected option.', node.option_ids, style, 'or null') }
    case 'TEXT':
      return { text: anyText('Any text.') }
  }
}

/**
 * An object of question objects by question key, `first` before them. A property not known now must be a question object:
 * programs only gain questions. Source: spec, "Versioning" 5.
 */
export function questionsSchema(
  first: Record<string, JsonSchema>,
  nodes: readonly KeyNode[],
  style: SchemaStyle,
): JsonSchema {
  // fromEntries defines own properties, so a key such as __proto__ is one like any other.
  const properties = Object.fromEntries([
    ...Object.entries(first),
    ...nodes.map(node => [node.question_key, questionSchema(node, style)] as const),
  ])
  const additionalProperties = style.closed ? false : { $ref: `${style.definitionsAt}Question` }
  return { ...objectSchema(properties, style), additionalProperties }
}

/** A question that was not in the program when the schema was made: the definition `Question`. */
export function anyQuestionSchema(style: SchemaStyle): JsonSchema {
  return {
    title: 'Question',
    description: 'A question object. Which other properties it has follows from its question_type.',
    type: 'object',
    properties: { question_type: openEnum('Type of the question.', exportedTypes, style) },
    required: ['question_type'],
  }
}

/** All of the properties are always there. Others may be added in time, so the object is open. */
export function objectSchema(properties: Record<string, JsonSchema>, style: SchemaStyle): JsonSchema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    ...(style.closed ? { additionalProperties: false } : {}),
  }
}

/** A string of which the known values are listed and others must be accepted. Source: spec, "Versioning" 2. */
export function openEnum(
  description: string,
  values: readonly string[],
  style: SchemaStyle,
  orNull?: 'or null',
): JsonSchema {
  return {
    type: orNull === undefined ? 'string' : ['string', 'null'],
    description: `${description} The examples are all there are now; accept others, for more may be added.`,
    examples: values,
    // Null is harmless where the type leaves it out, and keeps the list from being empty.
    ...(style.closed ? { enum: [...values, null] } : {}),
  }
}

export function orNull(type: string, rest: JsonSchema): JsonSchema {
  return { type: [type, 'null'], ...rest }
}

export function anyText(description: string): JsonSchema {
  return orNull('string', { description })
}

/** The type of a value in words, such as `string or null`. */
export function typeWords(schema: JsonSchema): string {
  const item = (schema.items as JsonSchema | undefined)?.type
  return [schema.type]
    .flat()
    .map(type => (type === 'array' && item !== undefined ? `array of ${item}s` : String(type)))
    .join(' or ')
}

function selections(description: string, optionIds: readonly string[], style: SchemaStyle): JsonSchema {
  return {
    type: 'array',
    description: `${description}; empty when none was, or the question was not answered.`,
    items: openEnum('An option ID that was ever selectable.', optionIds, style),
  }
}

const exportedTypes = [...new Set(questionKinds.map(exportedType).filter(type => type !== undefined))].sort()

const entityName: JsonSchema = { type: 'string', description: 'The name the applicant gave the entity.' }

const located = 'null unless the address was corrected.'
const addressFields: Record<string, JsonSchema> = {
  street: anyText('Street and number.'),
  line2: anyText('Apartment or unit; null when there is none.'),
  city: anyText('City.'),
  state: {
    ...orNull('string', { description: 'USPS code: a state, DC or a territory.' }),
    enum: [...stateCodes, null],
  },
  zip: orNull('string', { pattern: zipPattern.source, description: '5 digits, or 5, a dash and 4.' }),
  corrected: {
    ...orNull('string', { description: 'Result of address correction; null when it is not enabled.' }),
    enum: [...correctedStates, null],
  },
  latitude: orNull('string', { pattern: coordinatePattern.source, description: `Latitude; ${located}` }),
  longitude: orNull('string', { pattern: coordinatePattern.source, description: `Longitude; ${located}` }),
  well_known_id: anyText(`Spatial reference system of latitude and longitude; ${located}`),
  service_area: orNull('string', {
    pattern: serviceAreaPattern.source,
    description: `Comma-separated <service area>_<InArea, NotInArea or Failed>_<Unix time of the check>; ${located}`,
  }),
}
