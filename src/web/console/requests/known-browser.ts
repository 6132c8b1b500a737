// The cookie that identifies a browser in which a person has signed in with their password before (OWASP calls it a device cookie). It
// gives no access: its browser only has a separate count of wrong passwords for that account (core/people/sign-in-tries).

import { randomBytes } from 'node:crypto'
import type { OpenRequest } from './console-request.ts'
import { openCookie, sealCookie } from './sealed-cookie.ts'

const seconds = 180 * 86_400
const binding = Buffer.from('a browser that an account was signed in with')
const nameOf = (https: boolean): string => `${https ? '__Host-' : ''}tributary-known`

/** The header that sets the cookie for the account with this folded email address. */
export const rememberBrowser = ({ https }: OpenRequest, account: string, pepper: string): string =>
  sealCookie(nameOf(https), `${randomBytes(16).toString('base64url')} ${account}`, {
    path: '/',
    https,
    seconds,
    pepper,
    binding,
  })

/** Identifies this browser, if this account has signed in with it; undefined for any other. */
export function knownBrowser({ request, https }: OpenRequest, account: string, pepper: string): string | undefined {
  const [browser, known] = openCookie(request, nameOf(https), { pepper, binding })?.split(' ') ?? []
  return known === account ? browser : undefined
}
