// Determines the address of a client, and whether the request was encrypted all the way, from the socket or a trusted proxy.
// It must not trust headers from untrusted peers, and it does not decide about access.

import { contains, type IpAddress, isLoopback, parseAddress, type Subnet } from '../../domain/values/ip-address.ts'

/** The known facts of a connection. `fields` is satisfied by `Headers`; repeated headers are joined with commas. */
export interface Connection {
  /** Address of the socket's other end. */
  peer: string
  /** Whether this process terminated TLS. */
  tls: boolean
  fields: { get(name: string): string | null }
}

export interface Trust {
  trustedProxies: readonly Subnet[]
  environment: 'production' | 'development'
}

export interface ClientOrigin {
  /** The client's address; undefined if it cannot be determined, so that the request is rejected. */
  address: IpAddress | undefined
  /** Whether credentials came over HTTPS, or from this machine itself in development. */
  secure: boolean
  /** Whether the client speaks HTTPS, with this process or with a trusted proxy. */
  https: boolean
}

const forwardingFields = ['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-real-ip', 'via']

/** Source: spec, "Authentication" 1; contract section 3, HTTPS and client address. */
export function originOf(connection: Connection, trust: Trust): ClientOrigin {
  const peer = parseAddress(connection.peer)
  const { tls } = connection
  if (peer === undefined) return { address: undefined, secure: tls, https: tls }
  const fromHere = trust.environment === 'development' && isLoopback(peer)
  if (!isTrusted(peer, trust)) return { address: peer, secure: tls || (fromHere && isDirect(connection)), https: tls }
  const address = forwardedAddress(connection.fields.get('x-forwarded-for'), peer, trust)
  const scheme = connection.fields.get('x-forwarded-proto')
  const https = saysHttps(scheme) || (tls && scheme === null)
  return { address, secure: https || (fromHere && address !== undefined && isLoopback(address)), https }
}

/**
 * From the right, the first hop that is not a trusted proxy: each proxy appends the address it heard from, so everything to the left of that hop
 * could have been written by the client. If all hops are trusted: the farthest. Without the header, the proxy itself is the client.
 */
function forwardedAddress(field: string | null, peer: IpAddress, trust: Trust): IpAddress | undefined {
  if (field === null) return peer
  let hop: IpAddress | undefined
  for (const part of field.split(',').reverse()) {
    hop = parseAddress(part.trim())
    if (hop === undefined || !isTrusted(hop, trust)) return hop
  }
  return hop
}

/** The last value was written by the nearest proxy; earlier values came from outside. */
function saysHttps(field: string | null): boolean {
  return field?.split(',').at(-1)?.trim() === 'https'
}

/** Whether no proxy header shows that this was forwarded. */
function isDirect({ fields }: Connection): boolean {
  for (const name of forwardingFields) if (fields.get(name) !== null) return false
  return true
}

function isTrusted(address: IpAddress, trust: Trust): boolean {
  return trust.trustedProxies.some(subnet => contains(subnet, address))
}
