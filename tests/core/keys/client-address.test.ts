import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { originOf, type Trust } from '../../../src/core/keys/client-address.ts'
import { parseSubnet, type Subnet } from '../../../src/domain/values/ip-address.ts'

const proxies = (...texts: string[]): Subnet[] => texts.map(text => parseSubnet(text) as Subnet)
const production: Trust = { environment: 'production', trustedProxies: proxies('10.0.0.0/8', '2001:db8:ffff::/48') }
const development: Trust = { environment: 'development', trustedProxies: [] }

function origin(peer: string, fields: Record<string, string> = {}, trust = production, tls = false) {
  const { address, secure } = originOf({ peer, tls, fields: new Headers(fields) }, trust)
  return { address: address?.toString(), secure }
}
const addressOf = (...args: Parameters<typeof origin>) => origin(...args).address
const isSecure = (...args: Parameters<typeof origin>) => origin(...args).secure
const forwardedFor = (value: string) => ({ 'X-Forwarded-For': value })

describe('client address (contract section 3)', () => {
  test('"the socket\'s peer, unless that is in TRUSTED_PROXIES": an untrusted peer\'s header is not believed', () => {
    expect(addressOf('203.0.113.9', forwardedFor('192.0.2.1'))).toBe('203.0.113.9')
    expect(addressOf('2001:db8::9', forwardedFor('192.0.2.1'))).toBe('2001:db8::9')
  })

  test('"then X-Forwarded-For is walked from the right to the first hop that is not trusted"', () => {
    expect(addressOf('10.0.0.1', forwardedFor('192.0.2.1'))).toBe('192.0.2.1')
    expect(addressOf('10.0.0.1', forwardedFor('192.0.2.1, 10.2.2.2,10.3.3.3'))).toBe('192.0.2.1')
    expect(addressOf('2001:db8:ffff::1', forwardedFor('198.51.100.7, 2001:db8::5, 2001:db8:ffff::2'))).toBe(
      '2001:db8::5',
    )
  })

  test('what the client itself wrote to the left of that hop is never reached', () => {
    const forged = fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('', 'unknown', '10.0.0.9', '127.0.0.1')))
    fc.assert(
      fc.property(forged, hops => {
        expect(addressOf('10.0.0.1', forwardedFor([...hops, '192.0.2.77', '10.0.0.2'].join(', ')))).toBe('192.0.2.77')
      }),
    )
  })

  test('it is the farthest hop if all are trusted, and the proxy itself without the header', () => {
    expect(addressOf('10.0.0.1', forwardedFor('10.9.9.9, 10.2.2.2'))).toBe('10.9.9.9')
    expect(addressOf('10.0.0.1')).toBe('10.0.0.1')
  })

  test('"IPv4-mapped addresses normalized", of peers and of hops', () => {
    expect(addressOf('::ffff:203.0.113.9')).toBe('203.0.113.9')
    expect(addressOf('::ffff:10.0.0.1', forwardedFor('::ffff:192.0.2.1'))).toBe('192.0.2.1')
    expect(addressOf('::ffff:a00:1', forwardedFor('192.0.2.1, ::ffff:a02:202'))).toBe('192.0.2.1')
  })

  test.each([
    'unknown',
    '_hidden',
    '192.0.2.1:4711',
    '[2001:db8::1]',
    '192.0.2.010',
    '0x7f.1',
    '3221225985',
    'fe80::1%eth0',
    '',
    '192.0.2.1,',
    '::10.0.0.1',
    '::a00:1',
    '::2',
  ])('"unparseable means refused": %p', value => {
    expect(addressOf('10.0.0.1', forwardedFor(value))).toBeUndefined()
  })

  test('a peer without a valid address is refused', () => {
    expect(addressOf('')).toBeUndefined()
    expect(addressOf('/run/socket', forwardedFor('192.0.2.1'))).toBeUndefined()
  })

  test('several header lines are one list', () => {
    const fields = new Headers()
    fields.append('X-Forwarded-For', '198.51.100.1')
    fields.append('X-Forwarded-For', '192.0.2.1, 10.2.2.2')
    expect(originOf({ peer: '10.0.0.1', tls: false, fields }, production).address?.toString()).toBe('192.0.2.1')
  })
})

