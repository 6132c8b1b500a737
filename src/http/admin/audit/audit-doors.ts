// The audit trail for administrators and auditors: events with filters, as CSV, one event, whom an application was sent to, whether
// the trail is whole. Nothing here changes anything; that somebody took the trail away as a file is noted in it.

import { findDisclosures } from '../../../access/disclosure.ts'
import { actorOf } from '../../../access/roles.ts'
import { type AuditVerdict, measureAuditTrail, verifyAuditTrail } from '../../../access/verify-audit.ts'
import { readApiKeyNames } from '../../../db/api-key-rows.ts'
import { findAuditEvent, readAuditActions, readAuditEvents } from '../../../db/audit.ts'
import { Problem, type ProblemItem } from '../../../problem.ts'
import type { Deps } from '../../deps.ts'
import { emptyForm, type FormState } from '../../shell/fields.tsx'
import { htmlResponse } from '../../shell/html-response.ts'
import { readingRoles } from '../../shell/navigation.ts'
import { idIn, idOf, pageOf } from '../addressed.ts'
import type { ConsoleDoor, Visit } from '../console-doors.ts'
import { downloadEvents } from './audit-download.ts'
import { EventPage, TrailPage } from './audit-pages.tsx'
import { readAuditQuery } from './audit-query.ts'
import { DisclosuresPage } from './sent-pages.tsx'
import { checkedEventsMax, VerifyPage } from './verify-page.tsx'

const pageRows = 50

export function auditDoors(deps: Deps): ConsoleDoor[] {
  const { consoleDb: db, config } = deps

  const keyNames = (events: readonly { actor: string }[]) =>
    readApiKeyNames(
      db,
      events.flatMap(({ actor }) => (actor.startsWith('key:') ? [actor.slice(4)] : [])),
    )

  const trail = async (visit: Visit): Promise<Response> => {
    const { filter, beforeId, form } = readAuditQuery(visit.url.searchParams, config.timeZone)
    const faulty = form.faults.length > 0
    const rows = faulty ? [] : await readAuditEvents(db, filter, { beforeId, rowsMax: pageRows + 1 })
    const { items: events, next } = pageOf(rows, pageRows, ({ audit_event_id }) => audit_event_id)
    return htmlResponse(
      TrailPage({
        context: visit.context,
        form,
        events,
        nextBefore: next,
        later: beforeId !== undefined,
        actions: await readAuditActions(db),
        keyNames: await keyNames(events),
      }),
      faulty ? 400 : 200,
    )
  }

  const download = (visit: Visit): Promise<Response> => {
    const { filter, form } = readAuditQuery(visit.url.searchParams, config.timeZone)
    if (form.faults.length > 0) return trail(visit)
    return downloadEvents(deps, visit, filter, actorOf(visit.person))
  }

  const event = async (visit: Visit): Promise<Response> => {
    const { context } = visit
    const found = await findAuditEvent(db, idIn(visit, 'eventId'))
    if (found === undefined) throw new Problem('not_found', { detail: 'There is no such event.' })
    return htmlResponse(EventPage({ context, event: found, keyNames: await keyNames([found]) }))
  }

  const sent = async ({ context, url }: Visit): Promise<Response> => {
    const parameters = url.searchParams
    const written = parameters.get('application')
    const applicationId = idOf(written?.trim())
    const faults: ProblemItem[] = []
    if (written !== null && applicationId === undefined)
      faults.push({
        parameter: 'application',
        code: 'not_an_id',
        detail: 'Write the id of an application, such as 4711.',
      })
    const program = parameters.get('program')
    const beforeId = program === null ? undefined : idOf(parameters.get('before'))
    const asked = { slug: program ?? undefined, beforeId, rowsMax: pageRows }
    const found = applicationId === undefined ? [] : await findDisclosures(db, applicationId, asked)
    const files = found.length === 0 ? [] : (await measureAuditTrail(db)).files
    const names = await keyNames(found.flatMap(({ pages }) => pages))
    const form = { values: parameters, faults }
    return htmlResponse(
      DisclosuresPage({ context, form, applicationId, found, files, keyNames: names }),
      faults.length > 0 ? 400 : 200,
    )
  }

  const showVerify = async (
    { context }: Visit,
    form: FormState,
    verdict: AuditVerdict | undefined = undefined,
  ): Promise<Response> =>
    htmlResponse(
      VerifyPage({ context, form, verdict, ...(await measureAuditTrail(db)) }),
      form.faults.length > 0 ? 400 : 200,
    )

  const verify = async (visit: Visit): Promise<Response> => {
    const noted = visit.form.get('noted')?.trim() || undefined
    if ((await measureAuditTrail(db)).events > checkedEventsMax)
      throw new Problem('conflict', {
        detail: `There are more than ${checkedEventsMax} events by now. scripts/audit verify checks them.`,
      })
    try {
      const verdict = await verifyAuditTrail(db, noted)
      return await showVerify(visit, { values: visit.form, faults: [] }, verdict)
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== 'invalid_request') throw error
      const detail = 'This is not such a word, or not the whole of it.'
      return showVerify(visit, {
        values: visit.form,
        faults: [{ parameter: 'noted', code: 'malformed', detail }],
      })
    }
  }

  const path = '/admin/audit'
  return [
    { method: 'GET', path, roles: readingRoles, answer: trail },
    { method: 'GET', path: `${path}/events.csv`, roles: readingRoles, answer: download },
    { method: 'GET', path: `${path}/events/:eventId`, roles: readingRoles, answer: event },
    { method: 'GET', path: `${path}/sent`, roles: readingRoles, answer: sent },
    { method: 'GET', path: `${path}/verify`, roles: readingRoles, answer: visit => showVerify(visit, emptyForm) },
    { method: 'POST', path: `${path}/verify`, roles: readingRoles, answer: verify },
  ]
}
