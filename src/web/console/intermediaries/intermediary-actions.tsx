// Actions on organizations that submit for applicants, and on their people.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { Problem } from '../../../base/problem.ts'
import {
  addIntermediary,
  addOrganization,
  inviteIntermediary,
  renameOrganization,
  requireIntermediary,
  requireOrganization,
  revokeClientCodes,
  setIntermediaryDisabled,
  setOrganizationDisabled,
} from '../../../core/people/intermediaries.ts'
import { requireReachOfRole } from '../../../core/people/token-reach.ts'
import {
  intermediaryRow,
  organizationRow,
  readIntermediaries,
  readOrganizations,
} from '../../../db/people/intermediary-rows.ts'
import { foldText } from '../../../domain/values/folded-text.ts'
import type { Deps } from '../../http/server/deps.ts'
import { LinkPage } from '../people/invite-pages.tsx'
import { type Action, action, type Form, type Part, reads, writes } from '../requests/action.ts'
import { invitationAnswer, pageAfter } from '../requests/answer-schemas.ts'
import { type ConsoleRequest, type PageRequest, showPage } from '../requests/console-request.ts'
import { idIn, pageOf, textOf } from '../requests/route-parameters.ts'
import { closed, text } from '../requests/schemas.ts'
import { waysOf } from '../signing-in/sign-in-steps.ts'
import {
  InviteIntermediaryPage,
  NewOrganizationPage,
  OrganizationPage,
  OrganizationsPage,
  RevokeCodesPage,
} from './intermediary-pages.tsx'

const rowsMax = 50

const organizationName = Type.Object({ name: text('The name shown in exports.') }, closed)
const invited = Type.Object({ name: text('The person’s name.') }, closed)
const intermediary = Type.Object({ email: text('The e-mail address given in submissions.') }, closed)

const all = '/intermediaries'
const organizationRoute = `${all}/:organizationId`
const people = `${organizationRoute}/people`
const read = reads('intermediaries')
/** Each of them changes who may apply for whom. */
const write = { ...writes('intermediaries'), confirmed: true }
const tokenReach = 'A token also needs the scope applications:write, because people who sign in apply for clients.'
const revokes =
  'Clients whose code was made in their sessions are signed out and need a new code. Saved answers and applications are kept.'
const paging = { after: 'The `next` value of the previous page.' }

export const intermediaryActions = (deps: Deps): Part => {
  const organizations = new Organizations(deps)
  return [
    ...listActions(deps),
    ...organizationActions(organizations),
    inviteAction(deps, organizations),
    ...revokeActions(organizations),
    ...toggles(organizations, 'disable', true),
    ...toggles(organizations, 'enable', false),
  ]
}

const pageIn = (request: ConsoleRequest) => ({ after: textOf(request, 'after'), rowsMax: rowsMax + 1 })
const idOfOne = (request: ConsoleRequest): number => idIn(request, 'organizationId')
const placeOf = (request: ConsoleRequest) => ({
  organizationId: idOfOne(request),
  intermediaryId: idIn(request, 'intermediaryId'),
})

/** The organizations that addresses name. */
class Organizations {
  readonly db: Deps['consoleDb']
  /** Whether people apply in browsers here. */
  readonly apply: boolean

  constructor({ consoleDb, config }: Deps) {
    this.db = consoleDb
    this.apply = config.apply
  }

  find = (request: ConsoleRequest) => requireOrganization(this.db, idOfOne(request))

  /** Throws Problem `not_found`, or `forbidden` when a token may not do what the organization’s people may. */
  reach = async (request: ConsoleRequest) => {
    await this.find(request)
    requireReachOfRole(request.token, 'INTERMEDIARY')
  }

  listPeople = async (request: ConsoleRequest) => {
    const { organization_id } = await this.find(request)
    return pageOf(await readIntermediaries(this.db, organization_id, pageIn(request)), rowsMax, row => row.email_folded)
  }

  page = async (request: PageRequest) => (
    <OrganizationPage
      organization={await this.find(request)}
      people={await this.listPeople(request)}
      apply={this.apply}
    />
  )

