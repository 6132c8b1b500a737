// People, their tokens, and intermediaries as JSON.

import { Type } from 'typebox'
import { listAdminTokens, retireAdminToken } from '../../../access/admin-tokens.ts'
import { forgetIdentity } from '../../../access/identities.ts'
import {
  addIntermediary,
  addOrganization,
  renameOrganization,
  requireOrganization,
  setIntermediaryDisabled,
  setOrganizationDisabled,
} from '../../../access/intermediaries.ts'
import { disablePerson, editPerson, enablePerson, inviteAgain, invitePerson } from '../../../access/people.ts'
import { roles } from '../../../access/roles.ts'
import { readIdentities } from '../../../db/identity-rows.ts'
import { readIntermediaries, readOrganizations } from '../../../db/intermediary-rows.ts'
import { findPerson, readPeople } from '../../../db/person-rows.ts'
import { foldText } from '../../../domain/values/folded-text.ts'
import { Problem } from '../../../problem.ts'
import type { Deps } from '../../deps.ts'
import { readingRoles } from '../../shell/shell.tsx'
import { textOf } from '../programs/program-doors.ts'
import { type ApiDeed, type ApiVisit, deed, idIn, pageOf } from './api-deeds.ts'
import { closed, text, texts } from './schemas.ts'

const admin = ['ADMINISTRATOR'] as const
const rowsMax = 50

const facts = {
  name: text('As others know the person.'),
  role: Type.Enum([...roles], { description: 'What the person may do.' }),
  programs: texts('Slugs; of a program administrator.'),
}
const person = Type.Object(facts, closed)
const invited = Type.Object({ email: text('What the person signs in with.'), ...facts }, closed)
const organizationName = Type.Object({ name: text('As exports show it.') }, closed)
const unlinked = Type.Object({ issuer: text('The provider, as it names itself.') }, closed)
const intermediary = Type.Object({ email: text('The e-mail a submission names.') }, closed)

export function peopleDeeds({ consoleDb: db, config }: Deps): ApiDeed[] {
  const found = async (visit: ApiVisit) => {
    const row = await findPerson(db, idIn(visit, 'personId'))
    if (row === undefined) throw new Problem('not_found', { detail: 'There is no such person.' })
    return row
  }
  const reads = { roles: readingRoles, scope: 'people:read' } as const
  const writes = { roles: admin, scope: 'people:write' } as const
  const one = '/people/:personId'
  const linkOf = ({ place }: ApiVisit, token: string): string =>
    `${place.baseUrl}/admin/${config.passwordSignIn ? `invitations/${token}` : 'sign-in'}`
  const turn = (name: string, what: typeof disablePerson, summary: string): ApiDeed =>
    deed({
      name: `${name}Person`,
      method: 'POST',
      path: `${one}/${name}`,
      summary,
      answers: 'The person as they are now.',
      ...writes,
      answer: async visit => {
        await what(db, (await found(visit)).person_id, visit.deed)
        return found(visit)
      },
    })

  return [
    deed({
      name: 'listPeople',
      method: 'GET',
      path: '/people',
      summary: 'List who works in the console',
      answers: 'Everyone, those who are disabled last.',
      ...reads,
      answer: async () => ({ items: await readPeople(db) }),
    }),
    deed({
      name: 'invitePerson',
      method: 'POST',
      path: '/people',
      summary: 'Invite somebody',
      answers: 'The id of the person, and the link to pass on, which is told once.',
      makes: true,
      ...writes,
      confirmed: true,
      body: invited,
      answer: async (visit, draft) => {
        const { personId, token } = await invitePerson(db, draft, visit.deed)
        return { person_id: personId, link: linkOf(visit, token) }
      },
    }),
    deed({
      name: 'readPerson',
      method: 'GET',
      path: one,
      summary: 'Read a person',
      answers: 'The person, and who they are at which OpenID provider.',
      ...reads,
      answer: async visit => {
        const person = await found(visit)
        return { ...person, identities: await readIdentities(db, person.person_id) }
      },
    }),
    deed({
      name: 'editPerson',
      method: 'PUT',
      path: one,
      summary: 'Set name, role and programs of a person',
      description:
        'All three, so that nobody is given what somebody else has just taken away. It holds from the person’s next request.',
      answers: 'The person as they are now.',
      ...writes,
      body: person,
      answer: async (visit, draft) => {
        await editPerson(db, (await found(visit)).person_id, draft, visit.deed)
        return found(visit)
      },
    }),
    deed({
      name: 'unlinkPerson',
      method: 'POST',
      path: `${one}/unlink`,
      summary: 'Forget who a person is at an OpenID provider',
      description:
        'Ends every sign-in of the person. The next to come from there with the verified e-mail is this person.',
      answers: 'Nothing: it is forgotten.',
      ...writes,
      body: unlinked,
      answer: async (visit, { issuer }) => {
        const { person_id: personId, email } = await found(visit)
        await forgetIdentity(db, { personId, email, issuer }, visit.deed)
      },
    }),
    turn('disable', disablePerson, 'Disable a person: sessions and tokens end at once'),
    turn('enable', enablePerson, 'Enable a person again'),
    deed({
      name: 'linkPerson',
      method: 'POST',
      path: `${one}/link`,
      summary: 'Make a new link for a person',
      answers: 'The link to pass on, which is told once. Links made before stop working.',
      ...writes,
      confirmed: true,
      answer: async visit => ({
        link: linkOf(visit, await inviteAgain(db, (await found(visit)).person_id, visit.deed)),
      }),
    }),
    deed({
      name: 'listTokens',
      method: 'GET',
      path: `${one}/tokens`,
      summary: 'List the API tokens of a person',
      answers: 'The tokens, those that are good first. Never the secret of one.',
      ...reads,
      answer: async visit => ({ items: await listAdminTokens(db, (await found(visit)).person_id, visit.now) }),
    }),
    deed({
      name: 'retireToken',
      method: 'POST',
      path: `${one}/tokens/:tokenId/retire`,
      summary: 'Retire an API token of a person',
      answers: 'Nothing: it ends with its next request.',
      ...writes,
      answer: async visit => {
        const place = { tokenId: visit.params.tokenId!, personId: idIn(visit, 'personId') }
        await retireAdminToken(db, place, visit.deed)
      },
    }),
  ]
}

