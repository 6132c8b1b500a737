// Opening answers for a person: all that is asked for and on record, or nothing and no word of it.

import { expect, test } from 'bun:test'
import { openApplications, openMany } from '../../../src/core/applications/open-application.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'
import { rejection } from '../../support/refusal.ts'

const { sql } = await useDatabase()
const program = await insertRawProgram(sql, 'opened')
const [first, second] = await insertRawApplications(sql, program, 2)
const person = { program_id: program.program_id, actor: 'admin:kim@example.gov', address: undefined }

test('several applications are read in the given order, and the audit log names them', async () => {
  const listed = { action: 'applications_listed', slug: program.slug, filters: ['q'] } as const
  const opened = await openMany(sql, person, [first!, 999_999, second!], listed)
  expect(opened.map(({ application_id }) => application_id)).toEqual([first!, second!])
  const [event] = await sql`select detail from audit_event where action = 'applications_listed'`
  expect(event!.detail).toEqual({ program_id: program.program_id, applications: [first!, second!], filters: ['q'] })
})

test('if one of them does not exist, none is read and the audit log has no entry', async () => {
  const open = (...ids: number[]) =>
    openApplications(
      sql,
      person,
      ids.map((applicationId, i) => ({ applicationId, reading: i === 0 ? 'shown' : 'compared' })),
    )
  const readings = async () =>
    (await sql`select subject, detail from audit_event where action = 'application_read' order by audit_event_id`).map(
      ({ subject, detail }) => [Number(subject), detail.reading],
    )
  expect((await rejection(open(first!, 999_999))).kind).toBe('not_found')
  expect(await readings()).toEqual([])
  const opened = await open(second!, first!)
  expect(opened.map(({ application_id }) => application_id)).toEqual([second!, first!])
  expect(await readings()).toEqual([
    [second!, 'shown'],
    [first!, 'compared'],
  ])
})
