// People and their tokens as JSON.

import { Type } from 'typebox'
import { listAdminTokens, retireAdminToken } from '../../../access/admin-tokens.ts'
import { forgetIdentity } from '../../../access/identities.ts'
import { disablePerson, editPerson, enablePerson, inviteAgain, invitePerson } from '../../../access/people.ts'
import { roles } from '../../../access/roles.ts'
import { requireReachOfRole } from '../../../access/token-reach.ts'
import { readIdentities } from '../../../db/identity-rows.ts'
import { findPerson, readPeople } from '../../../db/person-rows.ts'
import { Problem } from '../../../problem.ts'
import type { Deps } from '../../deps.ts'
import { idIn } from '../addressed.ts'
import {
  invitationAnswer,
  linkAnswer,
  listed,
  nothing,
  personAnswer,
  personDetailsAnswer,
  tokenAnswer,
} from './answer-forms.ts'
import { type ApiDeed, type ApiVisit, deed, reads, writes } from './api-deeds.ts'
import { closed, text, texts } from './schemas.ts'

const facts = {
  name: text('As others know the person.'),
  role: Type.Enum([...roles], { description: 'What the person may do.' }),
  programs: texts('Slugs; of a program administrator, and none for another role.'),
}
const person = Type.Object(facts, closed)
const invited = Type.Object({ email: text('What the person signs in with.'), ...facts }, closed)
const unlinked = Type.Object({ issuer: text('The provider, as it names itself.') }, closed)

const tokenReach =
  'A token reaches no administrator, and needs as well what the role may do: programs:read and applications:write for a program administrator, every area’s read for an auditor.'

export function peopleDeeds({ consoleDb: db, config }: Deps): ApiDeed[] {
  const found = async (visit: ApiVisit) => {
    const row = await findPerson(db, idIn(visit, 'personId'))
    if (row === undefined) throw new Problem('not_found', { detail: 'There is no such person.' })
    return row
  }
  const read = reads('people')
  const write = writes('people')
  const one = '/people/:personId'
  const linkOf = ({ place }: ApiVisit, token: string): string =>
    `${place.baseUrl}/admin/${config.passwordSignIn ? `invitations/${token}` : 'sign-in'}`
  /** The person, if the token reaches who they are. */
  const reached = async (visit: ApiVisit) => {
    const row = await found(visit)
    requireReachOfRole(visit.token, row.role)
    return row
  }
  const turn = (name: string, what: typeof disablePerson, summary: string, widens: boolean): ApiDeed =>
    deed({
      name: `${name}Person`,
      method: 'POST',
      path: `${one}/${name}`,
      summary,
      answers: 'The person as they are now.',
      answered: personAnswer,
      ...write,
      confirmed: widens,
      ...(widens && { description: tokenReach }),
      answer: async visit => {
        await what(db, (await (widens ? reached(visit) : found(visit))).person_id, visit.deed)
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
      answered: listed(personAnswer),
      ...read,
      answer: async () => ({ items: await readPeople(db) }),
    }),
    deed({
      name: 'invitePerson',
      method: 'POST',
      path: '/people',
      summary: 'Invite somebody',
      description: tokenReach,
      answers: 'The id of the person, and the link to pass on, which is told once.',
      answered: invitationAnswer,
      makes: true,
      ...write,
      confirmed: true,
      body: invited,
      answer: async (visit, draft) => {
        requireReachOfRole(visit.token, draft.role)
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
      answered: personDetailsAnswer,
      ...read,
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
      description: `All three, so that nobody is given what somebody else has just taken away. It holds from the person’s next request. ${tokenReach}`,
      answers: 'The person as they are now.',
      answered: personAnswer,
      ...write,
      confirmed: true,
      body: person,
      answer: async (visit, draft) => {
        const { person_id } = await reached(visit)
        requireReachOfRole(visit.token, draft.role)
        await editPerson(db, person_id, draft, visit.deed)
        return found(visit)
      },
    }),
    deed({
      name: 'unlinkPerson',
      method: 'POST',
      path: `${one}/unlink`,
      summary: 'Forget who a person is at an OpenID provider',
      description: `Ends every sign-in and token of the person. The next to come from there with the verified e-mail is this person. ${tokenReach}`,
      answers: 'Nothing: it is forgotten.',
      answered: nothing,
      ...write,
      confirmed: true,
      body: unlinked,
      answer: async (visit, { issuer }) => {
        const { person_id: personId, email } = await reached(visit)
        await forgetIdentity(db, { personId, email, issuer }, visit.deed)
      },
    }),
    turn('disable', disablePerson, 'Disable a person: sessions, tokens and the link end at once', false),
    turn('enable', enablePerson, 'Enable a person again', true),
    deed({
      name: 'linkPerson',
      method: 'POST',
      path: `${one}/link`,
      summary: 'Make a new link for a person',
      description: tokenReach,
      answers: 'The link to pass on, which is told once. Links made before stop working.',
      answered: linkAnswer,
      ...write,
      confirmed: true,
      answer: async visit => ({
        link: linkOf(visit, await inviteAgain(db, (await reached(visit)).person_id, visit.deed)),
      }),
    }),
    deed({
      name: 'listTokens',
      method: 'GET',
      path: `${one}/tokens`,
      summary: 'List the API tokens of a person',
      answers: 'The tokens, those that are good first. Never the secret of one.',
      answered: listed(tokenAnswer),
      ...read,
      answer: async visit => ({ items: await listAdminTokens(db, (await found(visit)).person_id, visit.now) }),
    }),
    deed({
      name: 'retireToken',
      method: 'POST',
      path: `${one}/tokens/:tokenId/retire`,
      summary: 'Retire an API token of a person',
      answers: 'Nothing: it ends with its next request.',
      answered: nothing,
      ...write,
      answer: async visit => {
        const place = { tokenId: visit.params.tokenId!, personId: idIn(visit, 'personId') }
        await retireAdminToken(db, place, visit.deed)
      },
    }),
  ]
}
