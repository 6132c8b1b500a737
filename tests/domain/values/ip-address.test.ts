import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  addressText,
  contains,
  isLoopback,
  parseAddress,
  parseSubnet,
  type Subnet,
} from '../../../src/domain/values/ip-address.ts'

const text = (address: string): string | undefined => {
  const parsed = parseAddress(address)
  return parsed && addressText(parsed)
}

describe('an address', () => {
  test('an address is parsed in any notation and written in canonical form', () => {
    expect(text('192.0.2.1')).toBe('192.0.2.1')
    expect(text('2001:DB8:0:0::1')).toBe('2001:db8::1')
    expect(text('::ffff:192.0.2.1')).toBe('192.0.2.1')
    expect(text('0000:0000:0000:0000:0000:ffff:255.255.255.255')).toBe('255.255.255.255')
    expect(text('::')).toBe('::')
    expect(text('::1')).toBe('::1')
  })

  test.each([
    ['more characters than any address has', `2001:db8::${'0'.repeat(40)}1`],
    ['an IPv4-compatible one', '::192.0.2.1'],
    ['the same in hexadecimal', '::c000:201'],
    ['the same in full', '0:0:0:0:0:0:192.0.2.1'],
    ['the same, small', '::2'],
    ['a zone', 'fe80::1%eth0'],
    ['octal', '192.0.02.1'],
    ['octal after an IPv6 prefix', '::ffff:010.0.0.1'],
    ['zeros without end', `::ffff:${'0'.repeat(40)}1.2.3.4`],
    ['hexadecimal', '0xc0.0.2.1'],
    ['shortened', '192.0.513'],
    ['a number', '3221225985'],
    ['a port', '192.0.2.1:80'],
    ['nothing', ''],
  ])('is not %s: %p', (_, spelling) => {
    expect(parseAddress(spelling)).toBeUndefined()
  })

  test('is unchanged by parsing and formatting, for any IPv4 and IPv6 address', () => {
    fc.assert(fc.property(fc.ipV4(), address => text(address) === address))
    fc.assert(
      fc.property(fc.ipV6(), address => {
        const spelled = text(address)
        return spelled === undefined || text(spelled) === spelled
      }),
    )
  })
})

describe('a subnet', () => {
  const spelled = (spelling: string): string => {
    const subnet = parseSubnet(spelling)
    return 'error' in subnet ? subnet.error : subnet.text
  }

  test('has at most as many bits as its family, and all of them without a slash', () => {
    expect(spelled('192.0.2.0/24')).toBe('192.0.2.0/24')
    expect(spelled('192.0.2.1')).toBe('192.0.2.1/32')
    expect(spelled('0.0.0.0/0')).toBe('0.0.0.0/0')
    expect(spelled('2001:db8::/32')).toBe('2001:db8::/32')
    expect(spelled('2001:db8::1')).toBe('2001:db8::1/128')
    expect(spelled('::/0')).toBe('::/0')
    expect(spelled('::ffff:10.0.0.0/104')).toBe('10.0.0.0/8')
    expect(spelled('::ffff:10.0.0.1')).toBe('10.0.0.1/32')
  })

  test.each([
    ['10.0.0.0/33', '0 to 32 bits'],
    ['10.0.0.0/999', '0 to 32 bits'],
    ['2001:db8::/129', '0 to 128 bits'],
    // An IPv4 subnet, whose own bits begin after 96.
    ['::ffff:0.0.0.0/95', '0 to 32 bits'],
    ['::ffff:10.0.0.0/8', '0 to 32 bits'],
    ['10.0.0.0/', 'bits'],
    ['10.0.0.0/x', 'bits'],
    ['10.0.0.0/-8', 'bits'],
    ['10.0.0.0/8.5', 'bits'],
    ['10.0.0.0/1000', 'bits'],
    ['10.0.0.0/8/8', 'IPv4 or IPv6'],
    ['::10.0.0.0/104', 'IPv4 or IPv6'],
    ['somewhere', 'IPv4 or IPv6'],
    ['10.0.0.1/8', ' 10.0.0.0/8'],
    ['2001:db8::1/32', ' 2001:db8::/32'],
  ])('%s is refused: %s', (spelling, error) => {
    expect(spelled(spelling)).toContain(error)
    expect(spelled(spelling)).toContain(`"${spelling}"`)
  })

  test('contains exactly the addresses with its prefix, and none of the other family', () => {
    const within = (subnet: string, address: string): boolean =>
      contains(parseSubnet(subnet) as Subnet, parseAddress(address)!)
    expect(within('192.0.2.0/24', '192.0.2.255')).toBe(true)
    expect(within('192.0.2.0/24', '192.0.3.0')).toBe(false)
    expect(within('::/0', '192.0.2.1')).toBe(false)
    expect(within('0.0.0.0/0', '2001:db8::1')).toBe(false)
  })
})

test('loopback is exactly 127.0.0.0/8 and ::1', () => {
  for (const address of ['127.0.0.1', '127.255.255.255', '::1', '::ffff:127.0.0.1'])
    expect([address, isLoopback(parseAddress(address)!)]).toEqual([address, true])
  for (const address of ['126.255.255.255', '128.0.0.0', '::', '2001:db8::1', 'fe80::1', '::ffff:128.0.0.1'])
    expect([address, isLoopback(parseAddress(address)!)]).toEqual([address, false])
})
