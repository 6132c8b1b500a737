// The forms of bodies that several deeds take.

import { Type } from 'typebox'

export const closed = { additionalProperties: false } as const

export const text = (description: string) => Type.String({ description })
export const texts = (description: string) => Type.Array(Type.String(), { description, maxItems: 1000 })
export const nullableText = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description })
export const nullableId = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], description })