  /** A form of this page, which says then what was done. */
  onPage = (done: string): Pick<Form<unknown>, 'page' | 'next'> => ({
    page: this.page,
    next: request => `/admin${all}/${idOfOne(request)}?done=${done}`,
  })
}

const listActions = ({ consoleDb: db, config }: Deps): Action[] => [
  action({
    name: 'listOrganizations',
    route: `GET ${all}`,
    summary: 'List intermediary organizations',
    answers: 'Organizations by name, 50 per page.',
    answered: pageAfter(organizationRow),
    ...read,
    query: { q: 'Part of a name.', ...paging },
    run: async request => {
      const rows = await readOrganizations(db, { search: foldText(textOf(request, 'q')), ...pageIn(request) })
      return pageOf(rows, rowsMax, ({ name_folded }) => name_folded)
    },
    page: (_, list) => <OrganizationsPage {...list} checked={config.intermediaries === 'listed'} />,
  }),
  action({
    name: 'addOrganization',
    route: `POST ${all}`,
    summary: 'Add an organization',
    answers: 'The organization.',
    answered: organizationRow,
    makes: true,
    ...write,
    body: organizationName,
    run: async (request, { name }) => requireOrganization(db, await addOrganization(db, name, request.by)),
    form: {
      ownPage: `${all}/new`,
      page: () => <NewOrganizationPage />,
      next: (_, { organization_id }) => `/admin${all}/${organization_id}?done=added`,
    },
  }),
]

const organizationActions = ({ db, find, listPeople, page, onPage }: Organizations): Action[] => [
  action({
    name: 'readOrganization',
    route: `GET ${organizationRoute}`,
    summary: 'Read an organization',
    answers: 'The organization.',
    answered: organizationRow,
    ...read,
    run: find,
    page,
  }),
  action({
    name: 'renameOrganization',
    route: `PUT ${organizationRoute}`,
    summary: 'Rename an organization',
    answers: 'The updated organization.',
    answered: organizationRow,
    ...write,
    body: organizationName,
    run: async (request, { name }) => {
      await renameOrganization(db, idOfOne(request), name, request.by)
      return find(request)
    },
    form: onPage('renamed'),
  }),
  action({
    name: 'listIntermediaries',
    route: `GET ${people}`,
    summary: 'List an organization’s people',
    answers: 'The organization’s people by e-mail address, 50 per page.',
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
      await addIntermediary(db, idOfOne(request), email, request.by)
      return find(request)
    },
    form: onPage('person-added'),
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

const revokeActions = ({ db, find, onPage }: Organizations): Action[] => [
  action({
    name: 'revokeCodesOfOrganization',
    route: `POST ${organizationRoute}/revoke-codes`,
    summary: 'Revoke the client codes that an organization’s people have seen',
    description: revokes,
    answers: 'The organization.',
    answered: organizationRow,
    ...write,
    run: async request => {
      await revokeClientCodes(db, { organizationId: idOfOne(request) }, request.by)
      return find(request)
    },
    form: {
      ...onPage('codes-revoked'),
      ownPage: `${organizationRoute}/revoke-codes`,
      page: async request => <RevokeCodesPage organization={await find(request)} />,
    },
  }),
  action({
    name: 'revokeCodesOfIntermediary',
    route: `POST ${people}/:intermediaryId/revoke-codes`,
    summary: 'Revoke the client codes that an organization’s person has seen',
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

const toggles = (
  { db, find, reach, onPage }: Organizations,
  name: 'disable' | 'enable',
  disabled: boolean,
): Action[] => [
  action({
    name: `${name}Organization`,
    route: `POST ${organizationRoute}/${name}`,
    summary: disabled ? 'Disable an organization and its people' : 'Enable an organization and its people',
    answers: 'The updated organization.',
    answered: organizationRow,
    ...write,
    ...(!disabled && { description: tokenReach }),
    run: async request => {
      if (!disabled) await reach(request)
      await setOrganizationDisabled(db, idOfOne(request), disabled, request.by)
      return find(request)
    },
    form: { ...onPage(`${name}d`), button: true },
  }),
  action({
    name: `${name}Intermediary`,
    route: `POST ${people}/:intermediaryId/${name}`,
    summary: disabled ? 'Disable an organization’s person' : 'Enable an organization’s person',
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
  }),
]
