// Stored derived data of a program version: its key map and docs.

import type { Db } from '../client.ts'

interface DerivedContent {
  program_version_id: number
  code_version: number
  content: unknown
  duration_ms: number
}

/** Replaces whatever was stored for the version; no effect if the version no longer exists. */
export async function upsertDerived(
  db: Db,
  table: 'program_key_map' | 'docs_example',
  derived: DerivedContent,
): Promise<void> {
  await db`
    insert into ${db(table)} (program_version_id, code_version, content, duration_ms)
    select program_version_id, ${derived.code_version}, ${JSON.stringify(derived.content)}::text::json, ${derived.duration_ms}
    from program_version
    where program_version_id = ${derived.program_version_id}
    on conflict (program_version_id) do update
    set code_version = excluded.code_version,
      content = excluded.content,
      produced_at = clock_timestamp(),
      duration_ms = excluded.duration_ms`
}
