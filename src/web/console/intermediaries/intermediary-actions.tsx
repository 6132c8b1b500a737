// Actions on organizations that submit for applicants, and on their people.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import {
  addIntermediary,
  addOrganization,
  renameOrganization,
  requireOrganization,
  setIntermediaryDisabled,
  setOrganizationDisabled,
} from '../../../core/people/intermediaries.ts'
import {
  intermediaryRow,
  organizationRow,
  readIntermediaries,
  readOrganizations,
} from '../../../db/people/intermediary-rows.ts'
import { foldText } from '../../../domain/values/folded-text.ts'
import type { Deps } from '../../http/server/deps.ts'
import { type Action, action, type Form, type Part, reads, writes } from '../requests/action.ts'
import { pageAfter } from '../requests/answer-schemas.ts'
import type { ConsoleRequest, PageRequest } from '../requests/console-request.ts'
import { idIn, pageOf, textOf } from '../requests/route-parameters.ts'
import { closed, text } from '../requests/schemas.ts'
import { NewOrganizationPage, OrganizationPage, OrganizationsPage } from './intermediary-pages.tsx'

const rowsMax = 50

const organizationName = Type.Object({ name: text('The name that exports show.') }, closed)
const intermediary = Type.Object({ email: text('The e-mail address that submissions name.') }, closed)

const all = '/intermediaries'
const one = `${all}/:organizationId`
const people = `${one}/people`
const read = reads('intermediaries')
const write = writes('intermediaries')
const paging = { after: 'The `next` value of the previous page.' }

export const intermediaryActions = (deps: Deps): Part => {
  const organizations = new Organizations(deps)
  return [
    ...listActions(deps),
    ...organizationActions(organizations),
    ...toggles(organizations, 'disable', true),
    ...toggles(organizations, 'enable', false),
  ]
}

const pageIn = (visit: ConsoleRequest) => ({ after: textOf(visit, 'after'), rowsMax: rowsMax + 1 })
const idOfOne = (visit: ConsoleRequest): number => idIn(visit, 'organizationId')

/** The organizations that addresses name. */
class Organizations {
  readonly db: Deps['consoleDb']

  constructor({ consoleDb }: Deps) {
    this.db = consoleDb
  }

  find = (visit: ConsoleRequest) => requireOrganization(this.db, idOfOne(visit))

  listPeople = async (visit: ConsoleRequest) => {
    const { organization_id } = await this.find(visit)
    return pageOf(await readIntermediaries(this.db, organization_id, pageIn(visit)), rowsMax, row => row.email_folded)
  }

  page = async (visit: PageRequest) => (
    <OrganizationPage organization={await this.find(visit)} people={await this.listPeople(visit)} />
  )

  /** A form of this page, which says then what was done. */
  onPage = (done: string): Pick<Form<unknown>, 'page' | 'next'> => ({
    page: this.page,
    next: visit => `/admin${all}/${idOfOne(visit)}?done=${done}`,
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
    run: async visit => {
      const rows = await readOrganizations(db, { search: foldText(textOf(visit, 'q')), ...pageIn(visit) })
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
    run: async (visit, { name }) => requireOrganization(db, await addOrganization(db, name, visit.by)),
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
    route: `GET ${one}`,
    summary: 'Read an organization',
    answers: 'The organization.',
    answered: organizationRow,
    ...read,
    run: find,
    page,
  }),
  action({
    name: 'renameOrganization',
    route: `PUT ${one}`,
    summary: 'Rename an organization',
    answers: 'The updated organization.',
    answered: organizationRow,
    ...write,
    body: organizationName,
    run: async (visit, { name }) => {
      await renameOrganization(db, idOfOne(visit), name, visit.by)
      return find(visit)
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
    run: async (visit, { email }) => {
      await addIntermediary(db, idOfOne(visit), email, visit.by)
      return find(visit)
    },
    form: onPage('person-added'),
  }),
]

const toggles = ({ db, find, onPage }: Organizations, name: 'disable' | 'enable', disabled: boolean): Action[] => [
  action({
    name: `${name}Organization`,
    route: `POST ${one}/${name}`,
    summary: disabled ? 'Disable an organization and its people' : 'Enable an organization and its people',
    answers: 'The updated organization.',
    answered: organizationRow,
    ...write,
    run: async visit => {
      await setOrganizationDisabled(db, idOfOne(visit), disabled, visit.by)
      return find(visit)
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
    run: async visit => {
      const place = { organizationId: idOfOne(visit), intermediaryId: idIn(visit, 'intermediaryId') }
      await setIntermediaryDisabled(db, place, disabled, visit.by)
      return find(visit)
    },
    form: { ...onPage(`person-${name}d`), button: true },
  }),
]
