// What describes a filter of a walk. Requests, page tokens, `$filter`, the log, the audit log, receipts and OpenAPI are derived from it;
// its SQL is in db/walks/walk-filters.

import type { FilterValues } from '../../../db/walks/walk-filters.ts'
import type { JsonSchema } from '../../../domain/fields/field-schema.ts'

export interface WalkFilter<Value> {
  /** Without it, only OData has the filter. */
  parameter?: FilterParameter<Value>
  /** The value as the log, the audit log and receipts have it, which keep it for as long as they are kept. */
  report(value: Value): unknown
  /** Its property in `$filter`, which may set several filters and is named by one of them. */
  feed?: FeedProperty
  inToken: TokenPart<Value>
}

interface FilterParameter<Value> {
  name: string
  /** For OpenAPI. The first sentence is its help in the tool for clients. */
  description: string
  schema?: JsonSchema
  parse(text: string, service: { timeZone: string }): Value | RefusedValue
}

/** What is wrong with a value: the code for programs, the sentence continues the parameter's name. */
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
  /** The comparisons that can be followed, for people. */
  possible: string
  /** The filters with one more condition, or undefined where it cannot be followed. `literal` is without quotes. */
  narrow(before: FilterValues, operator: FeedOperator, literal: string): FilterValues | RefusedValue | undefined
}

/**
 * Where a page token holds a value. Tokens outlive a release, so bits never move, and those of a filter that has gone stay unused. Bits 0 to 7
 * are the first byte, of which 4 is not a filter's and 6 and 7 must stay 0. Further ones make a token that earlier releases refuse.
 */
export type TokenPart<Value> =
  | {
      /** The lowest of two bits, which are 0 without a value, and else one more than its place in the list. */
      bit: number
      values: readonly Value[]
    }
  | {
      /** Set with a value, which is then these numbers. */
      bit: number
      /** One number alone may have a slot, which every token has room for; there are two. */
      slot?: 0 | 1
      numbers(value: Value): number[]
      value(numbers: number[]): Value
      count: number
    }
