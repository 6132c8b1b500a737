// What is done to a cluster while it works: shards are moved, nodes die, its schema is changed. Run by scripts/test-citus.

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { release } from '../../src/base/release.ts'
import { openDatabase } from '../../src/db/client.ts'
import { prepareAtStart } from '../../src/db/instance.ts'
import { migrate } from '../../src/db/migrate.ts'
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import { unlimited } from '../support/config.ts'
import { ExportClient } from '../support/export-client.ts'
import { endWithTest, usePool, useService } from '../support/fixtures.ts'
import { FrontEnd } from '../support/front-end.ts'
import { createTestKey } from '../support/keys.ts'
import { aProgram, q } from '../support/programs.ts'
import { readsOf } from '../support/read-address.ts'
import { succeeds } from '../support/refusal.ts'
import type { TestService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { StandbyStory } from '../web/http/export-applications/standby-story.ts'
import { balanced, cluster, moveAway, nodesOf, placeOf, useCluster } from './on-cluster.ts'

describe('walks on the nodes, alongside 8 writers', () => {
  test('G1 to G6, G13: are exact and never short when shards move, or when the node or the coordinator dies', async () => {
    const database = await useCluster()
    const { sql } = database
    const service = await useService(
      database,
      { maxPageSize: 1000, ...unlimited },
      { readDb: await balanced(database) },
    )
    const story = await StandbyStory.begin(service, sql, 8)
    try {
      const [program] = await sql<{ program_id: number }[]>`select program_id from program`
      const { program_id } = program!
      await story.walks(3)
      for (const how of ['block_writes', 'force_logical'])
        await Promise.all([story.walks(3), moveAway(sql, program_id, how)])
      const { worker } = await placeOf(sql, program_id)
      const client = new ExportClient(service, await createTestKey(sql, { programs: ['story'] }), 'story')
      const missed = () => until('it to be missed', async () => (await client.request()).status === 503)
      await Promise.all([story.walks(3), cluster.without(worker, missed, 'killed')])
      await story.submissions(10)
      await Promise.all([story.walks(3), cluster.without('coordinator', async () => {}, 'killed')])
      await story.submissions(10)
      await story.walks(3)
      await story.end()
      await story.check({ synchronous: true })
      expect((await readsOf(service)).read).toBeGreaterThan(0)
    } finally {
      await story.end()
    }
  })
})

describe('after a standby has taken over from the coordinator', () => {
  test('a service can start, and new applicants and applications get IDs well beyond those that may be lost', async () => {
    const database = await useCluster()
    const { sql } = database
    await aProgram(sql, { slug: 'taken-over', questions: [q.text('words')] })
    const key = await createTestKey(sql, { programs: ['taken-over'], maySubmit: true })
    const apply = async (service: TestService) => {
      const frontEnd = new FrontEnd(service, key, 'taken-over')
      const applicant = await frontEnd.register()
      const { application_id } = await frontEnd.apply(applicant, { words: { text: 'kept' } })
      return [applicant, application_id] as const
    }
    const before = await apply(await useService(database, unlimited))
    await cluster.without('coordinator', async () => {
      await Bun.write(join(cluster.coordinator.dataDirectory, 'standby.signal'), '')
    })
    await until('the standby to be promoted', () => succeeds(sql`select pg_promote()`))
    await prepareAtStart({ databaseUrl: database.url, timeZone: 'UTC', exportOnly: false })
    const service = await useService(database, unlimited)
    const after = await apply(service)
    for (const [n, id] of after.entries()) expect(id - before[n]!).toBeGreaterThan(9_999_999)
    expect(await new ExportClient(service, key, 'taken-over').walkAll()).toHaveLength(2)
  })
})

describe('if the coordinator dies between the two phases of a commit', () => {
  test('after its own commit, the submission and its audit entry are there once the prepared transaction is committed', async () => {
    const database = await useCluster()
    const { sql } = database
    await aProgram(sql, { slug: 'decided', questions: [q.text('words')] })
    const key = await createTestKey(sql, { programs: ['decided'], maySubmit: true })
    // Waits for a standby that never comes, after it has committed here and before the worker hears of it.
    const waiting = openDatabase({ url: `${database.url}?synchronous_commit=on`, connectionsMax: 2 })
    const service = await useService(database, unlimited, { intakeDb: waiting, readDb: await balanced(database) })
    const frontEnd = new FrontEnd(service, key, 'decided')
    const applicant = await frontEnd.register()
    await frontEnd.save(applicant, { words: { text: 'kept' } })
    await sql`alter system set synchronous_standby_names = 'absent'`
    await sql`select pg_reload_conf()`
    const submitting = frontEnd.submit(applicant).catch((error: Error) => error)
    await until('the commit to wait', async () => {
      const rows = await sql`select from pg_stat_activity where wait_event = 'SyncRep' and datname = current_database()`
      return rows.length > 0
    })
    await cluster.without('coordinator', async () => {}, 'killed')
    expect(String(await submitting)).toContain('answered 503')
    await until('the coordinator to answer', () => succeeds(sql`alter system reset synchronous_standby_names`))
    await sql`select pg_reload_conf()`
    await sql`select recover_prepared_transactions()`
    const [there] = await sql`
      select
        (select count(*)::int from application) as applications,
        (select count(*)::int from audit_event where action = 'application_submitted') as lines`
    expect(there).toEqual({ applications: 1, lines: 1 })
    const client = new ExportClient(service, key, 'decided')
    await until('the export', async () => (await client.request()).status === 200)
    expect(await client.walkAll()).toHaveLength(1)
    await waiting.end({ timeout: 0 })
  })

  test('before its own commit, walks continue without the submission, and submissions once the prepared transaction is rolled back', async () => {
    const database = await useCluster()
    const { sql } = database
    const { program_id } = await aProgram(sql, { slug: 'undone', questions: [q.text('words')] })
    const key = await createTestKey(sql, { programs: ['undone'], maySubmit: true })
    const service = await useService(database, unlimited, { readDb: await balanced(database) })
    const [frontEnd, client] = [new FrontEnd(service, key, 'undone'), new ExportClient(service, key, 'undone')]
    await frontEnd.apply(await frontEnd.register(), { words: { text: 'first' } })
    const { worker } = await placeOf(sql, program_id)
    const [shard] = await sql<{ counter: string }[]>`
      select shard_name('submission_counter', get_shard_id_for_distribution_column('submission_counter', ${program_id}::bigint)) as counter`
    // As a coordinator leaves it that prepared and never said what it decided.
    const there = usePool({ url: nodesOf(database)[worker]!, connectionsMax: 1 }, endWithTest)
    await there
      .unsafe(
        `begin; set local citus.enable_manual_changes_to_shards = on;
        update ${shard!.counter} set submit_seq = submit_seq + 1 where program_id = ${program_id};
        prepare transaction 'citus_0_1_999999_1'`,
      )
      .simple()
    expect(await client.walkAll()).toHaveLength(1)
    const second = frontEnd.register().then(applicant => frontEnd.apply(applicant, { words: { text: 'second' } }))
    await sql`select recover_prepared_transactions()`
    await second
    expect(await client.walkAll()).toHaveLength(2)
    const [counter] = await sql`select submit_seq from submission_counter where program_id = ${program_id}`
    expect(counter).toEqual({ submit_seq: 2 })
  })
})

describe('a distributed installation', () => {
  test('is migrated alongside its writers, with additions on every shard, while walks on the nodes continue', async () => {
    const database = await useCluster()
    const { sql } = database
    const service = await useService(
      database,
      { maxPageSize: 1000, ...unlimited },
      { readDb: await balanced(database) },
    )
    const story = await StandbyStory.begin(service, sql, 2)
    try {
      const added = {
        name: '9999-added.sql',
        text: `
          -- A column; and an index.
          alter table application add column added_later text;
          create index application_added on application (program_id, added_later);
          -- A table that stays on the coordinator, and names a program.
          create table added (
            added_id bigint generated always as identity primary key,
            program_id bigint not null references program
          );
          create function later() returns text language plpgsql as $$ begin return 'later'; end $$;
        `,
        sha256: 'added',
        kind: 'expand',
        oldestRelease: release.version,
      } as const
      const migrated = migrate(sql, [...allMigrations, added])
      await Promise.all([story.walks(3), migrated])
      expect(await migrated).toEqual([added.name])
      await story.submissions(10)
      await story.walks(2)
      await story.end()
      await story.check({ synchronous: true })
      const shards = await sql<{ result: string }[]>`
        select result from run_command_on_shards('application', 'select count(added_later) from %s')`
      expect(shards.map(({ result }) => result)).toEqual(['0', '0', '0', '0'])
      const [added_table] = await sql`select from pg_dist_partition where logicalrelid = 'added'::regclass`
      expect(added_table).toBeUndefined()
      await sql`insert into added (program_id) select program_id from program`
      for (const names of [
        'added (program_id) values (77)',
        `api_key_program (api_key_id, program_id) values ('x', 77)`,
      ])
        await expect(sql.unsafe(`insert into ${names}`)).rejects.toMatchObject({ code: '23503' })
      // What is otherwise where applications are distributed still is.
      const [drawing] = await sql`select prosecdef as as_owner from pg_proc where proname = 'draw_changes'`
      expect(drawing).toEqual({ as_owner: false })
    } finally {
      await story.end()
    }
  })
})
