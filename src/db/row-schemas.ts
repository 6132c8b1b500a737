// Schemas of rows: the types of rows and the responses of the console's API are derived from them.

import { type TProperties, type TSchema, Type } from 'typebox'
import type { Micros } from '../domain/values/offset-time.ts'

/** An object with these members, and no others. */
export const row = <P extends TProperties>(members: P) => Type.Object(members, { additionalProperties: false })
export const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
export const integer = Type.Integer()
export const text = Type.String()
export const texts = Type.Array(text)
export const flag = Type.Boolean()
/** A number in a row, and text when it is sent. */
export const time = Type.Unsafe<Micros>({ type: 'string', format: 'date-time' })
export const textOrNull = orNull(text)
export const timeOrNull = orNull(time)
export const integerOrNull = orNull(integer)
/** Whatever members it has. */
export const open = (description: string) =>
  Type.Unsafe<object>({ type: 'object', additionalProperties: true, description })
