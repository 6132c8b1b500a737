// PostgreSQL's binary formats of numbers and instants, for the wire protocol and COPY.

import type { Micros } from '../domain/values/offset-time.ts'

/** 2000-01-01T00:00:00Z, PostgreSQL's epoch for microseconds. */
export const postgresEpoch: Micros = 946_684_800_000_000

const two32 = 4_294_967_296

export const int4At = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!

/** Exact up to 2^53, which no number or time of an application exceeds. */
export const int8At = (bytes: Uint8Array, at: number): number =>
  int4At(bytes, at) * two32 + (int4At(bytes, at + 4) >>> 0)
