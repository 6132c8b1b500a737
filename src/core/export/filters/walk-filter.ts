// The description of a walk filter. Requests, page tokens, `$filter`, the log, the audit log, receipts and OpenAPI are derived from it; its
// SQL is in db/walks/walk-filters.

import type { FilterValues } from '../../../db/walks/walk-filters.ts'
import type { JsonSchema } from '../../../domain/fields/field-schema.ts'

export interface WalkFilter<Value> {
  /** Undefined for a filter that only OData has. */
  parameter?: FilterParameter<Value>
  /** The value as shown in the log, the audit log and receipts. Stored permanently there, so its form must not change. */
  report(value: Value): unknown
  /** Property in `$filter`. A property that sets several filters is defined by one of them. */
  feed?: FeedProperty
  inToken: TokenPart<Value>
}

interface FilterParameter<Value> {
  name: string
  /** OpenAPI description. Its first sentence is the help text in `tributary pull`. */
  description: string
  schema?: JsonSchema
  parse(text: string, service: { timeZone: string }): Value | RefusedValue
}

/** Error in a value: a machine-readable code, and a sentence that continues the parameter's name. */
export class RefusedValue {
  constructor(
    readonly code: string,
    readonly detail: string,
  ) {}
}

export type FeedOperator = 'eq' | 'ge' | 'gt' | 'le' | 'lt'

export interface FeedProperty {
  name: string
  literal: 'time' | 'number' | 'text'
  /** Supported comparisons, for error messages. */
  possible: string
  /** The filters with another condition; undefined if it is not supported. `literal` has no quotes. */
  narrow(before: FilterValues, operator: FeedOperator, literal: string): FilterValues | RefusedValue | undefined
}

/**
 * Place of a value in page tokens. Tokens outlive a release, so bits never move, and the bits of a removed filter stay unused. Bits 0 to 7
 * are the first byte, of which bits 6 and 7 must be 0. Bits 4 and 10 to 13 are used by requests/page-token. Earlier releases reject
 * tokens with further bits.
 */
export type TokenPart<Value> =
  | {
      /** The lower of two bits: 0 without a value, otherwise the value's index plus one. */
      bit: number
      values: readonly Value[]
    }
  | {
      /** Bit that is set with a value, which is stored as these numbers. */
      bit: number
      /** Slot for a single number; every token has two slots. */
      slot?: 0 | 1
      numbers(value: Value): number[]
      value(numbers: number[]): Value
      count: number
    }
