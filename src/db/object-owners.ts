// The owners of objects in our schemas. Only an object's owner can grant rights on it or dump it, so everything permanent belongs to the schema's
// owner, and processes may not create objects there.

import { type Db, inTransaction, type Sql } from './client.ts'

/** Something that the schema's owner cannot do itself, and the statement with which a superuser can. */
export interface LeftToSuperuser {
  why: string
  statement: string
}

/**
 * Objects in our schemas that another login owns, and the right to create large objects, which end up in every dump. Objects of extensions aren't
 * listed, because no dump contains them.
 */
export function readLeftToSuperuser(db: Db): PromiseLike<LeftToSuperuser[]> {
  return db<LeftToSuperuser[]>`
    select
      format('%s belongs to %I: its rights are unchanged, and a dump by %I may fail.', name, pg_get_userbyid(owner), current_user) as why,
      format('alter %s owner to %I;', name, current_user) as statement
    from (
      select format('schema %I', nspname) as name, nspowner as owner, 'pg_namespace'::regclass as catalog, oid
      from pg_namespace
      where nspname = 'bullmq'
      union all
      select
        format('%s %I.%I', case relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' else 'table' end,
          nspname, relname),
        relowner, 'pg_class'::regclass, pg_class.oid
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname in ('public', 'bullmq') and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      union all
      select format('large object %s', oid), lomowner, 'pg_largeobject'::regclass, oid
      from pg_largeobject_metadata
    ) as object
    where not pg_has_role(owner, 'usage')
    and not exists (
      select from pg_depend where classid = catalog and objid = object.oid and deptype = 'e'
    )
    union all
    select
      'Every login may create large objects, and a dump by another login fails on them.',
      'revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea) from public;'
    where has_function_privilege('tributary_service', 'lo_create(oid)', 'execute')
    order by why`
}

/**
 * Creates the counters that BullMQ would otherwise create with the first job of a queue, owned by the login that adds it. A counter that another
 * login owns is replaced, which the schema's owner may do. It restarts from 1, and every job of ours has its own ID.
 */
export async function createQueueCounters(sql: Sql, queues: readonly string[]): Promise<void> {
  await inTransaction(sql, async tx => {
    for (const queue of queues) {
      // BullMQ's own lock for this.
      await tx`select pg_advisory_xact_lock(hashtext(${`bullmq:jidseq:${queue}`}))`
      const [{ name, exists, own }] = await tx<[{ name: string; exists: boolean; own: boolean }]>`
        select name, pg_class.oid is not null as exists, coalesce(pg_has_role(relowner, 'usage'), false) as own
        from bullmq.job_id_seq_name(${queue}) as name
        left join pg_class on relname = name and relnamespace = 'bullmq'::regnamespace`
      const sequence = tx(`bullmq.${name}`)
      if (exists && !own) await tx`drop sequence ${sequence}`
      if (!own) await tx`create sequence ${sequence}`
    }
  })
}
