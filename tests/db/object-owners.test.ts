// An owner of the schema that is a login like any other, as deploy/compose/create-logins.sql makes it, in a database in which other logins
// have created something.

import { afterEach, beforeAll, expect, test } from 'bun:test'
import { connectQueue, prepareQueue, type Queue } from '../../src/core/queue/connect.ts'
import { queueNames } from '../../src/core/queue/jobs.ts'
import { grantRoles } from '../../src/db/distribution.ts'
import { migrate } from '../../src/db/migrate.ts'
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import { readLeftToSuperuser } from '../../src/db/object-owners.ts'
import { endWithFile, useBareDatabase, usePool } from '../support/fixtures.ts'
import { failureOf } from '../support/refusal.ts'

const database = await useBareDatabase()
const superuser = database.sql
const names = { owner: `plain_owner_${process.pid}`, work: `plain_work_${process.pid}` }
const urlOf = (username: string) => Object.assign(new URL(database.url), { username, password: '' }).href

const groups = ['service', 'worker', 'console', 'follower'].map(name => `tributary_${name}`)
for (const group of groups)
  await superuser.unsafe(`
    do $$ begin create role ${group} nologin; exception when duplicate_object or unique_violation then null; end $$`)
await superuser.unsafe(`
  create role ${names.owner} login;
  create role ${names.work} login in role tributary_worker;
  alter database ${new URL(database.url).pathname.slice(1)} owner to ${names.owner};
  revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea) from public`)
endWithFile(() =>
  superuser
    .unsafe(
      Object.values(names)
        .map(name => `reassign owned by ${name} to current_user; drop owned by ${name}; drop role ${name};`)
        .join(' '),
    )
    .simple(),
)
const owner = usePool({ url: urlOf(names.owner), connectionsMax: 2, applicationName: 'test' })
const work = usePool({ url: urlOf(names.work), connectionsMax: 1, applicationName: 'test' })

const queues: Queue[] = []
afterEach(async () => {
  for (const queue of queues.splice(0)) await queue.close()
})

/** As scripts/migrate --roles. */
async function migrateWithRoles(): Promise<void> {
  await migrate(owner, allMigrations)
  await prepareQueue(urlOf(names.owner))
  await grantRoles(owner)
}

/** A job in each queue, added by the worker's login. */
async function addJobs(id: string): Promise<void> {
  for (const name of queueNames) {
    const queue = await connectQueue({ name, databaseUrl: urlOf(names.work), redisUrl: undefined }, () => {})
    queues.push(queue)
    await queue.add([{ name: 'refresh-key-map', id, payload: {} }])
  }
}

const ownersIn = async (schema: string): Promise<string[]> => {
  const rows = await superuser<{ owner: string }[]>`
    select distinct pg_get_userbyid(relowner) as owner from pg_class where relnamespace = ${schema}::regnamespace`
  return rows.map(row => row.owner)
}

beforeAll(migrateWithRoles)

test('the tables of the job queue belong to the schema owner, even if the worker’s login adds the first job', async () => {
  await addJobs('first')
  expect(await ownersIn('bullmq')).toEqual([names.owner])
  await migrateWithRoles()
})

test('no role for logins may create anything in any schema', async () => {
  const rows = await superuser<{ role: string; schema: string }[]>`
    select role, nspname as schema
    from pg_namespace, unnest(${groups}::text[]) as role
    where nspname !~ '^pg_(temp|toast)' and has_schema_privilege(role, oid, 'create')`
  expect(rows).toHaveLength(0)
})

test('a counter created by the worker’s login, as earlier releases allowed, is replaced, and the login can then be dropped', async () => {
  await superuser.unsafe(`grant create on schema bullmq to tributary_worker`)
  const [counter] = await superuser<{ name: string }[]>`
    select bullmq.job_id_seq_name(${queueNames[0]}) as name`
  await superuser.unsafe(`drop sequence bullmq.${counter!.name}`)
  await addJobs('by-the-worker')
  expect((await ownersIn('bullmq')).sort()).toEqual(Object.values(names).sort())
  await migrateWithRoles()
  expect(await ownersIn('bullmq')).toEqual([names.owner])
  await addJobs('afterwards')
  const [owned] = await superuser`
    select count(*)::int as objects from pg_shdepend where refobjid = ${names.work}::regrole and deptype = 'o'`
  expect(owned).toEqual({ objects: 0 })
})

test('objects of another login are unchanged and listed with the statement that transfers them, and the rest is granted', async () => {
  await superuser.unsafe('create table public.others (a int); create sequence bullmq.theirs').simple()
  await superuser.unsafe('select lo_create(4711)')
  try {
    expect(await failureOf(owner`select from others`)).toMatchObject({ code: '42501' })
    await superuser.unsafe('revoke select on program from tributary_worker')
    await migrateWithRoles()
    await work`select from program`
    const left = await readLeftToSuperuser(owner)
    expect(left.map(({ statement }) => statement)).toEqual(
      ['large object 4711', 'sequence bullmq.theirs', 'table public.others'].map(
        name => `alter ${name} owner to ${names.owner};`,
      ),
    )
    for (const { statement } of left) await superuser.unsafe(statement)
    expect(await readLeftToSuperuser(owner)).toEqual([])
    await superuser.unsafe('grant execute on function lo_create(oid) to public')
    expect((await readLeftToSuperuser(owner)).map(({ statement }) => statement)).toEqual([
      expect.stringMatching(/^revoke execute on function lo_create/),
    ])
  } finally {
    await superuser
      .unsafe(`
      revoke execute on function lo_create(oid) from public; drop table others; drop sequence bullmq.theirs`)
      .simple()
    await superuser.unsafe('select lo_unlink(4711)')
  }
})
