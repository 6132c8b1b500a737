// The connection that a request came on. It ends when no request has been under way on it for a while: Bun closes it then.

/** The connection of a request, as `Bun.serve` exposes it. */
export interface Server {
  requestIP(request: Request): { address: string } | null
  timeout(request: Request, seconds: number): void
}

/** Bun looks for idle connections every four seconds, and without these would end one up to that much too early. 255 is its maximum. */
const [bunCoarseness, bunSecondsMax] = [4, 255]

/** Idle timeout that is set on the connection. */
export const idleSecondsOf = (idleTimeoutMs: number): number =>
  Math.min(bunSecondsMax, Math.ceil(idleTimeoutMs / 1000) + bunCoarseness)

export class ClientConnection {
  /** The socket's other end, before any proxy header is believed. */
  readonly address: string

  /** `request` is the one that Bun handed over, not a copy of it. */
  constructor(
    private readonly server: Server,
    private readonly request: Request,
    private readonly idleSeconds: number,
  ) {
    this.address = server.requestIP(request)?.address ?? ''
  }

  /** The answer is complete, or cannot be: from now on the connection is idle. The next request that comes on it ends that. */
  ended(): void {
    this.server.timeout(this.request, this.idleSeconds)
  }
}
