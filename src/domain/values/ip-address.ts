// Parses and compares IPv4 and IPv6 addresses and subnets, as numbers rather than text.

import ipaddr from 'ipaddr.js'

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6

/** A subnet in canonical form. `text` has the format of PostgreSQL's `cidr`. */
export interface Subnet {
  text: string
  network: IpAddress
  prefixBits: number
}

/** No valid address is longer; longer texts are not parsed. */
const textLengthMax = 45

/**
 * Parses an address, converting IPv4-mapped IPv6 (`::ffff:10.0.0.1`) to IPv4; undefined if invalid. Strict: no octal, hexadecimal or shortened IPv4,
 * no zone IDs, no ports.
 */
export function parseAddress(text: string): IpAddress | undefined {
  if (text.length > textLengthMax) return undefined
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValid(text)) return undefined
  // The library reads this deprecated form as the IPv4-mapped one, and numbers with leading zeros as decimal.
  if (/^::\d+\./.test(text)) return undefined
  if (text.includes('.') && !ipaddr.IPv4.isValidFourPartDecimal(text.slice(text.lastIndexOf(':') + 1))) return undefined
  const address = ipaddr.IPv6.parse(text)
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  return isIPv4Compatible(address) ? undefined : address
}

/**
 * An IPv4 address after 96 zero bits (`::10.0.0.1`), a form that RFC 4291 deprecates: no client has such an address, and a subnet
 * of IPv4 would not contain it. `::` and `::1` are not of this form.
 */
function isIPv4Compatible({ parts }: ipaddr.IPv6): boolean {
  return parts.slice(0, 6).every(part => part === 0) && (parts[6] !== 0 || parts[7]! > 1)
}

/** An address in canonical form. */
export const addressText = (address: IpAddress): string => address.toString()

/** A subnet in CIDR notation, or a single address; otherwise the reason why it is invalid. */
export function parseSubnet(text: string): Subnet | { error: string } {
  const [addressText = '', prefixText, ...rest] = text.split('/')
  const address = parseAddress(addressText)
  if (address === undefined || rest.length > 0)
    return { error: `"${text}" is not an IPv4 or IPv6 subnet such as 192.0.2.0/24 or 2001:db8::/32` }
  const mapped = addressText.includes(':') && address.kind() === 'ipv4'
  const bits = address.kind() === 'ipv4' ? 32 : 128
  if (prefixText !== undefined && !/^\d{1,3}$/.test(prefixText))
    return { error: `"${text}" needs a whole number of bits after the slash` }
  const prefixBits = prefixText === undefined ? bits : Number(prefixText) - (mapped ? 96 : 0)
  if (prefixBits < 0 || prefixBits > bits)
    return { error: `"${text}" has a prefix length out of range: 0 to ${bits} bits` }
  const network =
    address.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(`${address}/${prefixBits}`)
      : ipaddr.IPv6.networkAddressFromCIDR(`${address}/${prefixBits}`)
  if (network.toString() !== address.toString()) {
    return { error: `"${text}" has address bits beyond its prefix; the subnet is ${network}/${prefixBits}` }
  }
  return { text: `${network}/${prefixBits}`, network, prefixBits }
}

/** Whether an address lies in a subnet. Addresses of the other family never do. */
export function contains(subnet: Subnet, address: IpAddress): boolean {
  if (subnet.network.kind() === 'ipv4')
    return address.kind() === 'ipv4' && (address as ipaddr.IPv4).match(subnet.network as ipaddr.IPv4, subnet.prefixBits)
  return address.kind() === 'ipv6' && (address as ipaddr.IPv6).match(subnet.network as ipaddr.IPv6, subnet.prefixBits)
}

/** Whether an address is of this machine itself (127.0.0.0/8, ::1). */
export function isLoopback(address: IpAddress): boolean {
  return loopback.some(subnet => contains(subnet, address))
}

const loopback = ['127.0.0.0/8', '::1/128'].map(text => parseSubnet(text) as Subnet)

/**
 * Whether an address is on the public internet: not loopback, private, carrier-grade NAT or multicast, and not IPv4 within IPv6 (6to4, NAT64,
 * Teredo), which may be any of these. Source: IANA's special-purpose address registries, in ipaddr.js.
 */
export const isPublic = (address: IpAddress): boolean =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || contains(globalUnicast, address))

/** All addresses assigned to the internet so far (RFC 4291). */
const globalUnicast = parseSubnet('2000::/3') as Subnet
