// Matches the entities of two applications, which have names that can repeat but no IDs.

import { type ExportedObject, nameOf } from './exported-answers.ts'

interface EntityPair {
  entity: ExportedObject
  /** Undefined for a new entity. */
  earlier: ExportedObject | undefined
}

/** Pairs the first entity of a name with the first of that name, the second with the second. `gone` are the unpaired earlier ones. */
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
