// Parsers of settings, one for each kind of value.

import { parseSubnet, type Subnet } from '../../domain/values/ip-address.ts'
import { parseDuration } from './durations.ts'
import { type Parser, parser, Unusable } from './setting.ts'

export const text = (...examples: string[]): Parser<string> => parser(examples, text => text)

export const optional = <T>(parse: Parser<T>): Parser<T | undefined> =>
  parser(parse.examples, text => (text === '' ? undefined : parse(text)))

export const wholeNumber = (min: number, max: number): Parser<number> =>
  parser([String(min), String(max)], text => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max)) throw new Unusable(`must be a whole number from ${min} to ${max}`)
    return value
  })

/** In milliseconds. */
export const duration = (min: string, max: string): Parser<number> =>
  parser([min, max], text => {
    const value = parseDuration(text) ?? Number.NaN
    if (!(value >= parseDuration(min)! && value <= parseDuration(max)!))
      throw new Unusable(`must be a duration such as 500ms, 30s, 5m, 12h or 7d, from ${min} to ${max}`)
    return value
  })

export const oneOf = <const T extends string>(...values: readonly T[]): Parser<T> =>
  parser(values, text => {
    const value = values.find(v => v === text)
    if (value === undefined) throw new Unusable(`must be one of ${values.join(', ')}`)
    return value
  })

const switches = oneOf('on', 'off')
export const onOff = parser(switches.examples, text => switches(text) === 'on')

const postgresExample = 'postgres://user:password@host:5432/database'

export const postgresUrl = parser([postgresExample], text => {
  if (!['postgres:', 'postgresql:'].includes(URL.parse(text)?.protocol ?? ''))
    throw new Unusable(`must be a PostgreSQL address such as ${postgresExample}`)
  return text
})

/** Without a trailing slash; empty stays empty. */
export const httpUrl = parser(['https://apply.example.gov', 'https://apply.example.gov/below/'], text => {
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
    throw new Unusable('must be an address such as https://apply.example.gov, without a query or username')
  }
  return text.replace(/\/+$/, '')
})

export const ianaTimeZone = parser(['UTC', 'America/Los_Angeles'], text => {
  try {
    if (!/^[A-Za-z]/.test(text)) throw new RangeError()
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone === 'UTC' ? 'UTC' : text
  } catch {
    throw new Unusable('must be an IANA time zone such as America/Los_Angeles or UTC')
  }
})

const keyExamples = [1, 2].map(byte => Buffer.alloc(32, byte).toString('base64'))

/** Comma-separated; the current one first. */
export const keysOf32Bytes = parser([keyExamples[0]!, keyExamples.join(',')], text => {
  const keys = text.split(',').map(part => Buffer.from(part.trim(), 'base64'))
  if (keys.some(key => key.length !== 32)) {
    throw new Unusable(
      'must be one or more keys of 32 random bytes in Base64, separated by commas, the current key first (openssl rand -base64 32)',
    )
  }
  if (new Set(keys.map(key => key.toString('hex'))).size !== keys.length)
    throw new Unusable('must not contain the same key twice')
  return keys
})

export const subnets = parser(['10.0.0.0/8', '192.0.2.1, 2001:db8::/32'], text => {
  const parts = text.split(',').map(part => part.trim())
  const parsed = parts.filter(part => part !== '').map(parseSubnet)
  const errors = parsed.flatMap(subnet => ('error' in subnet ? [subnet.error] : []))
  if (errors.length > 0) throw new Unusable(`must be a comma-separated list of subnets: ${errors.join('; ')}`)
  return parsed as Subnet[]
})
