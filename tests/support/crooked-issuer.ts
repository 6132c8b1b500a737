// An OpenID provider on loopback that says in its tokens whatever a test wants said, for what a real one refuses to do.

import { endWithFile } from './fixtures.ts'

type Claims = Record<string, unknown>

export interface CrookedIssuer {
  issuer: string
  /** Claims that the next ID token has in addition to, or instead of, the right ones. */
  says: Claims
  /** How the next ID token is signed: correctly, with a key that is not the provider's, with its name under `none`, or not at all. */
  signs: 'well' | 'by another key' | 'none' | 'not at all'
  /** Metadata in addition to, or instead of, the right one. */
  describes: Claims
  /** The status of the response to a code exchange. */
  status: number
}

const base64 = (text: string | ArrayBuffer): string => Buffer.from(text as string).toString('base64url')

export async function useCrookedIssuer(clientId: string): Promise<CrookedIssuer> {
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  }
  const [own, another] = await Promise.all(
    [1, 2].map(() => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])),
  )
  const publicKey = { ...(await crypto.subtle.exportKey('jwk', own!.publicKey)), kid: 'own', alg: 'RS256', use: 'sig' }

  const signed = async (claims: Claims): Promise<string> => {
    const alg = crooked.signs === 'none' ? 'none' : 'RS256'
    const text = `${base64(JSON.stringify({ alg, kid: 'own' }))}.${base64(JSON.stringify(claims))}`
    if (crooked.signs === 'none' || crooked.signs === 'not at all') return `${text}.`
    const { privateKey } = crooked.signs === 'well' ? own! : another!
    return `${text}.${base64(await crypto.subtle.sign(algorithm, privateKey, Buffer.from(text)))}`
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    routes: {
      '/.well-known/openid-configuration': () => {
        const { issuer } = crooked
        const usual = {
          issuer,
          authorization_endpoint: `${issuer}/in`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
        }
        const said = { response_types_supported: ['code'], id_token_signing_alg_values_supported: ['RS256', 'none'] }
        return Response.json({ ...usual, ...said, ...crooked.describes })
      },
      '/keys': () => Response.json({ keys: [publicKey] }),
      '/token': async () => {
        if (crooked.status !== 200) return new Response('', { status: crooked.status })
        const second = Math.floor(Date.now() / 1000)
        const usual = { iss: crooked.issuer, aud: clientId, iat: second, exp: second + 60 }
        const id_token = await signed({ ...usual, ...crooked.says })
        return Response.json({ access_token: 'x', token_type: 'Bearer', id_token })
      },
    },
  })
  endWithFile(() => server.stop(true))
  const crooked: CrookedIssuer = {
    issuer: `http://127.0.0.1:${server.port}`,
    says: {},
    signs: 'well',
    describes: {},
    status: 200,
  }
  return crooked
}
