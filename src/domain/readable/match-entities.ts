// Matches the entities of two applications, which have names that can repeat but no IDs.

import { type ExportedObject, nameOf } from './exported-answers.ts'

interface EntityPair {
  entity: ExportedObject
  /** Undefined for one that is new. */
  earlier: ExportedObject | undefined
}

/** The first of a name goes with the first of that name, the second with the second. `gone` are those that are left. */
export function matchEntities(
  now: readonly ExportedObject[],
  then: readonly ExportedObject[],
): { pairs: EntityPair[]; gone: ExportedObject[] } {
  const byName = Map.groupBy(then, nameOf)
  const taken = new Set<ExportedObject>()
  const next = new Map<string, number>()
  const pairs = now.map((entity): EntityPair => {
    const name = nameOf(entity)
    const at = next.get(name) ?? 0
    next.set(name, at + 1)
    const earlier = byName.get(name)?.[at]
    if (earlier !== undefined) taken.add(earlier)
    return { entity, earlier }
  })
  return { pairs, gone: then.filter(entity => !taken.has(entity)) }
}
