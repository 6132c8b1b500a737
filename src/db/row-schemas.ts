// Schemas of rows: the types of rows and the responses of the console's API are derived from them.

import { type TProperties, type TSchema, Type } from 'typebox'
import type { Micros } from '../domain/values/offset-time.ts'

/** An object with exactly these members. */
export const row = <P extends TProperties>(members: P) => Type.Object(members, { additionalProperties: false })
export const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
export const integer = Type.Integer()
export const text = Type.String()
export const texts = Type.Array(text)
export const flag = Type.Boolean()
/** A number in a row that is text in the response. */
export const time = Type.Unsafe<Micros>({ type: 'string', format: 'date-time' })
export const textOrNull = orNull(text)
export const timeOrNull = orNull(time)
export const integerOrNull = orNull(integer)
/** An object with any members. */
export const open = (description: string) =>
  Type.Unsafe<object>({ type: 'object', additionalProperties: true, description })
