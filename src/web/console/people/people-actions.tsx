// People of the console and their tokens: list, invite, edit role and programs, create a new link, disable.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { listAdminTokens, retireAdminToken } from '../../../core/people/admin-tokens.ts'
import { forgetIdentity } from '../../../core/people/identities.ts'
import {
  disablePerson,
  editPerson,
  enablePerson,
  inviteAgain,
  invitePerson,
  requirePerson,
} from '../../../core/people/people.ts'
import { allRoles, type Role } from '../../../core/people/roles.ts'
import { resetSecondFactor } from '../../../core/people/second-factor.ts'
import { requireReachOfRole } from '../../../core/people/token-reach.ts'
import { readIdentities } from '../../../db/people/identity-rows.ts'
import { personRow, readPeople } from '../../../db/people/person-rows.ts'
import { readPrograms } from '../../../db/programs/programs.ts'
import type { Deps } from '../../http/server/deps.ts'
import { type Action, action, type Form, type Part, reads, writes } from '../requests/action.ts'
import {
  invitationAnswer,
  linkAnswer,
  listed,
  nothing,
  personDetailsAnswer,
  tokenAnswer,
} from '../requests/answer-schemas.ts'
import { type ConsoleRequest, type PageRequest, showPage } from '../requests/console-request.ts'
import { idIn } from '../requests/route-parameters.ts'
import { closed, text, texts } from '../requests/schemas.ts'
import { type Ways, waysOf } from '../signing-in/sign-in-steps.ts'
import { InvitePage, LinkPage } from './invite-pages.tsx'
import { PeoplePage, PersonPage } from './people-pages.tsx'

const facts = {
  name: text('The person’s name.'),
  role: Type.Enum([...allRoles], {
    description: 'The person’s role. An `INTERMEDIARY` is invited through their organization and keeps that role.',
  }),
  programs: texts('Slugs of a program administrator’s programs. Empty for other roles.'),
}
const person = Type.Object(facts, closed)
const invited = Type.Object({ email: text('The email address the person signs in with.'), ...facts }, closed)
const unlinked = Type.Object({ issuer: text('The provider’s issuer identifier.') }, closed)

const tokenReach =
  'A token can’t be used for administrators. For other roles it also needs the scopes of the role: programs:read, applications:write and webhooks:read for a program administrator, read scopes for all areas for an auditor.'

const personRoute = '/people/:personId'
const read = reads('people')
const write = writes('people')

export const peopleActions = (deps: Deps): Part => {
  const people = new People(deps)
  return [...listActions(people), ...personActions(people), ...signInActions(people), ...tokenActions(people)]
}

/** Loads the people named in addresses. */
class People {
  readonly db: Deps['consoleDb']
  readonly ways: Ways

  constructor({ consoleDb, config }: Deps) {
    this.db = consoleDb
    this.ways = waysOf(config)
  }

  programs = () => readPrograms(this.db)

  find = (request: ConsoleRequest) => requirePerson(this.db, idIn(request, 'personId'))

  /** The person, unless the token has fewer permissions than they do. */
  reach = async (request: ConsoleRequest) => {
    const row = await this.find(request)
    requireReachOfRole(request.token, row.role)
    return row
  }

  details = async (request: ConsoleRequest) => {
    const row = await this.find(request)
    return { ...row, identities: await readIdentities(this.db, row.person_id) }
  }

  tokensOf = async (request: ConsoleRequest) => ({
    items: await listAdminTokens(this.db, (await this.find(request)).person_id, request.now),
  })

  linkOf = ({ place }: ConsoleRequest, token: string): string =>
    `${place.baseUrl}/admin/${this.ways.password ? `invitations/${token}` : 'sign-in'}`

  /** The link is shown once, on the page that responds to the form; it is in no address or redirect. */
  showLink = (request: PageRequest, name: string, link: string) =>
    showPage(request, <LinkPage name={name} link={link} ways={this.ways} />)

  page = async (request: PageRequest) => {
    const { items } = await this.tokensOf(request)
    return (
      <PersonPage
        person={await this.details(request)}
        programs={await this.programs()}
        ways={this.ways}
        tokens={items}
      />
    )
  }

  /** A form on this page, which then confirms what was done. */
  onPage = (done: string): Pick<Form<unknown>, 'page' | 'next'> => ({
    page: this.page,
    next: ({ params }) => `/admin/people/${params.personId}?done=${done}`,
  })
}

const listActions = ({ db, ways, programs, linkOf, showLink }: People): Action[] => [
  action({
    name: 'listPeople',
    route: 'GET /people',
    summary: 'List people',
    answers: 'All people of the console. Disabled people come last.',
    answered: listed(personRow),
    ...read,
    run: async () => ({ items: await readPeople(db) }),
    page: async (_, { items }) => <PeoplePage people={items} programs={await programs()} />,
  }),
  action({
    name: 'invitePerson',
    route: 'POST /people',
    summary: 'Invite a person',
    description: tokenReach,
    answers: 'The person’s ID, and the link to pass on, which is shown only once.',
    answered: invitationAnswer,
    makes: true,
    ...write,
    confirmed: true,
    body: invited,
    run: async (request, draft) => {
      requireReachOfRole(request.token, draft.role)
      const { personId, token } = await invitePerson(db, draft, request.by)
      return { person_id: personId, link: linkOf(request, token) }
    },
    form: {
      ownPage: '/people/invite',
      page: async () => <InvitePage programs={await programs()} ways={ways} />,
      read: ({ form }) => ({ ...draftOf(form), email: form.get('email') ?? '' }),
      next: (request, { link }) => showLink(request, request.form.get('name') ?? '', link),
    },
  }),
]

