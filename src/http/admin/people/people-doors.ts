// The people of the console: a list, an invitation, a person's page with role, programs, a new link, disabling.

import { listAdminTokens } from '../../../access/admin-tokens.ts'
import { forgetIdentity } from '../../../access/identities.ts'
import { disablePerson, editPerson, enablePerson, inviteAgain, invitePerson } from '../../../access/people.ts'
import { readIdentities } from '../../../db/identity-rows.ts'
import { findPerson, type PersonRow, readPeople } from '../../../db/person-rows.ts'
import { readPrograms } from '../../../db/programs.ts'
import { Problem } from '../../../problem.ts'
import type { Deps } from '../../deps.ts'
import { emptyForm, type FormState } from '../../shell/fields.tsx'
import { htmlResponse } from '../../shell/html-response.ts'
import { readingRoles } from '../../shell/navigation.ts'
import { idIn } from '../addressed.ts'
import { type ConsoleDoor, deedOf, faultsOf, redirect, type Visit } from '../console-doors.ts'
import { type Ways, waysOf } from '../signing-in/sign-in-steps.ts'
import { InvitePage, LinkPage } from './invite-pages.tsx'
import { PeoplePage, PersonPage } from './people-pages.tsx'

export function peopleDoors({ consoleDb: db, config }: Deps): ConsoleDoor[] {
  const ways = waysOf(config)

  const slugs = async (): Promise<string[]> => (await readPrograms(db)).map(({ slug }) => slug)

  const person = async (visit: Visit): Promise<PersonRow> => {
    const found = await findPerson(db, idIn(visit, 'personId'))
    if (found === undefined) throw new Problem('not_found', { detail: 'There is no such person.' })
    return found
  }

  const showInvite = async (visit: Visit, form: FormState = emptyForm, status = 200): Promise<Response> =>
    htmlResponse(InvitePage({ context: visit.context, form, programs: await slugs(), ways }), status)

  const showPerson = async (visit: Visit, form: FormState = emptyForm, status = 200): Promise<Response> =>
    htmlResponse(
      PersonPage({
        context: visit.context,
        form,
        person: await person(visit),
        programs: await slugs(),
        me: visit.person,
        ways,
        identities: await readIdentities(db, (await person(visit)).person_id),
        done: visit.url.searchParams.get('done'),
        now: visit.now,
        tokens: await listAdminTokens(db, (await person(visit)).person_id, visit.now),
      }),
      status,
    )

  const invite = async (visit: Visit): Promise<Response> => {
    const { form } = visit
    try {
      const draft = { ...draftOf(form), email: form.get('email') ?? '' }
      const { token } = await invitePerson(db, draft, deedOf(visit))
      return showLink(visit, draft.name, token, ways)
    } catch (error) {
      return showInvite(visit, { values: form, faults: faultsOf(error) }, 400)
    }
  }

  const edit = async (visit: Visit): Promise<Response> => {
    const { person_id, programs } = await person(visit)
    try {
      await editPerson(db, person_id, draftOf(visit.form, programs), deedOf(visit))
      return redirect(visit, `/admin/people/${person_id}?done=saved`)
    } catch (error) {
      return showPerson(visit, { values: visit.form, faults: faultsOf(error) }, 400)
    }
  }

  const change = (what: typeof disablePerson, done: string) => async (visit: Visit) => {
    const { person_id } = await person(visit)
    await what(db, person_id, deedOf(visit))
    return redirect(visit, `/admin/people/${person_id}?done=${done}`)
  }

  const newLink = async (visit: Visit): Promise<Response> => {
    const { person_id, name } = await person(visit)
    return showLink(visit, name, await inviteAgain(db, person_id, deedOf(visit)), ways)
  }

  const unlink = async (visit: Visit): Promise<Response> => {
    const { person_id: personId, email } = await person(visit)
    await forgetIdentity(db, { personId, email, issuer: visit.form.get('issuer') ?? '' }, deedOf(visit))
    return redirect(visit, `/admin/people/${personId}?done=unlinked`)
  }

  const one = '/admin/people/:personId'
  const admin = ['ADMINISTRATOR'] as const
  const onPage = { roles: admin, confirmed: true }
  return [
    {
      method: 'GET',
      path: '/admin/people',
      roles: readingRoles,
      answer: async visit => htmlResponse(PeoplePage({ context: visit.context, people: await readPeople(db) })),
    },
    { method: 'GET', path: '/admin/people/invite', roles: admin, confirmed: true, answer: visit => showInvite(visit) },
    { method: 'POST', path: '/admin/people/invite', roles: admin, confirmed: true, answer: invite, again: showInvite },
    { method: 'GET', path: one, roles: readingRoles, answer: visit => showPerson(visit) },
    { method: 'POST', path: one, roles: admin, confirmed: true, answer: edit, again: showPerson },
    { method: 'POST', path: `${one}/link`, ...onPage, answer: newLink },
    { method: 'POST', path: `${one}/unlink`, ...onPage, answer: unlink },
    { method: 'POST', path: `${one}/disable`, roles: admin, answer: change(disablePerson, 'disabled') },
    { method: 'POST', path: `${one}/enable`, ...onPage, answer: change(enablePerson, 'enabled') },
  ]
}

/** The link is shown once, on the page that answers the form: it is in no address and no redirect. */
const showLink = (visit: Visit, name: string, token: string, ways: Ways): Response => {
  const { context, place } = visit
  const link = `${place.baseUrl}/admin/${ways.password ? `invitations/${token}` : 'sign-in'}`
  return htmlResponse(LinkPage({ context, name, link, ways }))
}

/** The programs that the form was opened with were not ticked by who sends it: they give way to a role that has none. */
function draftOf(form: URLSearchParams, stored: readonly string[] = []) {
  const role = form.get('role') ?? ''
  const ticked = form.getAll('programs')
  const untouched = role !== 'PROGRAM_ADMINISTRATOR' && ticked.toSorted().join() === stored.toSorted().join()
  return { name: form.get('name') ?? '', role, programs: untouched ? [] : ticked }
}
