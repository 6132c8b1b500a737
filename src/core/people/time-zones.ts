// The time zone that a person chose for the console. Exports, the API and what is stored keep the instance's zone (D57).

import { invalidRequest } from '../../base/problem.ts'
import { inTransaction, type Sql } from '../../db/client.ts'
import { updatePersonTimeZone } from '../../db/people/person-rows.ts'
import { type AuditContext, recordAction } from '../audit/record-action.ts'
import type { Person } from './roles.ts'

/** Time zones that can be chosen: canonical IANA names, UTC first. */
export const timeZones: readonly string[] = [
  'UTC',
  ...Intl.supportedValuesOf('timeZone').filter(name => name !== 'UTC'),
]
const known: ReadonlySet<string | null> = new Set(timeZones)

/** The time zone of a person's pages. A zone that this release doesn't know is ignored, and intermediaries can't choose one. */
export const timeZoneOf = ({ role }: Pick<Person, 'role'>, chosen: string | null, instance: string): string =>
  chosen !== null && known.has(chosen) && role !== 'INTERMEDIARY' ? chosen : instance

/** Chooses a zone; `` means the instance's. Audited. Throws Problem `invalid_request` for a zone that this server or the database doesn't know. */
export async function chooseTimeZone(sql: Sql, person: Person, zone: string, by: AuditContext): Promise<void> {
  await inTransaction(sql, async tx => {
    const isKnown = zone === '' || known.has(zone)
    if (!isKnown || !(await updatePersonTimeZone(tx, person.person_id, zone || null)))
      throw invalidRequest('The time zone is unknown.', [
        { parameter: 'time_zone', code: 'unknown_time_zone', detail: 'Choose a time zone from the list.' },
      ])
    await recordAction(tx, by, 'time_zone_chosen', person.email, { time_zone: zone || 'default' })
  })
}
