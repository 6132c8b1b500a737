// Actions on the people of organizations that submit for applicants.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { Problem } from '../../../base/problem.ts'
import {
  addIntermediary,
  inviteIntermediary,
  requireIntermediary,
  revokeClientCodes,
  setIntermediaryDisabled,
} from '../../../core/people/intermediaries.ts'
import { requireReachOfRole } from '../../../core/people/token-reach.ts'
import { intermediaryRow, organizationRow } from '../../../db/people/intermediary-rows.ts'
import type { Deps } from '../../http/server/deps.ts'
import { LinkPage } from '../people/invite-pages.tsx'
import { type Action, action, type Part } from '../requests/action.ts'
import { invitationAnswer, pageAfter } from '../requests/answer-schemas.ts'
import { type ConsoleRequest, showPage } from '../requests/console-request.ts'
import { idIn } from '../requests/route-parameters.ts'
import { closed, text } from '../requests/schemas.ts'
import { waysOf } from '../signing-in/sign-in-steps.ts'
import { InviteIntermediaryPage, RevokeCodesPage } from './intermediary-pages.tsx'
import {
  Organizations,
  organizationActions,
  organizationIdIn,
  organizationRoute,
  paging,
  read,
  revokes,
  tokenReach,
  write,
} from './organization-actions.tsx'

const invited = Type.Object({ name: text('The person’s name.') }, closed)
const intermediary = Type.Object({ email: text('The email address given in submissions.') }, closed)

const people = `${organizationRoute}/people` as const

export const intermediaryActions = (deps: Deps): Part => {
  const organizations = new Organizations(deps)
  return [
    ...organizationActions(deps, organizations),
    ...peopleActions(organizations),
    inviteAction(deps, organizations),
    toggle(organizations, 'disable', true),
    toggle(organizations, 'enable', false),
  ]
}

const placeOf = (request: ConsoleRequest) => ({
  organizationId: organizationIdIn(request),
  intermediaryId: idIn(request, 'intermediaryId'),
})

const peopleActions = ({ db, find, listPeople, onPage }: Organizations): Action[] => [
  action({
    name: 'listIntermediaries',
    route: `GET ${people}`,
    summary: 'List an organization’s people',
    answers: 'The organization’s people by email address, 50 per page.',
    answered: pageAfter(intermediaryRow),
    ...read,
    query: paging,
    run: listPeople,
  }),
  action({
    name: 'addIntermediary',
    route: `POST ${people}`,
    summary: 'Add a person to an organization',
    answers: 'The organization.',
    answered: organizationRow,
    makes: true,
    ...write,
    body: intermediary,
    run: async (request, { email }) => {
      await addIntermediary(db, organizationIdIn(request), email, request.by)
      return find(request)
    },
    form: onPage('person-added'),
  }),
  action({
    name: 'revokeCodesOfIntermediary',
    route: `POST ${people}/:intermediaryId/revoke-codes`,
    summary: 'Revoke client codes seen by a person',
    description: revokes,
    answers: 'The person’s organization.',
    answered: organizationRow,
    ...write,
    run: async request => {
      await revokeClientCodes(db, placeOf(request), request.by)
      return find(request)
    },
    form: {
      ...onPage('codes-revoked'),
      ownPage: `${people}/:intermediaryId/revoke-codes`,
      page: async request => (
        <RevokeCodesPage organization={await find(request)} person={await requireIntermediary(db, placeOf(request))} />
      ),
    },
  }),
]

const inviteAction = ({ config }: Deps, { db, find }: Organizations): Action => {
  const ways = waysOf(config)
  return action({
    name: 'inviteIntermediary',
    route: `POST ${people}/:intermediaryId/invite`,
    summary: 'Invite a person in an organization to sign in',
    description: `They apply for their organization’s clients at \`/apply/-/clients\`. Needs \`APPLY=on\`. ${tokenReach}`,
    answers: 'The person’s ID, and the link to pass on, which is shown only once.',
    answered: invitationAnswer,
    makes: true,
    ...write,
    body: invited,
    run: async (request, { name }) => {
      if (!config.apply)
        throw new Problem('conflict', { detail: 'Applying in a browser is turned off. Set `APPLY=on` first.' })
      requireReachOfRole(request.token, 'INTERMEDIARY')
      const { personId, token } = await inviteIntermediary(db, placeOf(request), name, request.by)
      const link = `${request.place.baseUrl}/admin/${ways.password ? `invitations/${token}` : 'sign-in'}`
      return { person_id: personId, link }
    },
    form: {
      ownPage: `${people}/:intermediaryId/invite`,
      page: async request => (
        <InviteIntermediaryPage
          organization={await find(request)}
          person={await requireIntermediary(db, placeOf(request))}
          ways={ways}
        />
      ),
      next: (request, { link }) =>
        showPage(request, <LinkPage name={request.form.get('name') ?? ''} link={link} ways={ways} />),
    },
  })
}

const toggle = ({ db, find, reach, onPage }: Organizations, name: 'disable' | 'enable', disabled: boolean): Action =>
  action({
    name: `${name}Intermediary`,
    route: `POST ${people}/:intermediaryId/${name}`,
    summary: disabled ? 'Disable a person in an organization' : 'Enable a person in an organization',
    answers: 'The person’s organization.',
    answered: organizationRow,
    ...write,
    ...(!disabled && { description: tokenReach }),
    run: async request => {
      if (!disabled) await reach(request)
      await setIntermediaryDisabled(db, placeOf(request), disabled, request.by)
      return find(request)
    },
    form: { ...onPage(`person-${name}d`), button: true },
  })
