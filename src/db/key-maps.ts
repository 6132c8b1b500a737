// Key maps of programs, as kept. Their content is JSON here.

import { formatMicros, type Micros } from '../domain/values/offset-time.ts'
import type { Db } from './client.ts'

interface KeptKeyMapRow {
  code_version: number
  content: unknown
}

/** What is kept of the program as of its publication of that moment; undefined when nothing is. */
export async function findKeptKeyMap(
  db: Db,
  programId: number,
  publishedAt: Micros,
): Promise<KeptKeyMapRow | undefined> {
  const [row] = await db<KeptKeyMapRow[]>`
    select k.code_version, k.content
    from program_version v
    join program_key_map k on k.program_version_id = v.program_version_id
    where v.program_id = ${programId}
    and v.published_at = ${formatMicros(publishedAt)}::timestamptz`
  return row
}

interface NewKeyMap {
  program_version_id: number
  code_version: number
  content: unknown
  duration_ms: number
}

/** Keeps the key map as of a version in place of whatever was kept; nothing, if the version is gone. */
export async function upsertKeyMap(db: Db, keyMap: NewKeyMap): Promise<void> {
  await db`
    insert into program_key_map (program_version_id, code_version, content, duration_ms)
    select program_version_id, ${keyMap.code_version}, ${JSON.stringify(keyMap.content)}::text::json, ${keyMap.duration_ms}
    from program_version
    where program_version_id = ${keyMap.program_version_id}
    on conflict (program_version_id) do update
    set code_version = excluded.code_version,
      content = excluded.content,
      produced_at = clock_timestamp(),
      duration_ms = excluded.duration_ms`
}
