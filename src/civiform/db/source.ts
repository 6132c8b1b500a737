// Inspects CiviForm's database: which columns its release has, what our role may read, and which database it is. Every statement in this
// folder only reads; the session is read-only, and the role should have no other privilege.

import { openDatabase, type Sql, type Transaction } from '../../db/client.ts'

/** A pool of connections to a CiviForm's database, or a transaction on one of them. Never this service's own database. */
export type Source = Sql | Transaction

/**
 * Opens a CiviForm's database: few connections, each read-only, with unprepared statements, because an upgrade of CiviForm changes tables that
 * prepared statements use.
 */
export function openSource(url: string, connectionsMax = 2): Sql {
  return openDatabase({
    url,
    connectionsMax,
    prepare: false,
    readOnly: true,
    statementTimeoutMs: 60_000,
    silenceTimeoutMs: 90_000,
    queueTimeoutMs: 90_000,
    applicationName: 'tributary-follower',
  })
}

/** Columns that every release since 2023 has and that following requires. */
const needed: Readonly<Record<string, readonly string[]>> = {
  applications: [
    'id',
    'applicant_id',
    'program_id',
    'object',
    'lifecycle_stage',
    'submit_time',
    'submitter_email',
    'create_time',
    'preferred_locale',
    'latest_status',
  ],
  applicants: ['id', 'account_id'],
  accounts: ['id', 'managed_by_group_id'],
  ti_organizations: ['id', 'name'],
  programs: ['id', 'name', 'slug', 'block_definitions', 'program_type', 'localized_name'],
  questions: [
    'id',
    'name',
    'question_type',
    'question_options',
    'question_text',
    'question_help_text',
    'question_tags',
  ],
  versions: ['id', 'lifecycle_stage', 'submit_time'],
  versions_programs: ['programs_id', 'versions_id'],
  application_events: ['id', 'application_id', 'event_type', 'details', 'create_time'],
  api_keys: ['name', 'key_id', 'salted_key_secret', 'subnet', 'expiration', 'retired_time', 'grants', 'create_time'],
  play_evolutions: ['id', 'state'],
}

/** Later columns, and those that only some profiles read. */
const optional: Readonly<Record<string, readonly string[]>> = {
  applications: ['latest_note', 'status_last_modified_time', 'original_applicant_id'],
  applicants: [
    'first_name',
    'middle_name',
    'last_name',
    'suffix',
    'email_address',
    'country_code',
    'phone_number',
    'date_of_birth',
    'object',
  ],
  programs: ['status_definitions'],
  application_statuses: ['program_name', 'status_definitions', 'status_definitions_lifecycle_stage'],
}

/** Columns of later releases that add information if they are readable; nothing is wrong without them. */
const welcome: Readonly<Record<string, readonly string[]>> = {
  programs: ['uses_scoring'],
  applicants: ['xmin'],
  application_deletion_record: ['id', 'application_id'],
  account_deletion_record: ['id', 'applicant_ids'],
}

/** Changes with every change to an applicant's row. A role with privileges on some columns must be granted this one too. */
export const applicantVersion = 'applicants.xmin'

/** The parts of a CiviForm's schema that exist and may be read, as `table.column`. */
export interface SourceLayout {
  readonly readable: ReadonlySet<string>
  /** Required columns that do not exist, or that the role may not read. */
  readonly missing: readonly string[]
  readonly notGranted: readonly string[]
  /** The highest applied evolution. */
  readonly evolution: number
}

/** From the system catalog, because the information schema only lists readable columns: a missing grant would look like an old release. */
export async function readLayout(source: Source): Promise<SourceLayout> {
  const tables = [...new Set([needed, optional, welcome].flatMap(columns => Object.keys(columns)))]
  const rows = await source<{ name: string; granted: boolean }[]>`
    select c.relname || '.' || a.attname as name, has_column_privilege(c.oid, a.attnum, 'select') as granted
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and (a.attnum > 0 or a.attname = 'xmin') and not a.attisdropped
    where c.oid in (
      select to_regclass(quote_ident(name))::oid from unnest(${tables}::text[]) as wanted (name))`
  const granted = new Map(rows.map(row => [row.name, row.granted]))
  const list = (of: typeof needed): string[] =>
    Object.entries(of).flatMap(([table, columns]) => columns.map(column => `${table}.${column}`))
  const evolution = granted.get('play_evolutions.id')
    ? await source<{ id: number | null }[]>`select max(id)::bigint as id from play_evolutions where state = 'applied'`
    : []
  return {
    readable: new Set([...granted].filter(([, may]) => may).map(([name]) => name)),
    missing: list(needed).filter(name => !granted.has(name)),
    // An optional column that exists and is not readable is reported too: the result would silently differ.
    notGranted: [...list(needed), ...list(optional)].filter(
      name => granted.get(name) === false && !name.startsWith('applicants.'),
    ),
    evolution: evolution[0]?.id ?? 0,
  }
}

/** Required tables that do not exist: while an operator restores a dump, or in a database that is not CiviForm's. */
export const absentTables = ({ missing }: SourceLayout): string[] =>
  Object.keys(needed).filter(table => needed[table]!.every(column => missing.includes(`${table}.${column}`)))

