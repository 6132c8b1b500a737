// What the demo's console has to show besides applications, made by what people use: through the same use cases, and by calls that are answered.

import { expect, test } from 'bun:test'
import { demoActors, fillConsole } from '../../scripts/seed-program/fill-console.ts'
import { seedPrograms } from '../../scripts/seed-program/seed-programs.ts'
import { askForDeliveries } from '../../src/core/webhooks/deliveries.ts'
import { readAttention } from '../../src/db/dashboard/attention.ts'
import { findActiveVersion, findDraftVersion, findProgram } from '../../src/db/programs/programs.ts'
import { loadRecent } from '../../src/web/console/home/recent-activity.tsx'
import { changesOf } from '../../src/web/console/programs/program-in-view.ts'
import { useDatabase, useService } from '../support/fixtures.ts'
import { until } from '../support/until.ts'

const { sql, ...database } = await useDatabase()
const service = await useService({ sql, ...database })

test('the demo has a draft with three changes, two organizations, people, weeks of statuses and notes, and expiring, refused and unused keys', async () => {
  const programs = ['utility-assistance', 'child-care-subsidy']
  const seeded = programs.map(slug => ({ slug, applications: 400 }))
  const by = { timeZone: 'UTC', ...demoActors }
  await seedPrograms(sql, { programs: seeded, now: Date.now() * 1000, ...by })
  await fillConsole({ ...service.config, sql, baseUrl: service.baseUrl, programs })
  const { program_id } = (await findProgram(sql, programs[0]!))!
  const [active, draft] = [await findActiveVersion(sql, program_id), await findDraftVersion(sql, program_id)]
  expect(changesOf(active, draft!)).toHaveLength(3)
  // Who published, drafts and decides may do so, and has been here.
  const [editor] = await sql`select role, last_signed_in_at from person where 'admin:' || email = ${by.publishedBy}`
  expect(editor).toMatchObject({ role: 'ADMINISTRATOR', last_signed_in_at: expect.anything() })
  const { entries } = await loadRecent({ consoleDb: sql })
  expect(new Set(entries.map(({ event }) => event.action)).size).toBeGreaterThan(2)
  expect(entries.filter(({ event }) => event.action === 'application_annotated')).toEqual([])
  const weeksAgo = (Date.now() - draft!.created_at / 1000) / (7 * 86_400_000)
  expect([draft!.created_by, Math.floor(weeksAgo)]).toEqual([by.publishedBy, 2])
  const early = await sql`
    select from application
    join program_version using (program_version_id)
    join program on program.program_id = application.program_id
    where submit_time < published_at or published_at < program.created_at or published_by <> ${by.publishedBy}`
  expect(early).toHaveLength(0)
  // Nobody has done anything before they were invited, and what was decided since is due at a webhook.
  const [{ order }] = await sql<[{ order: boolean }]>`
    select min(audit_event_id) filter (where actor = ${by.publishedBy}) >
      min(audit_event_id) filter (where action = 'person_invited' and 'admin:' || subject = ${by.publishedBy}) as order
    from audit_event`
  expect(order).toBe(true)
  expect(await askForDeliveries(sql, Date.now() * 1000)).toBe(1)
  expect(await sql`select from intermediary_organization`).toHaveLength(2)
  expect(await sql`select from person where disabled_at is null`).toHaveLength(2)
  const [history] = await sql`
    select count(*) as applications, min(steps) as fewest, max(steps) as most, min(days) as shortest, sum(notes) as notes
    from (
      select count(*) as steps, count(*) filter (where n.application_note is not null) as notes,
        max(n.changed_at)::date - min(n.changed_at)::date as days, max(n.changed_at) as last
      from application_annotation n
      where n.changed_by = 'admin:maria.okafor@arden.example.gov'
      group by n.application_id
    ) of_each
    where last < now()`
  expect(history!.applications).toBeGreaterThan(1)
  expect(history!.fewest).toBeGreaterThan(2)
  expect(history!.most).toBeGreaterThanOrEqual(history!.fewest)
  expect(history!.shortest).toBeGreaterThan(7)
  expect(Number(history!.notes)).toBeGreaterThan(0)
  await until('the calls to be noted', async () => (await sql`select from refusal`).length === 3)
  await until('the page to be noted', async () => (await sql`select from program_reader`).length === 1)
  const [read] = await sql`
    select read_to = (select max(submit_time) from application where program_id = ${program_id}) as all from program_reader`
  expect(read).toEqual({ all: true })
  const attention = { among: 'all', reads: true, now: Date.now() * 1000, expiresUntil: 0, rowsMax: 5 } as const
  expect((await readAttention(sql, attention)).map(({ kind, subject }) => [kind, subject])).toEqual(
    expect.arrayContaining([
      ['draft', programs[0]],
      ['unread', programs[1]],
    ]),
  )
  const keys = await sql<{ read: boolean; refused: boolean; expiring: boolean }[]>`
    select api_key_id in (select api_key_id from program_reader) as read, api_key_id in (select api_key_id from refusal) as refused,
      expires_at < now() + interval '7 days' as expiring
    from api_key order by read, refused`
  expect([...keys]).toEqual([
    { read: false, refused: false, expiring: false },
    { read: false, refused: true, expiring: false },
    { read: true, refused: false, expiring: true },
  ])
})
