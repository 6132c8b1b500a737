// The names of intermediaries' organizations, which exports contain and no application row does. Where one is renamed,
// the applications of its applicants are read again; where one is gone, its accounts name none any more, and all are compared whole.

import type { FollowedCatalogue } from '../catalogue/followed-catalogue.ts'
import { findFollowState, moveFollowState } from '../db/follow-state.ts'
import type { FoundChange } from '../db/followed-changes.ts'
import { readIdsOfOrganizations } from '../db/source-applications.ts'
import { readOrganizationVersions } from '../db/source-catalogue.ts'
import type { FollowReading } from '../source/followed-source.ts'
import { applyChanges } from './apply-changes.ts'

export async function followOrganizations(deps: FollowReading, catalogue: FollowedCatalogue): Promise<FoundChange[]> {
  const { sql, source } = deps
  const now = await readOrganizationVersions(source)
  const organizations = JSON.stringify(now)
  const { organizations: stored } = (await findFollowState(sql))!
  if (stored === organizations) return []
  const before = JSON.parse(stored ?? '{}') as Record<string, string>
  const changed = Object.keys(now).filter(id => before[id] !== undefined && before[id] !== now[id])
  const isGone = Object.keys(before).some(id => now[id] === undefined)
  const seen =
    changed.length === 0 ? [] : await applyChanges(deps, catalogue, await readIdsOfOrganizations(source, changed))
  await moveFollowState(sql, { organizations, ...(isGone ? { scan_whole: true, scan_after: 0 } : {}) })
  return seen
}
