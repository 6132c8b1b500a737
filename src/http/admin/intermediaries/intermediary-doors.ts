// The Intermediaries panel: organizations that submit on behalf of applicants, and their people.

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
import { emptyForm, type FormState } from '../../shell/fields.tsx'
import { htmlResponse } from '../../shell/html-response.ts'
import { readingRoles } from '../../shell/navigation.ts'
import { idIn, pageOf, textOf } from '../addressed.ts'
import { type ConsoleDoor, deedOf, faultsOf, redirect, type Visit } from '../console-doors.ts'
import { NewOrganizationPage, OrganizationPage, OrganizationsPage } from './intermediary-pages.tsx'

const rowsMax = 50

export function intermediaryDoors({ consoleDb: db, config }: Deps): ConsoleDoor[] {
  const list = async (visit: Visit): Promise<Response> => {
    const [search, after] = [textOf(visit, 'q'), textOf(visit, 'after')]
    const rows = await readOrganizations(db, { search: foldText(search), after, rowsMax: rowsMax + 1 })
    const { items: organizations, next } = pageOf(rows, rowsMax, ({ name_folded }) => name_folded)
    const checked = config.intermediaries === 'listed'
    return htmlResponse(OrganizationsPage({ context: visit.context, organizations, search, after, next, checked }))
  }

  const showNew = (visit: Visit, form: FormState = emptyForm, status = 200): Response =>
    htmlResponse(NewOrganizationPage({ context: visit.context, form }), status)

  const add = async (visit: Visit): Promise<Response> => {
    try {
      const id = await addOrganization(db, visit.form.get('name') ?? '', deedOf(visit))
      return redirect(visit, `/admin/intermediaries/${id}?done=added`)
    } catch (error) {
      return showNew(visit, { values: visit.form, faults: faultsOf(error) }, 400)
    }
  }

  const show = async (visit: Visit, form: FormState = emptyForm, status = 200): Promise<Response> => {
    const organization = await requireOrganization(db, idIn(visit, 'organizationId'))
    const after = textOf(visit, 'after')
    const rows = await readIntermediaries(db, organization.organization_id, { after, rowsMax: rowsMax + 1 })
    const { items: people, next } = pageOf(rows, rowsMax, ({ email_folded }) => email_folded)
    const done = visit.url.searchParams.get('done')
    const mayChange = visit.person.role === 'ADMINISTRATOR'
    return htmlResponse(
      OrganizationPage({ context: visit.context, form, organization, people, after, next, done, mayChange }),
      status,
    )
  }

  /** Does something to an organization; what was wrong with a form comes back on its page. */
  const change = (done: string, what: (visit: Visit, id: number) => Promise<void>) => async (visit: Visit) => {
    const id = idIn(visit, 'organizationId')
    await requireOrganization(db, id)
    try {
      await what(visit, id)
      return redirect(visit, `/admin/intermediaries/${id}?done=${done}`)
    } catch (error) {
      return show(visit, { values: visit.form, faults: faultsOf(error) }, 400)
    }
  }

  const rename = change('renamed', (visit, id) =>
    renameOrganization(db, id, visit.form.get('name') ?? '', deedOf(visit)),
  )
  const addPerson = change('person-added', (visit, id) =>
    addIntermediary(db, id, visit.form.get('email') ?? '', deedOf(visit)),
  )
  const turn = (disabled: boolean) =>
    change(disabled ? 'disabled' : 'enabled', (visit, id) => setOrganizationDisabled(db, id, disabled, deedOf(visit)))
  const turnPerson = (disabled: boolean) =>
    change(disabled ? 'person-disabled' : 'person-enabled', (visit, organizationId) => {
      const place = { organizationId, intermediaryId: idIn(visit, 'intermediaryId') }
      return setIntermediaryDisabled(db, place, disabled, deedOf(visit))
    })

  const one = '/admin/intermediaries/:organizationId'
  const person = `${one}/people/:intermediaryId`
  const admin = ['ADMINISTRATOR'] as const
  return [
    { method: 'GET', path: '/admin/intermediaries', roles: readingRoles, answer: list },
    { method: 'GET', path: '/admin/intermediaries/new', roles: admin, answer: visit => showNew(visit) },
    { method: 'POST', path: '/admin/intermediaries/new', roles: admin, answer: add, again: showNew },
    { method: 'GET', path: one, roles: readingRoles, answer: visit => show(visit) },
    { method: 'POST', path: one, roles: admin, answer: rename, again: show },
    { method: 'POST', path: `${one}/disable`, roles: admin, answer: turn(true) },
    { method: 'POST', path: `${one}/enable`, roles: admin, answer: turn(false) },
    { method: 'POST', path: `${one}/people`, roles: admin, answer: addPerson, again: show },
    { method: 'POST', path: `${person}/disable`, roles: admin, answer: turnPerson(true) },
    { method: 'POST', path: `${person}/enable`, roles: admin, answer: turnPerson(false) },
  ]
}
