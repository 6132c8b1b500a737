// Webhook secrets and signatures (Standard Webhooks 1.0.0, symmetric, `v1`).
// Secrets are not stored but derived from their name and a configured key, so access to the database is not enough to sign messages.

import { createHash, createHmac, randomBytes } from 'node:crypto'

/** Names a new secret, derived from the first of these keys: `<id of the key>.<random>`. */
export const newSecretName = ([key]: readonly [Buffer, ...Buffer[]]): string =>
  `${idOf(key)}.${randomBytes(16).toString('hex')}`

/** The bytes of a secret. Undefined if none of these keys is the one in its name. */
export function deriveSecret(keys: readonly Buffer[], name: string): Buffer | undefined {
  const key = keys.find(key => name.startsWith(`${idOf(key)}.`))
  return key && createHmac('sha256', key).update(`webhook secret ${name}`).digest()
}

/** In the form for receivers: `whsec_…`. */
export const secretText = (secret: Buffer): string => `whsec_${secret.toString('base64')}`

const idOf = (key: Buffer): string => createHash('sha256').update(key).digest('hex').slice(0, 16)

/** The headers of a message with this ID and body, sent at a time in seconds since 1970, with a signature by each secret. */
export function signedHeaders(secrets: readonly Buffer[], id: string, seconds: number, body: string) {
  const signatures = secrets.map(
    secret => `v1,${createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')}`,
  )
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') }
}
