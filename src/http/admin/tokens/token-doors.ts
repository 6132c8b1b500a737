// API tokens of a person: made, shown once, retired. Whose they are and what they are good for is decided in `access/admin-tokens`.

import { createAdminToken, listAdminTokens, retireAdminToken } from '../../../access/admin-tokens.ts'
import { parseExpiry } from '../../../access/expiry.ts'
import { invalidRequest, type ProblemItem } from '../../../problem.ts'
import type { Deps } from '../../deps.ts'
import { emptyForm, type FormState } from '../../shell/fields.tsx'
import { htmlResponse } from '../../shell/html-response.ts'
import { everyRole } from '../../shell/navigation.ts'
import { type ConsoleDoor, deedOf, faultsOf, redirect, type Visit } from '../console-doors.ts'
import { clearCookie, openCookie, sealCookie } from '../sealed-cookie.ts'
import { IssuedTokenPage, NewTokenPage, TokensPage } from './token-pages.tsx'

const cookie = 'token'
const path = '/admin/account/tokens'

export function tokenDoors({ consoleDb: db, config }: Deps): ConsoleDoor[] {
  const list = async ({ context, person, now, url }: Visit): Promise<Response> =>
    htmlResponse(
      TokensPage({
        context,
        now,
        tokens: await listAdminTokens(db, person.person_id, now),
        done: url.searchParams.get('done'),
      }),
    )

  const showNew = ({ context }: Visit, form: FormState = emptyForm, status = 200): Response =>
    htmlResponse(NewTokenPage({ context, form }), status)

  const create = async (visit: Visit): Promise<Response> => {
    const { form, now } = visit
    try {
      const draft = {
        name: form.get('name') ?? '',
        scopes: form.getAll('scopes'),
        expires_at: expiryOf((form.get('expiry') ?? '').trim(), now, config.timeZone),
      }
      const { tokenId, token } = await createAdminToken(db, visit.person, draft, deedOf(visit))
      const issued = `${path}/${tokenId}/issued`
      // It travels to the next page in a sealed cookie, so that loading that page again shows that it is gone.
      const field = sealCookie(cookie, token, {
        path: visit.place.root + issued,
        https: visit.https,
        pepper: config.apiKeyPepper,
        binding: visit.session.tokenHash,
      })
      return redirect(visit, issued, { 'Set-Cookie': field })
    } catch (error) {
      return showNew(visit, { values: form, faults: faultsOf(error).map(onField) }, 400)
    }
  }

  const issued = (visit: Visit): Response => {
    const { context, place, https, url, session } = visit
    const token = openCookie(visit.request, cookie, { pepper: config.apiKeyPepper, binding: session.tokenHash })
    const cleared = clearCookie(cookie, { path: place.root + url.pathname, https })
    return htmlResponse(IssuedTokenPage({ context, token, baseUrl: place.baseUrl }), 200, { 'Set-Cookie': cleared })
  }

  const retire = (personId: (visit: Visit) => number, back: (visit: Visit) => string) => async (visit: Visit) => {
    await retireAdminToken(db, { tokenId: visit.params.tokenId!, personId: personId(visit) }, deedOf(visit))
    return redirect(visit, back(visit))
  }
  const theirs = ({ params }: Visit): number => (/^[1-9]\d{0,14}$/.test(params.personId!) ? Number(params.personId) : 0)

  return [
    { method: 'GET', path, roles: everyRole, answer: list },
    { method: 'GET', path: `${path}/new`, roles: everyRole, confirmed: true, answer: visit => showNew(visit) },
    { method: 'POST', path: `${path}/new`, roles: everyRole, confirmed: true, answer: create },
    { method: 'GET', path: `${path}/:tokenId/issued`, roles: everyRole, answer: issued },
    {
      method: 'POST',
      path: `${path}/:tokenId/retire`,
      roles: everyRole,
      answer: retire(
        ({ person }) => person.person_id,
        () => `${path}?done=retired`,
      ),
    },
    {
      method: 'POST',
      path: '/admin/people/:personId/tokens/:tokenId/retire',
      roles: ['ADMINISTRATOR'],
      answer: retire(theirs, ({ params }) => `/admin/people/${params.personId}?done=token-retired`),
    },
  ]
}

function expiryOf(text: string, now: number, timeZone: string): number | undefined {
  if (text === '') return undefined
  const parsed = parseExpiry(text, now, timeZone)
  if (typeof parsed === 'number') return parsed
  const fault: ProblemItem = { path: '/expires_at', code: 'bad_expiry', detail: parsed.fault }
  throw invalidRequest('The expiry cannot be read.', [fault])
}

/** The field of the form that a fault's path means. */
function onField({ path = '', code, detail }: ProblemItem): ProblemItem {
  const member = path.split('/')[1] ?? ''
  const said = `${detail[0]!.toUpperCase()}${detail.slice(1)}.`
  return { parameter: member === 'expires_at' ? 'expiry' : member, code, detail: said }
}
