// Signs people in through the OpenID provider: authorization code with PKCE, state and nonce (OpenID Connect Core 1.0, RFC 7636, RFC 9700).
// It returns the identity that the provider confirms; `identities` finds the person it belongs to.

import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type IDToken,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import type { Micros } from '../../domain/values/offset-time.ts'
import type { Identity } from './identities.ts'

/** Timeout for each response of the provider. Those of one sign-in (metadata, token, keys) together stay below RESPONSE_TIMEOUT's default. */
const answerSeconds = 4
/** How long the provider's metadata is cached. */
const keptMs = 3_600_000

interface ProviderSettings {
  issuer: string
  clientId: string
  clientSecret: string
}

/** The values that the provider must send back with a person who was redirected there. */
export interface ProviderAttempt {
  state: string
  nonce: string
  verifier: string
}

export interface Vouched extends Identity {
  /** When they last authenticated at the provider, if it reports that. */
  authenticatedAt: Micros | undefined
}

/** The provider did not respond, or responded incorrectly. Nothing is known about the person. */
export class ProviderAway extends Error {}
/** The provider's response cannot be trusted. The message is a short code. */
export class NotVouched extends Error {}

export class IdentityProvider {
  #found: { configuration: Configuration; at: number } | undefined
  #underWay: Promise<Configuration> | undefined

  constructor(private readonly settings: ProviderSettings) {}

  /** The address to redirect a person to. With `again`, they must authenticate even if the provider has a session. Throws ProviderAway. */
  async begin(redirectUri: string, again: boolean): Promise<{ url: string; attempt: ProviderAttempt }> {
    const configuration = await this.#configuration()
    const attempt = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid email',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
      ...(again ? { prompt: 'login', max_age: '0' } : {}),
    })
    return { url: url.href, attempt }
  }

  /**
   * The person vouched for by the provider, given the address with which they returned. With `withinSeconds`, they must have authenticated at the
   * provider within that time, and it must report so. Throws ProviderAway or NotVouched.
   */
  async finish(callback: URL, attempt: ProviderAttempt, withinSeconds?: number): Promise<Vouched> {
    const configuration = await this.#configuration()
    try {
      const tokens = await authorizationCodeGrant(configuration, callback, {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.verifier,
        idTokenExpected: true,
        ...(withinSeconds === undefined ? {} : { maxAge: withinSeconds }),
      })
      const claims = tokens.claims()!
      return {
        issuer: claims.iss,
        subject: claims.sub,
        email: verifiedEmail(await withEmail(configuration, claims, tokens.access_token)),
        authenticatedAt: claims.auth_time === undefined ? undefined : claims.auth_time * 1_000_000,
      }
    } catch (error) {
      throw judged(error)
    }
  }

  /** The provider's metadata, fetched once for all who wait for it; the last copy is used while the provider is down. */
  async #configuration(): Promise<Configuration> {
    if (this.#found !== undefined && performance.now() - this.#found.at < keptMs) return this.#found.configuration
    this.#underWay ??= this.#discover().finally(() => {
      this.#underWay = undefined
    })
    try {
      const configuration = await this.#underWay
      this.#found = { configuration, at: performance.now() }
      return configuration
    } catch (error) {
      if (this.#found !== undefined) return this.#found.configuration
      throw new ProviderAway('its metadata could not be read', { cause: error })
    }
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.settings
    const server = new URL(issuer)
    const configuration = await discovery(server, clientId, undefined, clientAuthentication(clientSecret), {
      timeout: answerSeconds,
      execute: [enableNonRepudiationChecks, ...(server.protocol === 'http:' ? [allowInsecureRequests] : [])],
    })
    // For some providers, the library accepts every organization they serve; here it must be one.
    if (new URL(configuration.serverMetadata().issuer).href !== server.href)
      throw new Error('the provider’s metadata names another issuer')
    return configuration
  }
}

/** The provider's method; HTTP Basic if it names none (OpenID Connect Core 1.0, section 9). */
function clientAuthentication(secret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}

type Claims = Readonly<Record<string, unknown>>

/** Some providers include the email address in the ID token, others only at the userinfo endpoint. */
async function withEmail(configuration: Configuration, claims: IDToken, accessToken: string): Promise<Claims> {
  if (claims.email !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined) return claims
  return fetchUserInfo(configuration, accessToken, claims.sub)
}

const verifiedEmail = ({ email, email_verified }: Claims): string | undefined =>
  email_verified === true && typeof email === 'string' ? email : undefined

/** Codes of responses that don't vouch for the person; any other code means that the provider has failed or is unreachable. */
const notVouched = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_PARSE_ERROR',
  'OAUTH_UNSUPPORTED_OPERATION',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
])

function judged(error: unknown): Error {
  if (error instanceof AuthorizationResponseError) return new NotVouched('refused_by_provider')
  if (error instanceof ResponseBodyError && error.error === 'invalid_grant') return new NotVouched('code_not_good')
  if (error instanceof ClientError && notVouched.has(error.code ?? ''))
    return new NotVouched(error.code!.slice('OAUTH_'.length).toLowerCase())
  return new ProviderAway('its response could not be used', { cause: error })
}