export function intermediaryDeeds({ consoleDb: db }: Deps): ApiDeed[] {
  const organization = (visit: ApiVisit) => requireOrganization(db, idIn(visit, 'organizationId'))
  const reads = { roles: readingRoles, scope: 'intermediaries:read' } as const
  const writes = { roles: admin, scope: 'intermediaries:write' } as const
  const all = '/intermediaries'
  const one = `${all}/:organizationId`
  const people = `${one}/people`
  const paging = { after: '`next` of the page before.' }
  const pageIn = (visit: ApiVisit) => ({ after: textOf(visit, 'after'), rowsMax: rowsMax + 1 })
  const turns = ([name, disabled]: readonly [string, boolean]): ApiDeed[] => [
    deed({
      name: `${name}Organization`,
      method: 'POST',
      path: `${one}/${name}`,
      summary: disabled ? 'Disable an organization, with its people' : 'Enable an organization, with the people it had',
      answers: 'The organization as it is now.',
      ...writes,
      answer: async visit => {
        await setOrganizationDisabled(db, idIn(visit, 'organizationId'), disabled, visit.deed)
        return organization(visit)
      },
    }),
    deed({
      name: `${name}Intermediary`,
      method: 'POST',
      path: `${people}/:intermediaryId/${name}`,
      summary: disabled ? 'Disable a person of an organization' : 'Enable a person of an organization',
      answers: 'The organization of the person.',
      ...writes,
      answer: async visit => {
        const place = { organizationId: idIn(visit, 'organizationId'), intermediaryId: idIn(visit, 'intermediaryId') }
        await setIntermediaryDisabled(db, place, disabled, visit.deed)
        return organization(visit)
      },
    }),
  ]

  return [
    deed({
      name: 'listOrganizations',
      method: 'GET',
      path: all,
      summary: 'List the organizations of intermediaries',
      answers: 'Organizations by name, 50 a page.',
      ...reads,
      query: { q: 'Part of a name.', ...paging },
      answer: async visit => {
        const rows = await readOrganizations(db, { search: foldText(textOf(visit, 'q')), ...pageIn(visit) })
        return pageOf(rows, rowsMax, ({ name_folded }) => name_folded)
      },
    }),
    deed({
      name: 'addOrganization',
      method: 'POST',
      path: all,
      summary: 'Add an organization',
      answers: 'The organization.',
      makes: true,
      ...writes,
      body: organizationName,
      answer: async (visit, { name }) => requireOrganization(db, await addOrganization(db, name, visit.deed)),
    }),
    deed({
      name: 'readOrganization',
      method: 'GET',
      path: one,
      summary: 'Read an organization',
      answers: 'The organization.',
      ...reads,
      answer: organization,
    }),
    deed({
      name: 'renameOrganization',
      method: 'PUT',
      path: one,
      summary: 'Rename an organization',
      answers: 'The organization as it is now.',
      ...writes,
      body: organizationName,
      answer: async (visit, { name }) => {
        await renameOrganization(db, idIn(visit, 'organizationId'), name, visit.deed)
        return organization(visit)
      },
    }),
    deed({
      name: 'listIntermediaries',
      method: 'GET',
      path: people,
      summary: 'List the people of an organization',
      answers: 'Its people by e-mail, 50 a page.',
      ...reads,
      query: paging,
      answer: async visit => {
        const { organization_id } = await organization(visit)
        return pageOf(await readIntermediaries(db, organization_id, pageIn(visit)), rowsMax, row => row.email_folded)
      },
    }),
    deed({
      name: 'addIntermediary',
      method: 'POST',
      path: people,
      summary: 'Add a person to an organization',
      answers: 'The organization.',
      makes: true,
      ...writes,
      body: intermediary,
      answer: async (visit, { email }) => {
        await addIntermediary(db, idIn(visit, 'organizationId'), email, visit.deed)
        return organization(visit)
      },
    }),
    ...(
      [
        ['disable', true],
        ['enable', false],
      ] as const
    ).flatMap(turns),
  ]
}
