// Schemas shared by the request bodies of several actions.

import { Type } from 'typebox'

export const closed = { additionalProperties: false } as const

export const text = (description: string) => Type.String({ description })
export const texts = (description: string) => Type.Array(Type.String(), { description, maxItems: 1000 })
export const nullableText = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description })
/** The largest number that is exact here; the database might not accept larger ones. */
const maximum = Number.MAX_SAFE_INTEGER
export const id = (description: string, minimum = 1) => Type.Integer({ minimum, maximum, description })
export const nullableId = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: -maximum, maximum, description })
