// A real OpenID provider on loopback, with people of its own and a page where they say who they are.

import { createServer, type Server } from 'node:http'
import Provider from 'oidc-provider'
import { freePort } from '../../scripts/processes/free-port.ts'
import { oidcClient } from './config.ts'
import { endWithFile } from './fixtures.ts'

/** The provider's claims about a person. */
export interface Account {
  email?: string
  email_verified?: boolean
}

export interface OidcIssuer {
  issuer: string
  /** By subject; tests add people and change them. */
  accounts: Map<string, Account>
  /** The client's credentials that the provider currently accepts. */
  secrets: Set<string>
  /** Requests so far, as `GET /path`. */
  requests: string[]
  /** Closes the provider's port. */
  close(): Promise<void>
}

interface Options {
  port?: number
  /** Allowed redirect addresses. */
  redirectUris: readonly string[]
  /** Whether the email address is in the ID token, or only at the userinfo endpoint. */
  emailInIdToken?: boolean
}

export async function useOidcIssuer(options: Options): Promise<OidcIssuer> {
  const port = options.port ?? (await freePort())
  const issuer = `http://127.0.0.1:${port}`
  const accounts = new Map<string, Account>()
  const secrets = new Set([oidcClient.oidcClientSecret])
  const requests: string[] = []
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: oidcClient.oidcClientId,
        client_secret: oidcClient.oidcClientSecret,
        redirect_uris: options.redirectUris,
      },
    ],
    conformIdTokenClaims: options.emailInIdToken !== true,
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    cookies: { keys: ['of tests'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/who/${uid}` },
    findAccount: (_: unknown, sub: string) =>
      accounts.has(sub) ? { accountId: sub, claims: () => ({ sub, ...accounts.get(sub) }) } : undefined,
    // The provider doesn't ask for consent to share the email address.
    loadExistingGrant: async (context: { oidc: { client: { clientId: string }; session: { accountId: string } } }) => {
      const { client, session } = context.oidc
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope('openid email')
      await grant.save()
      return grant
    },
  })
  // Providers that allow rotating a secret accept two for a while; this one would only accept the one above.
  provider.Client.prototype.compareClientSecret = (sent: string): boolean => secrets.has(sent)
  const answer = provider.callback()
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (!request.url?.startsWith('/who/')) return answer(request, response)
    if (request.method === 'GET') {
      response.setHeader('Content-Type', 'text/html; charset=utf-8')
      response.end(
        '<!doctype html><html lang="en"><title>Provider</title><link rel="icon" href="data:,"><form method="post"><label>Subject <input name="subject"></label><button>It is me</button></form></html>',
      )
      return
    }
    let body = ''
    request.on('data', chunk => {
      body += chunk
    })
    request.on('end', () => {
      const accountId = new URLSearchParams(body).get('subject')
      const result = accountId === '' ? { error: 'access_denied' } : { login: { accountId } }
      provider.interactionFinished(request, response, result).catch(error => response.destroy(error))
    })
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
  endWithFile(close)
  return { issuer, accounts, secrets, requests, close }
}

/** A browser's cookies at the provider; signs in there and follows the redirect back. */
export class ProviderVisitor {
  readonly #cookies = new Map<string, string>()

  constructor(private readonly issuer: string) {}

  /** Follows the console's redirect, signs in if asked to, and returns the address at which it leaves the provider. */
  async signIn(location: string, subject: string): Promise<URL> {
    let response = await this.#fetch(location)
    for (let steps = 0; steps < 10; steps++) {
      const next = response.headers.get('location')
      const url = next === null ? undefined : new URL(next, this.issuer)
      if (url !== undefined && url.origin !== this.issuer) return url
      if (url === undefined) throw new Error(`the provider answered ${response.status}: ${await response.text()}`)
      response = await this.#fetch(url.href)
      if (response.status === 200)
        response = await this.#fetch(url.href, { method: 'POST', body: new URLSearchParams({ subject }) })
    }
    throw new Error('the provider sends people in circles')
  }

  async #fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { Accept: 'text/html', Cookie: cookie } })
    for (const field of response.headers.getSetCookie()) {
      const [pair = ''] = field.split(';')
      const at = pair.indexOf('=')
      // Removed cookies come back with an empty value.
      if (pair.slice(at + 1) === '') this.#cookies.delete(pair.slice(0, at))
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return response
  }
}
