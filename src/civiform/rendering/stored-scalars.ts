// Reads stored values as CiviForm does: numbers stored as text, lists that one bad item invalidates, dates in milliseconds. Source:
// CfJsonDocumentContext. Unreadable values count as unanswered and are never an error.

import { isJsonArray, isJsonObject, type Json, JsonNumber, type JsonObject } from '../../domain/values/json-text.ts'

const longMin = -(2n ** 63n)
const longMax = 2n ** 63n - 1n

export const member = (json: Json | undefined, name: string): Json | undefined =>
  isJsonObject(json) ? (json as JsonObject).get(name) : undefined

/** Text, or the text of a number or literal; null if empty or missing. */
export function readText(json: Json | undefined): string | null {
  if (typeof json === 'string') return json === '' ? null : json
  if (json instanceof JsonNumber) return json.source
  return typeof json === 'boolean' ? String(json) : null
}

/** A 64-bit integer: from an integer, a truncated decimal, or digits in a text. */
export function readLong(json: Json | undefined): bigint | null {
  if (json instanceof JsonNumber) return inRange(truncated(json.source))
  if (typeof json !== 'string' || !/^\s*[+-]?[0-9]{1,19}\s*$/.test(json)) return null
  return inRange(BigInt(json.trim().replace('+', '')))
}

const inRange = (value: bigint | null): bigint | null =>
  value === null || value < longMin || value > longMax ? null : value

function truncated(source: string): bigint | null {
  if (!/[eE]/.test(source)) return BigInt(source.split('.')[0]!)
  const value = Math.trunc(Number(source))
  return Number.isFinite(value) ? BigInt(value) : null
}

export function readDouble(json: Json | undefined): number | null {
  const text = json instanceof JsonNumber ? json.source : typeof json === 'string' ? json.trim() : ''
  const value = text === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : null
}

/** The day in UTC, `2000-02-29`; years of four digits only. */
export function readDay(json: Json | undefined): string | null {
  const milliseconds = readLong(json)
  if (milliseconds === null) return null
  const date = new Date(Number(milliseconds))
  const year = date.getUTCFullYear()
  return year >= 0 && year <= 9999 ? date.toISOString().slice(0, 10) : null
}

/** Integers, if every item is one; otherwise none at all. */
export function readLongs(json: Json | undefined): bigint[] {
  if (!isJsonArray(json)) return []
  const numbers = json.map(readLong)
  return numbers.includes(null) ? [] : (numbers as bigint[])
}

/** Texts, if every item is one; otherwise none at all. */
export function readTexts(json: Json | undefined): string[] {
  return isJsonArray(json) && json.every(item => typeof item === 'string') ? (json as string[]) : []
}
