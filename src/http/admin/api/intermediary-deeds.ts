// The organizations of intermediaries, and their people, as JSON.

import { Type } from 'typebox'
import {
  addIntermediary,
  addOrganization,
  renameOrganization,
  requireOrganization,
  setIntermediaryDisabled,
  setOrganizationDisabled,
} from '../../../access/intermediaries.ts'
import { readIntermediaries, readOrganizations } from '../../../db/intermediary-rows.ts'
import { foldText } from '../../../domain/values/folded-text.ts'
import type { Deps } from '../../deps.ts'
import { idIn, pageOf, textOf } from '../addressed.ts'
import { intermediaryAnswer, organizationAnswer, pageAfter } from './answer-forms.ts'
import { type ApiDeed, type ApiVisit, deed, reads, writes } from './api-deeds.ts'
import { closed, text } from './schemas.ts'

const rowsMax = 50

const organizationName = Type.Object({ name: text('As exports show it.') }, closed)
const intermediary = Type.Object({ email: text('The e-mail a submission names.') }, closed)

export function intermediaryDeeds({ consoleDb: db }: Deps): ApiDeed[] {
  const organization = (visit: ApiVisit) => requireOrganization(db, idIn(visit, 'organizationId'))
  const read = reads('intermediaries')
  const write = writes('intermediaries')
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
      answered: organizationAnswer,
      ...write,
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
      answered: organizationAnswer,
      ...write,
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
      answered: pageAfter(organizationAnswer),
      ...read,
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
      answered: organizationAnswer,
      makes: true,
      ...write,
      body: organizationName,
      answer: async (visit, { name }) => requireOrganization(db, await addOrganization(db, name, visit.deed)),
    }),
    deed({
      name: 'readOrganization',
      method: 'GET',
      path: one,
      summary: 'Read an organization',
      answers: 'The organization.',
      answered: organizationAnswer,
      ...read,
      answer: organization,
    }),
    deed({
      name: 'renameOrganization',
      method: 'PUT',
      path: one,
      summary: 'Rename an organization',
      answers: 'The organization as it is now.',
      answered: organizationAnswer,
      ...write,
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
      answered: pageAfter(intermediaryAnswer),
      ...read,
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
      answered: organizationAnswer,
      makes: true,
      ...write,
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
