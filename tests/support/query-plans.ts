// The plans PostgreSQL makes for statements that were on the wire, and what it knows when it makes them.

import type { Sql } from '../../src/db/client.ts'
import type { RecordedStatement } from './statement-recorder.ts'

export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Scan Direction'?: string
  Filter?: string
  Plans?: PlanNode[]
}

export const planModes = ['force_custom_plan', 'force_generic_plan'] as const
export type PlanMode = (typeof planModes)[number]

/** Every node of the plan for a statement with its parameters. `explaining` is a pool of one connection. */
export async function planOf(
  explaining: Sql,
  { text, parameterTypes, parameters }: RecordedStatement,
  mode: PlanMode,
): Promise<PlanNode[]> {
  const types = await explaining<{ name: string }[]>`
    select case oid when 0 then 'unknown' else format_type(oid, null) end as name
    from unnest(string_to_array(${parameterTypes.join()}, ',')::oid[]) with ordinality as given (oid, place)
    order by place`
  const values = parameters.map(value => (value === null ? 'null' : `'${value.replaceAll("'", "''")}'`))
  await explaining.unsafe(`set plan_cache_mode = ${mode}`)
  await explaining.unsafe(`prepare asked (${types.map(type => type.name).join(', ')}) as ${text}`)
  const [row] = await explaining.unsafe(`explain (format json) execute asked (${values.join(', ')})`)
  await explaining.unsafe('deallocate asked')
  const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
  return nodesOf((row!['QUERY PLAN'] as { Plan: PlanNode }[])[0]!.Plan)
}

/** A plan on one line: how each relation is read, and what else is done to its rows. */
export const inShort = (nodes: readonly PlanNode[]): string =>
  nodes
    .filter(node => !['Limit', 'Result'].includes(node['Node Type']))
    .map(node =>
      [
        node['Node Type'],
        node['Scan Direction'],
        node['Index Name'] ?? node['Relation Name'],
        node.Filter && `filter ${node.Filter}`,
      ]
        .filter(Boolean)
        .join(' '),
    )
    .join(', ')

/** As if `analyze` had never run. */
export async function forgetStatistics(sql: Sql): Promise<void> {
  await sql`
    select pg_clear_relation_stats('public', relname), pg_clear_attribute_stats('public', relname, attname, false)
    from pg_class
    join pg_namespace n on n.oid = relnamespace and n.nspname = 'public'
    join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relkind in ('r', 'i')`
}