/** The missing columns; if a whole table is missing, the table. */
export function missingNames(layout: SourceLayout): string[] {
  const absent = absentTables(layout)
  return [...absent, ...layout.missing.filter(name => !absent.includes(name.split('.')[0]!))]
}

/** The newest applied evolution: if it changes, the layout must be read again. */
export async function readEvolution(source: Source): Promise<number> {
  const [row] = await source<{ id: number | null }[]>`
    select max(id)::bigint as id from play_evolutions where state = 'applied'`
  return row!.id ?? 0
}

/** The state of the database, read at the beginning of each round. */
export interface SourceStand {
  /** Like `readEvolution`. */
  evolution: number
  /** A standby: it doesn't show its primary's open transactions. */
  inRecovery: boolean
  /** Increases with each promotion of a standby and each point-in-time restore; null if hidden. */
  timeline: number | null
  /** The size of its log in bytes. In one history it only grows; null if hidden. */
  written: number | null
  /** The OIDs of the database and of its table of applications, which change when either is created again, for example by restoring a dump. */
  incarnation: string | null
  /** The last IDs allocated for applications and events, which only grow; null if the role may not read the sequences. */
  application_ids: number | null
  event_ids: number | null
}

/** The last value of the sequence for a table's IDs. */
const drawnIds = (source: Source, table: string) => source`(
  select max(case when has_sequence_privilege(c.oid, 'select') then coalesce(s.last_value, 0) end)
  from pg_depend d
  join pg_class c on c.oid = d.objid and c.relkind = 'S'
  join pg_namespace n on n.oid = c.relnamespace
  join pg_sequences s on s.schemaname = n.nspname and s.sequencename = c.relname
  where d.classid = 'pg_class'::regclass
  and d.refobjid = to_regclass(${table})
  and d.deptype in ('a', 'i')
)`

export async function readStand(source: Source): Promise<SourceStand> {
  const [row] = await source<SourceStand[]>`
    select
      coalesce((select max(id)::bigint from play_evolutions where state = 'applied'), 0) as evolution,
      is_standby as "inRecovery",
      case when may then ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint end as timeline,
      case when may then (pg_current_wal_insert_lsn() - '0/0')::bigint end as written,
      (select oid::bigint from pg_database where datname = current_database())
        || '/' || to_regclass('applications')::oid::bigint as incarnation,
      ${drawnIds(source, 'applications')} as application_ids,
      ${drawnIds(source, 'application_events')} as event_ids
    from (
      select pg_is_in_recovery() as is_standby,
        not pg_is_in_recovery() and has_function_privilege('pg_current_wal_insert_lsn()', 'execute')
        and has_function_privilege('pg_walfile_name(pg_lsn)', 'execute') as may
    ) rights`
  return row!
}

/**
 * Identifies this database, and distinguishes it from its state before a restore. The cluster's identifier if readable, otherwise what every role can
 * see.
 */
export async function readIdentity(source: Source): Promise<string> {
  const [rights] = await source<{ may: boolean; database: string }[]>`
    select has_function_privilege('pg_control_system()', 'execute') as may, current_database() as database`
  if (!rights!.may) return rights!.database
  const [row] = await source<{ id: string }[]>`select system_identifier::text as id from pg_control_system()`
  return `${row!.id}/${rights!.database}`
}

/** Reported to the operator before anything is copied. */
export interface SourceCondition {
  inRecovery: boolean
  readOnly: boolean
  /** Transactions that were prepared and neither committed nor rolled back. */
  prepared: number
  superuser: boolean
  /** Write privileges of the role on CiviForm's tables, as `table: privilege`. */
  canWrite: string[]
  /** Applications with and without a time, and the bytes of the table. */
  submitted: number
  withoutTime: number
  bytes: number
  /** Seconds that the newest application is ahead of the database's clock; negative if it is not. */
  newestAheadSeconds: number | null
}

export async function readCondition(source: Source, zone: string): Promise<SourceCondition> {
  const [row] = await source<SourceCondition[]>`
    select
      pg_is_in_recovery() as "inRecovery",
      current_setting('default_transaction_read_only') = 'on' as "readOnly",
      (select count(*) from pg_prepared_xacts where database = current_database()) as prepared,
      (select rolsuper from pg_roles where rolname = current_user) as superuser,
      array(
        select c.relname || ': ' || privilege
        from pg_class c
        cross join unnest(array['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) as privilege
        where c.oid in (select to_regclass(quote_ident(name))::oid from unnest(${Object.keys(needed)}::text[]) as t (name))
        and has_table_privilege(c.oid, privilege)
        order by 1
      ) as "canWrite",
      count(*) as submitted,
      count(*) filter (where submit_time is null) as "withoutTime",
      pg_table_size('applications') as bytes,
      (extract(epoch from max(submit_time) - (clock_timestamp() at time zone ${zone})))::float8 as "newestAheadSeconds"
    from applications
    where lifecycle_stage in ('active', 'obsolete')`
  return row!
}
