// Which connections stay open. One without a request under way ends after a while. An address may have only so many on which no key was
// accepted; when descriptors run short, the oldest of these end first, so that some are left for the health port. A request that was
// let in is never cut off here.

import { contains, parseAddress, type Subnet } from '../domain/values/ip-address.ts'
import type { Log } from '../log.ts'
import type { OpenSocket, OpenSockets } from './open-sockets.ts'

interface ConnectionLimits {
  /** How long a connection may stay without a request under way. */
  idleTimeoutMs: number
  /** Connections of one address that have not authenticated; 0 for no limit. */
  connectionsPerAddress: number
  /** Those of proxies stand for many clients, and are not counted. */
  trustedProxies: readonly Subnet[]
}

/** What `Bun.serve` says about the connection of a request, and can be told about it. */
export interface Peer {
  requestIP(request: Request): { address: string; port: number } | null
  timeout(request: Request, seconds: number): void
}

/** Descriptors that are kept free for the health port, the database and files. */
const descriptorsKept = 64
/** Bun looks for idle connections every four seconds, and without these would end one up to that much too early. 255 is its maximum. */
const [bunCoarseness, bunSecondsMax] = [4, 255]

export class Connections {
  readonly idleSeconds: number
  /** Connections on which somebody has authenticated, and whether a request of theirs is under way. */
  readonly #known = new Map<string, 'busy' | 'idle'>()
  /** When each connection was first seen here, counted in looks. */
  #firstSeen = new Map<string, number>()
  #looks = 0
  #toldMs = Number.NEGATIVE_INFINITY

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly log: Log,
  ) {
    this.idleSeconds = Math.min(bunSecondsMax, Math.ceil(limits.idleTimeoutMs / 1000) + bunCoarseness)
  }

  authenticated(connection: string): void {
    this.#known.set(connection, 'busy')
  }

  idle(connection: string): void {
    if (this.#known.has(connection)) this.#known.set(connection, 'idle')
  }

  /** Looks at all connections of a port once, and ends those that are too many. Returns how many. */
  look(sockets: OpenSockets, port: number): number {
    const { connectionsPerAddress: most } = this.limits
    const descriptors = sockets.descriptors()
    const short = descriptors - (sockets.descriptorsMax - descriptorsKept)
    if (short <= 0 && (most === 0 || descriptors <= most)) return 0
    const all = this.#byAge(sockets.acceptedOn(port))
    const strangers = all.filter(socket => !this.#known.has(connectionOf(socket)) && !this.#isProxy(socket.address))
    const ended = most === 0 ? new Set<OpenSocket>() : tooManyOfOneAddress(strangers, most)
    const idle = all.filter(socket => this.#known.get(connectionOf(socket)) === 'idle')
    for (const socket of [...strangers, ...idle]) {
      if (ended.size >= short) break
      ended.add(socket)
    }
    for (const socket of ended) sockets.end(socket)
    if (ended.size > 0) this.#tell(ended.size, all.length)
    return ended.size
  }

  /** Oldest first. Forgets connections that are no more. */
  #byAge(open: readonly OpenSocket[]): OpenSocket[] {
    this.#looks++
    const seen = new Map(
      open.map(socket => [connectionOf(socket), this.#firstSeen.get(connectionOf(socket)) ?? this.#looks]),
    )
    this.#firstSeen = seen
    for (const connection of this.#known.keys()) if (!seen.has(connection)) this.#known.delete(connection)
    const ageOf = (socket: OpenSocket): number => seen.get(connectionOf(socket))!
    return open.toSorted((a, b) => ageOf(a) - ageOf(b))
  }

  #isProxy(text: string): boolean {
    const address = parseAddress(text)
    return address !== undefined && this.limits.trustedProxies.some(subnet => contains(subnet, address))
  }

  /** Once in half a minute for as long as it lasts. */
  #tell(ended: number, open: number): void {
    if (performance.now() - this.#toldMs < 30_000) return
    this.#toldMs = performance.now()
    this.log.warn({ ended, open }, 'too many connections without a key: the oldest were ended')
  }
}

/** What a request notes about the connection it came on. */
export class RequestConnection {
  readonly address: string
  readonly #name: string

  constructor(
    private readonly connections: Connections,
    private readonly peer: Peer,
    private readonly request: Request,
  ) {
    const other = peer.requestIP(request)
    this.address = other?.address ?? ''
    this.#name = other === null ? '' : connectionOf(other)
  }

  authenticated(): void {
    this.connections.authenticated(this.#name)
  }

  /** Its answer is complete, or cannot be: from now on the connection is idle. The next request that comes on it ends that. */
  ended(): void {
    this.connections.idle(this.#name)
    this.peer.timeout(this.request, this.connections.idleSeconds)
  }
}

const connectionOf = ({ address, port }: { address: string; port: number }): string => `${address} ${port}`

function tooManyOfOneAddress(strangers: readonly OpenSocket[], most: number): Set<OpenSocket> {
  const ended = new Set<OpenSocket>()
  for (const sockets of Map.groupBy(strangers, socket => networkOf(socket.address)).values())
    for (const socket of sockets.slice(0, Math.max(0, sockets.length - most))) ended.add(socket)
  return ended
}

/** What one client can be expected to have: an IPv4 address, or the /64 network of an IPv6 address. */
function networkOf(text: string): string {
  const address = parseAddress(text)
  return address?.kind() === 'ipv6' ? address.toByteArray().slice(0, 8).join('.') : (address?.toString() ?? text)
}
