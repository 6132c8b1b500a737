// Reads the fields of an answer from any source, and records the errors in each.

import { exactCents, exactInteger } from '../values/exact-number.ts'
import { JsonNumber } from '../values/json-text.ts'

/** The readers of fields return undefined for an invalid field, after noting the error. Details begin with "Must" and never repeat the answer. */
export abstract class FieldReader {
  /** A field of the input; null if missing. Numbers that a double might change are JsonNumbers. */
  abstract raw(name: string): unknown

  /** Notes an error in a field or in one of its items. */
  abstract error(name: string, code: string, detail: string, item?: number): undefined

  /** Whether the list of errors is full, so that the search for more can stop. */
  abstract get full(): boolean

  /** A required field: not empty, well-formed Unicode. */
  text(name: string): string | undefined {
    const text = this.optionalText(name)
    return text === null ? this.error(name, 'required', 'Is required in this answer.') : text
  }

  /** Like `text`, or null if omitted. */
  optionalText(name: string): string | null | undefined {
    const value = this.raw(name)
    return value === null ? null : this.#wellFormed(value, name)
  }

  /** Like `optionalText`, limited to the allowed values. */
  oneOf<T extends string>(name: string, allowed: Iterable<T>): T | null | undefined {
    const text = this.optionalText(name)
    if (text === null || text === undefined) return text
    for (const value of allowed) if (value === text) return value
    return this.error(name, 'not_allowed', `Must be one of ${[...allowed].join(', ')}, or null.`)
  }

  /** Like `text`, in a certain format, which the error describes. */
  formatted(name: string, fits: (text: string) => boolean, form: string): string | undefined {
    const text = this.text(name)
    return text === undefined || fits(text) ? text : this.error(name, 'malformed', `Must be ${form}.`)
  }

  /** Like `formatted`, or null if omitted. */
  optionalFormatted(name: string, fits: (text: string) => boolean, form: string): string | null | undefined {
    return this.raw(name) === null ? null : this.formatted(name, fits, form)
  }

  /** A list of texts, each not empty and well-formed; empty if omitted. */
  texts(name: string): readonly string[] | undefined {
    const value = this.raw(name)
    if (value === null) return []
    if (!Array.isArray(value)) return this.error(name, 'wrong_type', 'Must be an array of strings.')
    let faulty = false
    for (let i = 0; i < value.length && !this.full; i++)
      if (this.#wellFormed(value[i], name, i) === undefined) faulty = true
    return faulty || this.full ? undefined : value
  }

  /** A whole number within ±(2^53 − 1) (D19). */
  integer(name: string): number | undefined {
    const value = this.raw(name)
    const integer =
      value instanceof JsonNumber
        ? exactInteger(value.source)
        : Number.isSafeInteger(value)
          ? Number(value) + 0
          : undefined
    if (integer !== undefined) return integer
    return isNumber(value)
      ? this.error(name, 'malformed', 'Must be a whole number from -9007199254740991 to 9007199254740991.')
      : this.error(name, 'wrong_type', 'Must be a number, such as 3.')
  }

  /** A dollar amount in cents, at least 0 (D18). */
  cents(name: string): number | undefined {
    const value = this.raw(name)
    if (!isNumber(value))
      return this.error(name, 'wrong_type', 'Must be an amount in dollars as a number, such as 12.5.')
    const cents = value instanceof JsonNumber ? exactCents(value.source) : wholeCents(value)
    if (cents === undefined)
      return this.error(name, 'malformed', 'Must have at most two decimals and be at most 90071992547409.91.')
    return cents < 0 ? this.error(name, 'too_small', 'Must be at least 0.') : cents
  }

  #wellFormed(value: unknown, name: string, item?: number): string | undefined {
    if (typeof value === 'string' && value !== '' && value.isWellFormed()) return value
    return this.error(name, ...textError(value)!, item)
  }
}

/** Why a text cannot be stored and returned exactly: code and detail. */
export function textError(value: unknown): [code: string, detail: string] | undefined {
  if (typeof value !== 'string') return ['wrong_type', 'Must be a string.']
  if (value === '') return ['empty', 'Must not be empty; send null if there is no answer.']
  if (value.isWellFormed()) return undefined
  return ['ill_formed_text', 'Must be valid Unicode without lone surrogates.']
}

const isNumber = (value: unknown): value is number | JsonNumber =>
  typeof value === 'number' || value instanceof JsonNumber

/** Cents of an amount held by a double; undefined if it has fractions of a cent or is too large. */
function wholeCents(dollars: number): number | undefined {
  const cents = Math.round(dollars * 100)
  return Number.isSafeInteger(cents) && cents / 100 === dollars ? cents + 0 : undefined
}
