// Actions on organizations that submit for applicants.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import {
  addOrganization,
  renameOrganization,
  requireOrganization,
  revokeClientCodes,
  setOrganizationDisabled,
} from '../../../core/people/intermediaries.ts'
import { requireReachOfRole } from '../../../core/people/token-reach.ts'
import { organizationRow, readIntermediaries, readOrganizations } from '../../../db/people/intermediary-rows.ts'
import { foldText } from '../../../domain/values/folded-text.ts'
import type { Deps } from '../../http/server/deps.ts'
import { type Action, action, type Form, reads, writes } from '../requests/action.ts'
import { pageAfter } from '../requests/answer-schemas.ts'
import type { ConsoleRequest, PageRequest } from '../requests/console-request.ts'
import { idIn, pageOf, textOf } from '../requests/route-parameters.ts'
import { closed, text } from '../requests/schemas.ts'
import { NewOrganizationPage, OrganizationPage, OrganizationsPage, RevokeCodesPage } from './intermediary-pages.tsx'

const rowsMax = 50

const organizationName = Type.Object({ name: text('The name shown in exports.') }, closed)

const all = '/intermediaries'
export const organizationRoute = `${all}/:organizationId` as const
export const read = reads('intermediaries')
/** Each of these changes who may apply for whom. */
export const write = { ...writes('intermediaries'), confirmed: true }
export const tokenReach =
  'A token also needs the scope applications:write, because people who sign in apply for clients.'
export const revokes =
  'The clients with these codes are signed out and need a new code. Saved answers and applications are kept.'
export const paging = { after: 'The `next` value of the previous page.' }

export const organizationActions = (deps: Deps, organizations: Organizations): Action[] => [
  ...listActions(deps),
  ...ownActions(organizations),
  toggle(organizations, 'disable', true),
  toggle(organizations, 'enable', false),
]

const pageIn = (request: ConsoleRequest) => ({ after: textOf(request, 'after'), rowsMax: rowsMax + 1 })
export const organizationIdIn = (request: ConsoleRequest): number => idIn(request, 'organizationId')

/** Loads the organizations named in addresses. */
export class Organizations {
  readonly db: Deps['consoleDb']
  /** Whether people apply in browsers here. */
  readonly apply: boolean

  constructor({ consoleDb, config }: Deps) {
    this.db = consoleDb
    this.apply = config.apply
  }

  find = (request: ConsoleRequest) => requireOrganization(this.db, organizationIdIn(request))

  /** Throws Problem `not_found`, or `forbidden` if a token has fewer permissions than the organization’s people. */
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

  /** A form on this page, which then confirms the change. */
  onPage = (done: string): Pick<Form<unknown>, 'page' | 'next'> => ({
    page: this.page,
    next: request => `/admin${all}/${organizationIdIn(request)}?done=${done}`,
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

const ownActions = ({ db, find, page, onPage }: Organizations): Action[] => [
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
      await renameOrganization(db, organizationIdIn(request), name, request.by)
      return find(request)
    },
    form: onPage('renamed'),
  }),
  action({
    name: 'revokeCodesOfOrganization',
    route: `POST ${organizationRoute}/revoke-codes`,
    summary: 'Revoke client codes seen by an organization',
    description: revokes,
    answers: 'The organization.',
    answered: organizationRow,
    ...write,
    run: async request => {
      await revokeClientCodes(db, { organizationId: organizationIdIn(request) }, request.by)
      return find(request)
    },
    form: {
      ...onPage('codes-revoked'),
      ownPage: `${organizationRoute}/revoke-codes`,
      page: async request => <RevokeCodesPage organization={await find(request)} />,
    },
  }),
]

const toggle = ({ db, find, reach, onPage }: Organizations, name: 'disable' | 'enable', disabled: boolean): Action =>
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
      await setOrganizationDisabled(db, organizationIdIn(request), disabled, request.by)
      return find(request)
    },
    form: { ...onPage(`${name}d`), button: true },
  })
