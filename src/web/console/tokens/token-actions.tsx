// Lets people create and retire their own API tokens. `core/people/admin-tokens` has the rules.

/** @jsxImportSource preact */

import { createAdminToken, listAdminTokens, retireAdminToken } from '../../../core/people/admin-tokens.ts'
import { everyRole } from '../../html/navigation.ts'
import type { Deps } from '../../http/server/deps.ts'
import { formPage, type Part, pageAt } from '../requests/action.ts'
import { redirect } from '../requests/console-request.ts'
import { expiryFrom } from '../requests/expiry-fields.tsx'
import { expiryOf, onField, ShownOnce } from '../requests/keyed-forms.ts'
import { IssuedTokenPage, NewTokenPage, TokensPage } from './token-pages.tsx'

const path = '/admin/account/tokens'

export function tokenActions({ consoleDb: db, config }: Deps): Part {
  const secret = new ShownOnce('token', config)
  return [
    pageAt(path, everyRole, async ({ person, now }) => (
      <TokensPage tokens={await listAdminTokens(db, person.person_id, now)} />
    )),
    ...formPage(
      { path: `${path}/new`, roles: everyRole, confirmed: true },
      ({ form, now, person, by, context }) => {
        const draft = {
          name: form.get('name') ?? '',
          scopes: form.getAll('scopes'),
          expires_at: expiryOf(expiryFrom(form), now, context.timeZone),
        }
        return createAdminToken(db, person, draft, by)
      },
      {
        page: () => <NewTokenPage />,
        next: (request, { tokenId, token }) => secret.send(request, `${path}/${tokenId}/issued`, token),
        atField: onField,
      },
    ),
    secret.route(`${path}/:tokenId/issued`, everyRole, (_, token) => <IssuedTokenPage token={token} />),
    {
      method: 'POST',
      path: `${path}/:tokenId/retire`,
      roles: everyRole,
      answer: async request => {
        const { params, person, by } = request
        await retireAdminToken(db, { tokenId: params.tokenId!, personId: person.person_id }, by)
        return redirect(request, `${path}?done=retired`)
      },
    },
  ]
}
