// Sets up two-factor authentication. The form carries the sealed secret until a code shows that the app has it.

/** @jsxImportSource preact */

import { Problem } from '../../../base/problem.ts'
import { openText, sealText } from '../../../core/people/sealed-text.ts'
import { newSecret, setSecondFactor, uriOf } from '../../../core/people/second-factor.ts'
import { lacksSecondFactor } from '../../../core/people/sessions.ts'
import { accountRoles } from '../../html/navigation.ts'
import type { Deps } from '../../http/server/deps.ts'
import { errorsOf, type PageRoute } from '../requests/action.ts'
import { type PageRequest, showPage } from '../requests/console-request.ts'
import { RecoveryCodesPage, SecondFactorPage } from './second-factor-pages.tsx'
import { requirePasswords } from './sign-in-steps.ts'

export const secondFactorPath = '/admin/account/second-factor'
/** The pages that a session can open before it has set up a second factor. */
const openPaths: readonly string[] = [secondFactorPath, '/admin/confirm', '/admin/sign-out']

/** Whether this session can only open the page to set up a second factor, and the redirect to it. */
export const mustSetUp = (
  { config }: Pick<Deps, 'config'>,
  session: Parameters<typeof lacksSecondFactor>[1],
  path?: string,
): boolean => lacksSecondFactor(config.secondFactor, session) && (path === undefined || !openPaths.includes(path))

export const setUpFirst = (): Problem =>
  new Problem('forbidden', {
    detail: `This installation requires two-factor authentication, so nothing was changed. Set it up at ${secondFactorPath} first.`,
    internal: 'no_second_factor',
  })

export function secondFactorRoutes(deps: Deps): PageRoute[] {
  const { consoleDb: db, config } = deps

  const page = ({ person, session }: PageRequest, secret: string) => {
    const uri = uriOf(secret, person.email, config.installationName)
    const sealed = sealText(secret, config.apiKeyPepper, session.tokenHash).toString('base64url')
    return <SecondFactorPage secret={secret} uri={uri} sealed={sealed} has={session.hasSecondFactor} />
  }

  const set = async (request: PageRequest): Promise<Response> => {
    const { form, session, person, by, context } = request
    const sealed = Buffer.from(form.get('sealed') ?? '', 'base64url')
    const secret = openText(sealed, config.apiKeyPepper, session.tokenHash)
    if (secret === undefined)
      throw new Problem('forbidden', { detail: 'This form belongs to an earlier session. Reload the page.' })
    try {
      const wanted = { secret, code: form.get('code') ?? '' }
      const codes = await setSecondFactor(db, config.apiKeyPepper, person, wanted, by, session.tokenHash)
      return showPage(request, <RecoveryCodesPage codes={codes} />)
    } catch (error) {
      const errors = errorsOf(error)
      return showPage(
        { context: { ...context, form: { values: new URLSearchParams(), errors } } },
        page(request, secret),
        400,
      )
    }
  }

  const route = { path: secondFactorPath, roles: accountRoles, confirmed: true }
  return [
    {
      ...route,
      method: 'GET',
      answer: (request: PageRequest) => {
        requirePasswords(deps)
        return page(request, newSecret())
      },
    },
    // Its form was sealed by the page, which only opens if people have passwords.
    { ...route, method: 'POST', answer: set },
  ]
}
