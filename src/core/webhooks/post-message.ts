// Sends a message to an address entered by an administrator: over https, to the public internet or an allowed network, without following
// redirects. It resolves the name once and connects to the address it has checked. It ignores the environment's proxy, which would resolve
// the name again. It reads only the status and Retry-After of the response.

import { lookup } from 'node:dns/promises'
import { request } from 'node:https'
import { contains, isPublic, parseAddress, type Subnet } from '../../domain/values/ip-address.ts'

/** Which addresses may be contacted, and how. */
export interface Outside {
  /** Networks that are allowed although they are not public. */
  allowedNetworks: readonly Subnet[]
  /** Timeout for the whole request. */
  timeoutMs?: number
  /** Resolves a name to addresses; the system's resolver by default. */
  resolve?: (name: string) => Promise<readonly string[]>
  /** Trusted certificates (PEM), instead of the system's and NODE_EXTRA_CA_CERTS. */
  ca?: string
}

type Unsent = 'timed_out' | 'unreachable' | 'unresolved' | 'internal_address'
/** The status of the response and whether it is an acknowledgement, or why there was none. */
export type Posted =
  | { outcome: 'delivered' | 'refused'; status: number; retryAfter?: string | undefined }
  | { outcome: Unsent; status: null }

/** Whether a receiver rejects all further messages (Standard Webhooks). */
export const saysGone = (status: number | null): boolean => status === 410

const unsent = (outcome: Unsent): Posted => ({ outcome, status: null })
const answered = (status: number, retryAfter: string | undefined): Posted => ({
  outcome: status >= 200 && status < 300 ? 'delivered' : 'refused',
  status,
  retryAfter,
})

const timeoutMs = 10_000

const resolveBySystem = async (name: string): Promise<readonly string[]> =>
  (await lookup(name, { all: true })).map(({ address }) => address)

/** Never rejects. */
export async function postMessage(
  url: URL,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
  outside: Outside,
): Promise<Posted> {
  const signal = AbortSignal.timeout(outside.timeoutMs ?? timeoutMs)
  const late = new Promise<Posted>(resolve =>
    signal.addEventListener('abort', () => resolve(unsent('timed_out')), { once: true }),
  )
  return Promise.race([late, send()])

  async function send(): Promise<Posted> {
    const found = await findAddresses(url, outside)
    if ('unsent' in found) return unsent(found.unsent)
    return connect(url, { headers, body }, { signal, ca: outside.ca, addresses: found.addresses })
  }
}

/** The addresses of a URL's host, if all of them are allowed. A host without an address is not allowed. */
export async function findAddresses(
  { hostname }: URL,
  { allowedNetworks, resolve = resolveBySystem }: Pick<Outside, 'allowedNetworks' | 'resolve'>,
): Promise<{ addresses: readonly string[] } | { unsent: 'unresolved' | 'internal_address' }> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const isAddress = parseAddress(host) !== undefined || host.includes(':')
  const addresses = isAddress ? [host] : await resolve(host).catch(() => [])
  if (addresses.length === 0) return { unsent: 'unresolved' }
  const mayBeReached = (text: string): boolean => {
    const address = parseAddress(text)
    return address !== undefined && (isPublic(address) || allowedNetworks.some(network => contains(network, address)))
  }
  return addresses.every(mayBeReached) ? { addresses } : { unsent: 'internal_address' }
}

function connect(
  url: URL,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
  { signal, ca, addresses }: { signal: AbortSignal; ca: string | undefined; addresses: readonly string[] },
): Promise<Posted> {
  const found = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
  const first = found[0]!
  return new Promise(resolve => {
    const sent = request(
      url,
      {
        method: 'POST',
        agent: false,
        signal,
        headers: {
          ...headers,
          // Receivers' firewalls reject requests without a User-Agent.
          'user-agent': 'Tributary',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
        ...(ca === undefined ? {} : { ca }),
        lookup: (_, { all }, done) => (all ? done(null, found) : done(null, first.address, first.family)),
      },
      answer => {
        resolve(answered(answer.statusCode!, answer.headers['retry-after']))
        sent.destroy()
      },
    )
    // After the response, the request is aborted above, which is no longer a failure.
    sent.on('error', () => resolve(unsent('unreachable')))
    sent.end(body)
  })
}
