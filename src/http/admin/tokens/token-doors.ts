// API tokens of a person: made, shown once, retired. Whose they are and what they are good for is decided in `access/admin-tokens`.

import { createAdminToken, listAdminTokens, retireAdminToken } from '../../../access/admin-tokens.ts'
import type { Deps } from '../../deps.ts'
import { emptyForm, type FormState } from '../../shell/fields.tsx'
import { htmlResponse } from '../../shell/html-response.ts'
import { everyRole } from '../../shell/navigation.ts'
import { idIn } from '../addressed.ts'
import { type ConsoleDoor, deedOf, faultsOf, redirect, type Visit } from '../console-doors.ts'
import { expiryOf, onField, ShownOnce } from '../keyed-forms.ts'
import { IssuedTokenPage, NewTokenPage, TokensPage } from './token-pages.tsx'

const path = '/admin/account/tokens'

export function tokenDoors({ consoleDb: db, config }: Deps): ConsoleDoor[] {
  const secret = new ShownOnce('token', config)

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
      return secret.send(visit, `${path}/${tokenId}/issued`, token)
    } catch (error) {
      return showNew(visit, { values: form, faults: faultsOf(error).map(onField) }, 400)
    }
  }

  const issued = (visit: Visit): Response => {
    const { secret: token, fields } = secret.take(visit)
    const { context, place } = visit
    return htmlResponse(IssuedTokenPage({ context, token, baseUrl: place.baseUrl }), 200, fields)
  }

  const retire = (personId: (visit: Visit) => number, back: (visit: Visit) => string) => async (visit: Visit) => {
    await retireAdminToken(db, { tokenId: visit.params.tokenId!, personId: personId(visit) }, deedOf(visit))
    return redirect(visit, back(visit))
  }

  return [
    { method: 'GET', path, roles: everyRole, answer: list },
    { method: 'GET', path: `${path}/new`, roles: everyRole, confirmed: true, answer: visit => showNew(visit) },
    { method: 'POST', path: `${path}/new`, roles: everyRole, confirmed: true, answer: create, again: showNew },
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
      answer: retire(
        visit => idIn(visit, 'personId'),
        ({ params }) => `/admin/people/${params.personId}?done=token-retired`,
      ),
    },
  ]
}
