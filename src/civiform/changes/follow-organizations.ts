// Follows the names of intermediaries' organizations, which exports contain but application rows don't. When an organization is renamed,
// its applicants' applications are read again. When it is deleted, its accounts no longer name an organization, and all applications are
// compared in full.

import type { FollowedCatalogue } from '../catalogue/followed-catalogue.ts'
import { findFollowState, moveFollowState } from '../db/follow-state.ts'
import type { FoundChange } from '../db/followed-changes.ts'
import { readOrganizationVersions } from '../db/source-catalogue.ts'
import { readIdsOfOrganizations } from '../db/source-marks.ts'
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
