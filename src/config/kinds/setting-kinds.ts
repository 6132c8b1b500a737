// Parsers of settings, one per kind of value.

import { parseSubnet, type Subnet } from '../../domain/values/ip-address.ts'
import { parseDuration } from './durations.ts'
import { Unusable } from './setting.ts'

export const text = (text: string): string => text

export const optional =
  <T>(parse: (text: string) => T) =>
  (text: string): T | undefined =>
    text === '' ? undefined : parse(text)

export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max)) throw new Unusable(`must be a whole number from ${min} to ${max}`)
    return value
  }

/** In milliseconds. */
export const duration =
  (min: string, max: string) =>
  (text: string): number => {
    const value = parseDuration(text) ?? Number.NaN
    if (!(value >= parseDuration(min)! && value <= parseDuration(max)!))
      throw new Unusable(`must be a duration such as 500ms, 30s, 5m, 12h or 7d, from ${min} to ${max}`)
    return value
  }

export const oneOf =
  <const T extends string>(...values: readonly T[]) =>
  (text: string): T => {
    const value = values.find(v => v === text)
    if (value === undefined) throw new Unusable(`must be one of ${values.join(', ')}`)
    return value
  }

export const onOff = (text: string): boolean => oneOf('on', 'off')(text) === 'on'

export function postgresUrl(text: string): string {
  if (!['postgres:', 'postgresql:'].includes(URL.parse(text)?.protocol ?? ''))
    throw new Unusable('must be a PostgreSQL address such as postgres://user:password@host:5432/database')
  return text
}

/** Without a slash at its end; empty stays empty. */
export function httpUrl(text: string): string {
  if (text === '') return ''
  const url = URL.parse(text)
  if (
    url === null ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== '' ||
    url.password !== ''
  ) {
    throw new Unusable('must be an address such as https://apply.example.gov, without query or user')
  }
  return text.replace(/\/+$/, '')
}

export function ianaTimeZone(text: string): string {
  try {
    if (!/^[A-Za-z]/.test(text)) throw new RangeError()
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone === 'UTC' ? 'UTC' : text
  } catch {
    throw new Unusable('must be an IANA time zone such as America/Los_Angeles or UTC')
  }
}

/** Comma-separated; the current one first. */
export function keysOf32Bytes(text: string): Buffer[] {
  const keys = text.split(',').map(part => Buffer.from(part.trim(), 'base64'))
  if (keys.some(key => key.length !== 32)) {
    throw new Unusable(
      'must be one or more keys of 32 random bytes in Base64, separated by commas, the current one first (openssl rand -base64 32)',
    )
  }
  if (new Set(keys.map(key => key.toString('hex'))).size !== keys.length)
    throw new Unusable('must not name one key twice')
  return keys
}

export function subnets(text: string): Subnet[] {
  const parts = text.split(',').map(part => part.trim())
  const parsed = parts.filter(part => part !== '').map(parseSubnet)
  const errors = parsed.flatMap(subnet => ('error' in subnet ? [subnet.error] : []))
  if (errors.length > 0) throw new Unusable(`must be a comma-separated list of subnets: ${errors.join('; ')}`)
  return parsed as Subnet[]
}