const personActions = ({ db, find, reach, details, page, onPage }: People): Action[] => [
  action({
    name: 'readPerson',
    route: `GET ${personRoute}`,
    summary: 'Read a person',
    answers: 'The person, and their accounts at OpenID providers.',
    answered: personDetailsAnswer,
    ...read,
    run: details,
    page,
  }),
  action({
    name: 'editPerson',
    route: `PUT ${personRoute}`,
    summary: 'Update a person',
    description: `Sets the name, role and programs together. Takes effect with the person’s next request. ${tokenReach}`,
    answers: 'The updated person.',
    answered: personRow,
    ...write,
    confirmed: true,
    body: person,
    run: async (request, draft) => {
      const { person_id } = await reach(request)
      requireReachOfRole(request.token, draft.role)
      await editPerson(db, person_id, draft, request.by)
      return find(request)
    },
    form: { ...onPage('saved'), read: async request => draftOf(request.form, (await find(request)).programs) },
  }),
]

const turn = (
  { db, find, reach, onPage }: People,
  name: string,
  what: typeof disablePerson,
  summary: string,
  widens: boolean,
): Action =>
  action({
    name: `${name}Person`,
    route: `POST ${personRoute}/${name}`,
    summary,
    answers: 'The updated person.',
    answered: personRow,
    ...write,
    confirmed: true,
    ...(widens && { description: tokenReach }),
    run: async request => {
      await what(db, (await (widens ? reach(request) : find(request))).person_id, request.by)
      return find(request)
    },
    form: { ...onPage(`${name}d`), button: true },
  })

/** How a person signs in, and whether they can. */
const signInActions = (people: People): Action[] => [
  action({
    name: 'unlinkPerson',
    route: `POST ${personRoute}/unlink`,
    summary: 'Unlink a person’s OpenID account',
    description: `Ends the person’s sessions and tokens. The next account with the same verified email address is linked to this person. ${tokenReach}`,
    answers: 'An empty object.',
    answered: nothing,
    ...write,
    confirmed: true,
    body: unlinked,
    run: async (request, { issuer }) => {
      const { person_id: personId, email } = await people.reach(request)
      await forgetIdentity(people.db, { personId, email, issuer }, request.by)
    },
    form: { ...people.onPage('unlinked'), button: true },
  }),
  action({
    name: 'resetSecondFactor',
    route: `POST ${personRoute}/reset-second-factor`,
    summary: 'Reset a person’s two-factor authentication',
    description: `Ends the person’s sessions. They can then sign in with only their password. ${tokenReach}`,
    answers: 'The updated person.',
    answered: personRow,
    ...write,
    confirmed: true,
    run: async request => {
      await resetSecondFactor(people.db, (await people.reach(request)).person_id, request.by)
      return people.find(request)
    },
    form: { ...people.onPage('factor-reset'), button: true },
  }),
  turn(people, 'disable', disablePerson, 'Disable a person and end their sessions, tokens and invitation link', false),
  turn(people, 'enable', enablePerson, 'Enable a person', true),
  action({
    name: 'linkPerson',
    route: `POST ${personRoute}/link`,
    summary: 'Create a new link for a person',
    description: tokenReach,
    answers: 'The link to pass on, which is shown only once. Earlier links stop working.',
    answered: linkAnswer,
    ...write,
    confirmed: true,
    run: async request => ({
      link: people.linkOf(request, await inviteAgain(people.db, (await people.reach(request)).person_id, request.by)),
    }),
    form: {
      page: people.page,
      next: async (request, { link }) => people.showLink(request, (await people.find(request)).name, link),
      button: true,
    },
  }),
]

const tokenActions = ({ db, tokensOf, onPage }: People): Action[] => [
  action({
    name: 'listTokens',
    route: `GET ${personRoute}/tokens`,
    summary: 'List a person’s API tokens',
    answers: 'The tokens without their secrets, active ones first.',
    answered: listed(tokenAnswer),
    ...read,
    run: tokensOf,
  }),
  action({
    name: 'retireToken',
    route: `POST ${personRoute}/tokens/:tokenId/retire`,
    summary: 'Retire a person’s API token',
    answers: 'An empty object. The token stops working with its next request.',
    answered: nothing,
    ...write,
    confirmed: true,
    run: async request => {
      const place = { tokenId: request.params.tokenId!, personId: idIn(request, 'personId') }
      await retireAdminToken(db, place, request.by)
    },
    form: { ...onPage('token-retired'), button: true },
  }),
]

/** The sender did not tick the programs that were already selected when the form was opened, so they are dropped for a role without programs. */
function draftOf(form: URLSearchParams, stored: readonly string[] = []) {
  const role = form.get('role') ?? ''
  const ticked = form.getAll('programs')
  const untouched = role !== 'PROGRAM_ADMINISTRATOR' && ticked.toSorted().join() === stored.toSorted().join()
  // An invalid role is rejected when a person is created or changed.
  return { name: form.get('name') ?? '', role: role as Role, programs: untouched ? [] : ticked }
}
