// What should be derived and is not, or was by another release of the code.

import type { Db } from './client.ts'
import type { DerivedThing } from './derived-status.ts'

/** The code versions of this release: what is kept under others is stale. */
interface CodeVersions {
  keyMap: number
  docsExample: number
}

/**
 * Key maps of active versions, and docs of active and draft ones, that are missing or stale and that no worker is
 * already working on. Those that have failed for good under this code are not among them: asking again is an operator's decision.
 */
export async function readMissingDerived(db: Db, code: CodeVersions): Promise<DerivedThing[]> {
  return db<DerivedThing[]>`
    select wanted.program_version_id, wanted.job_name
    from (
      select v.program_version_id, 'refresh-key-map' as job_name, ${code.keyMap}::integer as code_version
      from program_version v
      left join program_key_map k on k.program_version_id = v.program_version_id
      where v.state = 'ACTIVE'
      and k.code_version is distinct from ${code.keyMap}
      union all
      select v.program_version_id, 'refresh-docs-example', ${code.docsExample}::integer
      from program_version v
      left join docs_example e on e.program_version_id = v.program_version_id
      where v.state in ('ACTIVE', 'DRAFT')
      and e.code_version is distinct from ${code.docsExample}
    ) wanted
    left join derived_status s on s.program_version_id = wanted.program_version_id and s.job_name = wanted.job_name
    where s.state is null or s.state in ('missing', 'done')
    or (s.state = 'failed' and s.code_version is distinct from wanted.code_version)
    order by wanted.program_version_id, wanted.job_name`
}

/** The versions of a program, or of all, that have docs: active and draft ones. */
export async function readDocumentedVersionIds(db: Db, programId: number | undefined): Promise<number[]> {
  const rows = await db<{ program_version_id: number }[]>`
    select program_version_id
    from program_version
    where state in ('ACTIVE', 'DRAFT')
    and ${programId === undefined ? db`true` : db`program_id = ${programId}`}
    order by program_version_id`
  return rows.map(row => row.program_version_id)
}
