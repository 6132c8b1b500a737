// How two exports of one application differ: property by property, by their places in the JSON.

export type Exported = null | boolean | number | string | readonly Exported[] | { readonly [name: string]: Exported }

export interface Difference {
  /** `application.pets.entities[0].pet_food.text`. */
  place: string
  /** Undefined where one has no such property. */
  theirs: Exported | undefined
  ours: Exported | undefined
}

const isObject = (value: Exported | undefined): value is { readonly [name: string]: Exported } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Times of one second are the same, however they are written. */
export function differences(theirs: Exported | undefined, ours: Exported | undefined, place = ''): Difference[] {
  if (isObject(theirs) && isObject(ours)) {
    const names = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])]
    return names.flatMap(name => differences(theirs[name], ours[name], place === '' ? name : `${place}.${name}`))
  }
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    const length = Math.max(theirs.length, ours.length)
    return Array.from({ length }, (_, i) => differences(theirs[i], ours[i], `${place}[${i}]`)).flat()
  }
  return theirs === ours || isSameTime(place, theirs, ours) ? [] : [{ place, theirs, ours }]
}

function isSameTime(place: string, theirs: Exported | undefined, ours: Exported | undefined): boolean {
  if (!place.endsWith('_time') || typeof theirs !== 'string' || typeof ours !== 'string') return false
  return Math.floor(Date.parse(theirs) / 1000) === Math.floor(Date.parse(ours) / 1000)
}

/** The same, of many applications: each place with how often it differs, and one application where it does. */
export interface DifferenceSummary {
  place: string
  applications: number
  example: number
  theirs: Exported | undefined
  ours: Exported | undefined
}

/** Places in lists count as one. */
export function summarize(
  found: readonly { application_id: number; differences: readonly Difference[] }[],
): DifferenceSummary[] {
  const places = new Map<string, DifferenceSummary>()
  for (const { application_id, differences: all } of found) {
    const named = new Map(all.map(one => [one.place.replace(/\[\d+\]/g, '[]'), one]))
    for (const [place, { theirs, ours }] of named) {
      const known = places.get(place)
      if (known === undefined) places.set(place, { place, applications: 1, example: application_id, theirs, ours })
      else known.applications++
    }
  }
  return [...places.values()].sort((a, b) => b.applications - a.applications || (a.place < b.place ? -1 : 1))
}
