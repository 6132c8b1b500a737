// Carries a secret from one page to the next through the browser, in a form that only this service can read.

import { openText, sealText } from '../../../core/people/sealed-text.ts'

/** The attributes of a cookie. */
interface Setting {
  path: string
  https: boolean
  /** How long the browser keeps it; by default a minute, enough to get from one page to the next. */
  seconds?: number
  /** Lax for a cookie that browsers must also send when another site links back here. */
  sameSite?: 'Strict' | 'Lax'
}

const flagsOf = ({ path, https, seconds = 60, sameSite = 'Strict' }: Setting): string =>
  `Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${https ? '; Secure' : ''}`

/** The header that sets the cookie for one path. It only opens with the same `binding`. */
export function sealCookie(name: string, value: string, where: Setting & { pepper: string; binding: Buffer }): string {
  const sealed = sealText(value, where.pepper, where.binding)
  return `${name}=${sealed.toString('base64url')}; ${flagsOf(where)}`
}

/** The header that removes it. */
export const clearCookie = (name: string, where: Setting): string => `${name}=; ${flagsOf({ ...where, seconds: 0 })}`

/** The content of the cookie; undefined without one, or if it was not sealed here with this binding. */
export function openCookie(
  request: Request,
  name: string,
  where: { pepper: string; binding: Buffer },
): string | undefined {
  const pair = (request.headers.get('cookie') ?? '').split(';').find(part => part.trim().startsWith(`${name}=`))
  const bytes = Buffer.from(pair?.trim().slice(name.length + 1) ?? '', 'base64url')
  return openText(bytes, where.pepper, where.binding)
}
