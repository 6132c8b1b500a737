// The connection of a request, which Bun closes after it has been idle for a while.

/** The connection of a request, as `Bun.serve` exposes it. */
export interface Server {
  requestIP(request: Request): { address: string } | null
  timeout(request: Request, seconds: number): void
}

/** Bun checks for idle connections every four seconds and could close one that much too early. Its maximum timeout is 255. */
const [bunCoarseness, bunSecondsMax] = [4, 255]

/** Idle timeout for Bun, in seconds. */
export const idleSecondsOf = (idleTimeoutMs: number): number =>
  Math.min(bunSecondsMax, Math.ceil(idleTimeoutMs / 1000) + bunCoarseness)

export class ClientConnection {
  /** Address of the socket's peer, regardless of proxy headers. */
  readonly address: string

  /** `request` must be the object that Bun passed, not a copy. */
  constructor(
    private readonly server: Server,
    private readonly request: Request,
    private readonly idleSeconds: number,
  ) {
    this.address = server.requestIP(request)?.address ?? ''
  }

  /** Call when the response has ended. The connection is then idle until its next request. */
  ended(): void {
    this.server.timeout(this.request, this.idleSeconds)
  }
}
