// The filters of a walk in SQL: for rows, for tombstones, and for audit entries whose filters an application matched. Their meaning for clients is
// in src/core/export/filters.
//
// Whether an application matches a filter must never change, or must be fixed by the horizon; otherwise it could move between pages of a walk.

import type { PendingQuery, Row } from 'postgres'
import type { RevisionState, Submitter } from '../../domain/questions/application.ts'
import { beforeAllSubmissions, earliest, formatMicros, latest, type Micros } from '../../domain/values/offset-time.ts'
import type { Db } from '../client.ts'

/** IDs in a range, inclusive. */
export interface IdRange {
  from: number
  to: number
}

/** The filter values of a walk; undefined values don't limit anything. */
export interface FilterValues {
  /** Submitted at or after `from`, and before `to`. */
  from?: Micros | undefined
  to?: Micros | undefined
  ids?: IdRange | undefined
  revisionState?: RevisionState | undefined
  submitterType?: Submitter['submitter_type'] | undefined
}

export type FilterName = keyof FilterValues

export const noFilters: FilterValues = {}

type Fragment = PendingQuery<Row[]>

interface FilterCondition<Value> {
  /** The fact of an `application` row that it compares, for filters that are only known from an audit entry. */
  fact?(sql: Db): Fragment
  /** Whether a row of `application` matches. */
  onRow(sql: Db, value: Value, horizon: number): Fragment
  /** Whether a row of `erased_application` may have matched; without it, every row may have. */
  onTombstone?(sql: Db, value: Value): Fragment
  /** Whether `place` (see `disclosures`) matched the filter in an audit entry, given as this JSON; null if that is no longer known. */
  onEntry(sql: Db, named: Fragment, fact: Fragment): Fragment
}

/**
 * In SQL without parameters, so that every plan can use the index of the few submissions by intermediaries; the others are filtered out while walking
 * all applications. As an inequality, PostgreSQL expects most rows to remain.
 */
const submittedBy: Record<Submitter['submitter_type'], (sql: Db) => Fragment> = {
  TRUSTED_INTERMEDIARY: sql => sql`submitter_type(snapshot) = 'TRUSTED_INTERMEDIARY'`,
  APPLICANT: sql => sql`submitter_type(snapshot) <> 'TRUSTED_INTERMEDIARY'`,
}

const conditions: { [Name in FilterName]: FilterCondition<NonNullable<FilterValues[Name]>> } = {
  from: {
    onRow: (sql, from) => sql`submit_time >= ${lowerBound(from)}::timestamptz`,
    onTombstone: (sql, from) => sql`submit_time >= ${bound(from)}::timestamptz`,
    // In the format of the audit log, times sort as text in chronological order.
    onEntry: (sql, named) => sql`(${named} #>> '{}') collate "C" <= place.time`,
  },
  to: {
    onRow: (sql, to) =>
      sql`submit_time >= ${beforeAllSubmissions}::timestamptz and submit_time < ${bound(to)}::timestamptz`,
    onTombstone: (sql, to) => sql`submit_time < ${bound(to)}::timestamptz`,
    onEntry: (sql, named) => sql`(${named} #>> '{}') collate "C" > place.time`,
  },
  ids: {
    onRow: (sql, ids) => sql`application_id between ${ids.from} and ${ids.to}`,
    onTombstone: (sql, ids) => sql`application_id between ${ids.from} and ${ids.to}`,
    onEntry: (sql, named) =>
      sql`place.application_id between (${named}->>'from')::bigint and (${named}->>'to')::bigint`,
  },
  // As of the horizon (G3). Written as in the index `application_walk`, so that the index can be used.
  revisionState: {
    onRow: (sql, state, horizon) =>
      state === 'CURRENT'
        ? sql`coalesce(superseded_seq, 9223372036854775807) > ${horizon}`
        : sql`coalesce(superseded_seq, 9223372036854775807) <= ${horizon}`,
    onEntry: (sql, named) => sql`
      case when not place.is_erased
        then (${named} = '"CURRENT"') = (place.superseded_seq is null or detail->'horizon' < to_jsonb(place.superseded_seq))
      end`,
  },
  submitterType: {
    fact: sql => sql`submitter_type(snapshot)`,
    onRow: (sql, type) => submittedBy[type](sql),
    onEntry: (sql, named, known) => sql`${known} = ${named}`,
  },
}

const allNames = Object.keys(conditions) as FilterName[]
const conditionOf = (name: FilterName) => conditions[name] as FilterCondition<unknown>

/** Name of a filter in the log, the audit log and receipts. */
export const reportedName = (name: FilterName): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** The facts of an `application` row that filters compare, as JSON by their reported names: `place.facts` in `onEntry`. */
export const factsOfRow = (sql: Db): Fragment =>
  allNames.reduce((facts, name) => {
    const { fact } = conditionOf(name)
    return fact === undefined ? facts : sql`${facts} || jsonb_build_object(${reportedName(name)}::text, ${fact(sql)})`
  }, sql`'{}'::jsonb`)

/** ` and …` for each given filter: whether a row of `application` matches it. */
export const meetsFilters = (sql: Db, filters: FilterValues, horizon: number): Fragment =>
  every(sql, filters, (condition, value) => condition.onRow(sql, value, horizon))

/** The same for a row of `erased_application`, as far as it is known. */
export const mayHaveMetFilters = (sql: Db, filters: FilterValues): Fragment =>
  every(sql, filters, (condition, value) => condition.onTombstone?.(sql, value))

/** Whether `place` matched the filters in a page's audit entry; null if that is no longer known. */
export const metFiltersOfEntry = (sql: Db): Fragment =>
  allNames.reduce((all, name) => {
    const named = sql`detail->'filters'->${reportedName(name)}::text`
    const fact = sql`place.facts->${reportedName(name)}::text`
    return sql`${all} and (${named} is null or ${conditionOf(name).onEntry(sql, named, fact)})`
  }, sql`true`)

function every(
  sql: Db,
  filters: FilterValues,
  conditionFor: (condition: FilterCondition<unknown>, value: unknown) => Fragment | undefined,
): Fragment {
  return allNames.reduce((all, name) => {
    const value = filters[name]
    const condition = value === undefined ? undefined : conditionFor(conditionOf(name), value)
    return condition === undefined ? all : sql`${all} and ${condition}`
  }, sql``)
}

/** Applications without a time, such as the oldest of a followed program, are stored right before this one: no time range includes them. */
function lowerBound(from: Micros): string {
  return from < beforeAllMicros ? beforeAllSubmissions : bound(from)
}

const beforeAllMicros: Micros = Date.parse(beforeAllSubmissions) * 1000

/** A bound for PostgreSQL; infinite beyond the range of Micros. */
function bound(instant: Micros): string {
  if (instant <= earliest) return '-infinity'
  if (instant >= latest) return 'infinity'
  return formatMicros(instant)
}