describe('"Every request must use HTTPS." (spec, "Authentication" 1)', () => {
  const proto = (value: string) => ({ 'X-Forwarded-For': '192.0.2.1', 'X-Forwarded-Proto': value })

  test('TLS ended here is HTTPS, for any peer', () => {
    expect(isSecure('203.0.113.9', {}, production, true)).toBe(true)
    expect(isSecure('10.0.0.1', forwardedFor('192.0.2.1'), production, true)).toBe(true)
  })

  test('plain HTTP is refused "unless the peer is a trusted proxy that says X-Forwarded-Proto: https"', () => {
    expect(isSecure('203.0.113.9')).toBe(false)
    expect(isSecure('10.0.0.1', forwardedFor('192.0.2.1'))).toBe(false)
    expect(isSecure('10.0.0.1', proto('https'))).toBe(true)
    expect(isSecure('10.0.0.1', proto('http'))).toBe(false)
  })

  test('the header of an untrusted peer is ignored', () => {
    expect(isSecure('203.0.113.9', proto('https'))).toBe(false)
  })

  test("of several values, the nearest proxy's counts, so a client cannot prepend its own", () => {
    expect(isSecure('10.0.0.1', proto('https, http'))).toBe(false)
    expect(isSecure('10.0.0.1', proto('http, https'))).toBe(true)
  })

  test.each(['HTTPS', 'https:', 'wss', 'on', ''])('the value must be exactly https, not %p', value => {
    expect(isSecure('10.0.0.1', proto(value))).toBe(false)
  })

  test('a trusted proxy that uses TLS but received plain HTTP counts as plain HTTP', () => {
    expect(isSecure('10.0.0.1', proto('http'), production, true)).toBe(false)
  })

  test('"HSTS on": whether the client itself speaks HTTPS is distinguished from what counts as safe in development', () => {
    const isHttps = (peer: string, fields: Record<string, string>, trust: Trust, tls = false) =>
      originOf({ peer, tls, fields: new Headers(fields) }, trust).https
    expect(isHttps('203.0.113.9', {}, production, true)).toBe(true)
    expect(isHttps('10.0.0.1', proto('https'), production)).toBe(true)
    expect(isHttps('10.0.0.1', proto('http'), production, true)).toBe(false)
    expect(isHttps('203.0.113.9', proto('https'), production)).toBe(false)
    expect(isHttps('127.0.0.1', {}, development)).toBe(false)
    expect(isHttps('', {}, production, true)).toBe(true)
    expect(isHttps('', proto('https'), production)).toBe(false)
  })

  test('loopback is not enough in production', () => {
    for (const peer of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(isSecure(peer)).toBe(false)
  })

  test('"or the service runs on loopback for development"', () => {
    for (const peer of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(isSecure(peer, {}, development)).toBe(true)
    expect(isSecure('192.0.2.1', {}, development)).toBe(false)
  })

  test.each(['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Real-IP', 'Via'])(
    'in development, %s from an untrusted loopback peer is a tunnel from elsewhere',
    name => {
      expect(isSecure('127.0.0.1', { [name]: 'https' }, development)).toBe(false)
    },
  )

  test('in development, a trusted proxy on loopback is loopback only for clients that are', () => {
    const trust: Trust = { environment: 'development', trustedProxies: proxies('127.0.0.0/8') }
    expect(isSecure('127.0.0.1', forwardedFor('127.0.0.1'), trust)).toBe(true)
    expect(isSecure('127.0.0.1', forwardedFor('192.0.2.1'), trust)).toBe(false)
    expect(isSecure('127.0.0.1', forwardedFor('unknown'), trust)).toBe(false)
    expect(isSecure('127.0.0.1', proto('https'), trust)).toBe(true)
  })
})
