// Reads programs, questions and keys from CiviForm's database.

import type { Micros } from '../../domain/values/offset-time.ts'
import type { Source, SourceLayout } from './source.ts'

/** A row of `programs`: one version of a program. */
export interface SourceProgram {
  id: number
  name: string
  slug: string | null
  program_type: string | null
  localized_name: unknown
  block_definitions: unknown
  /** Stages of the versions that contain it. */
  stages: string[]
  /** Publication time of the first of these. */
  published_at: Micros | null
  /** Whether its answers get scores, which are not exported here; false if this release has none. */
  uses_scoring: boolean
  /** Text that changes with the row. */
  row_version: string
}

/** A row of `questions`: one version of a question. */
export interface SourceQuestion {
  id: number
  name: string
  question_type: string
  question_options: unknown
  question_text: unknown
  question_help_text: unknown
  question_tags: string[] | null
}

/** A text that changes whenever programs, questions, versions or statuses do. Small tables, read in full. */
export async function readCatalogueMark(source: Source, layout: SourceLayout): Promise<string> {
  // By their content, because the role may only be able to read the needed columns of this table.
  const statuses = hasStatusTable(layout)
    ? source`(
        select md5(string_agg(concat(program_name, status_definitions), ',' order by program_name, status_definitions))
        from application_statuses
        where status_definitions_lifecycle_stage = 'active'
      )`
    : source`null`
  const [row] = await source<{ mark: string }[]>`
    select concat_ws('/',
      (select md5(string_agg(id || ':' || xmin, ',' order by id)) from programs),
      (select md5(string_agg(id || ':' || xmin, ',' order by id)) from questions),
      (select md5(string_agg(id || ':' || xmin, ',' order by id)) from versions),
      (select md5(string_agg(versions_id || ':' || programs_id, ',' order by versions_id, programs_id)) from versions_programs),
      ${statuses}
    ) as mark`
  return row!.mark
}

/** The names of these versions' programs. */
export async function readSourceNames(source: Source): Promise<{ id: number; name: string }[]> {
  return source<{ id: number; name: string }[]>`select id, name from programs`
}

export async function readSourcePrograms(source: Source, zone: string, layout: SourceLayout): Promise<SourceProgram[]> {
  return source<SourceProgram[]>`
    select p.id, p.name, p.slug, p.program_type, p.localized_name, p.block_definitions, p.xmin::text as row_version,
      ${layout.readable.has('programs.uses_scoring') ? source`coalesce(p.uses_scoring, false)` : source`false`} as uses_scoring,
      coalesce(array_agg(v.lifecycle_stage::text) filter (where v.id is not null), '{}') as stages,
      (min(v.submit_time) filter (where v.lifecycle_stage <> 'draft')) at time zone ${zone} as published_at
    from programs p
    left join versions_programs vp on vp.programs_id = p.id
    left join versions v on v.id = vp.versions_id
    group by p.id
    order by p.id`
}

export async function readSourceQuestions(source: Source): Promise<SourceQuestion[]> {
  return source<SourceQuestion[]>`
    select id, name, question_type, question_options, question_text, question_help_text, question_tags
    from questions
    order by id`
}

const hasStatusTable = (layout: SourceLayout): boolean => layout.readable.has('application_statuses.status_definitions')

/** Statuses by program name. Their location has changed once. */
export async function readSourceStatuses(
  source: Source,
  layout: SourceLayout,
): Promise<{ name: string; status_definitions: unknown }[]> {
  if (hasStatusTable(layout))
    return source`
      select program_name as name, status_definitions
      from application_statuses
      where status_definitions_lifecycle_stage = 'active'`
  if (!layout.readable.has('programs.status_definitions')) return []
  return source`
    select distinct on (name) name, status_definitions
    from programs
    order by name, id desc`
}

/** The row versions of organizations, by ID. A small table, read in full. */
export async function readOrganizationVersions(source: Source): Promise<Record<string, string>> {
  const rows = await source<{ id: number; row_version: string }[]>`
    select id, xmin::text as row_version
    from ti_organizations
    order by id`
  return Object.fromEntries(rows.map(row => [String(row.id), row.row_version]))
}

export interface SourceKey {
  key_id: string
  name: string
  salted_key_secret: string
  subnet: string
  expiration: Micros
  retired_time: Micros | null
  create_time: Micros | null
  grants: unknown
}

export async function readSourceKeys(source: Source, zone: string): Promise<SourceKey[]> {
  return source<SourceKey[]>`
    select key_id, name, salted_key_secret, subnet, grants,
      expiration at time zone ${zone} as expiration,
      retired_time at time zone ${zone} as retired_time,
      create_time at time zone ${zone} as create_time
    from api_keys
    order by key_id`
}
