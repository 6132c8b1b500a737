// Compares two exports of an application property by property, by path in the JSON.

export type Exported = null | boolean | number | string | readonly Exported[] | { readonly [name: string]: Exported }

export interface PropertyDifference {
  /** `application.pets.entities[0].pet_food.text`. */
  place: string
  /** Undefined if one has no such property. */
  theirs: Exported | undefined
  ours: Exported | undefined
  /** Type of the question it belongs to, if any. */
  type?: string | undefined
}

const isObject = (value: Exported | undefined): value is { readonly [name: string]: Exported } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Times within the same second are equal, in any notation. */
export function differences(
  theirs: Exported | undefined,
  ours: Exported | undefined,
  place = '',
  within?: string,
): PropertyDifference[] {
  const given = isObject(theirs) ? theirs.question_type : undefined
  const type = typeof given === 'string' ? given : within
  if (isObject(theirs) && isObject(ours)) {
    const names = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])]
    return names.flatMap(name => differences(theirs[name], ours[name], place === '' ? name : `${place}.${name}`, type))
  }
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    const length = Math.max(theirs.length, ours.length)
    return Array.from({ length }, (_, i) => differences(theirs[i], ours[i], `${place}[${i}]`, type)).flat()
  }
  return theirs === ours || isSameTime(place, theirs, ours) ? [] : [{ place, theirs, ours, type }]
}

const timePlaces: readonly string[] = ['create_time', 'submit_time', 'status_last_modified_time']

/** Two times are the same if they lie in the same second. */
function isSameTime(place: string, theirs: Exported | undefined, ours: Exported | undefined): boolean {
  if (!timePlaces.includes(place) || typeof theirs !== 'string' || typeof ours !== 'string') return false
  return Math.floor(Date.parse(theirs) / 1000) === Math.floor(Date.parse(ours) / 1000)
}

/** The facts that a program's deliberate differences depend on. */
export interface Expected {
  slug: string
  /** Whether the applicant submitted it. */
  byApplicant: boolean
  /** Keys of questions that CiviForm fills from the applicant's own record. */
  primaryKeys: ReadonlySet<string>
}

const isUnanswered = (value: Exported | undefined): boolean =>
  isObject(value) &&
  Object.entries(value).every(
    ([name, exported]) =>
      name === 'question_type' || exported === null || (Array.isArray(exported) && exported.length === 0),
  )

/**
 * Whether a difference is one that the profile `contract` makes deliberately: the rows of the table in CIVIFORM.md, "Where the manual and CiviForm's
 * code differ". Times are compared by the second.
 */
export function isDeliberate({ place, theirs, ours, type }: PropertyDifference, expected: Expected): boolean {
  const [, key = ''] = place.split('.')
  const isTopLevel = /^application\.[^.]+$/.test(place)
  const field = place.slice(place.lastIndexOf('.') + 1)
  if (place === 'program_name') return ours === expected.slug
  if (place === 'ti_organization') return ours === null && expected.byApplicant
  if (isTopLevel && ours === undefined) return isUnanswered(theirs)
  if (/\.entities\[\d+\]\.[^.]+$/.test(place) && theirs === undefined) return isUnanswered(ours)
  if (type === 'FILE_UPLOAD') return theirs === undefined && (field === 'file_key' || field === 'file_urls[0]')
  if (type === 'MAP') return field.startsWith('selections')
  if (type === 'ADDRESS' && field === 'service_area') return theirs === null
  if (type === 'NAME' && field === 'suffix' && typeof theirs === 'string' && typeof ours === 'string')
    return theirs.replace('.', '').toUpperCase() === ours
  return ours === null && typeof theirs === 'string' && expected.primaryKeys.has(key)
}

/** The same for many applications: each path with its number of differences, and one application that has it. */
export interface DifferenceSummary {
  place: string
  applications: number
  example: number
  theirs: Exported | undefined
  ours: Exported | undefined
}

/** All positions in a list count as one. */
export function summarize(
  found: readonly { application_id: number; differences: readonly PropertyDifference[] }[],
): DifferenceSummary[] {
  const places = new Map<string, DifferenceSummary>()
  for (const { application_id, differences: all } of found) {
    const named = new Map(
      all.map(propertyDifference => [propertyDifference.place.replace(/\[\d+\]/g, '[]'), propertyDifference]),
    )
    for (const [place, { theirs, ours }] of named) {
      const known = places.get(place)
      if (known === undefined) places.set(place, { place, applications: 1, example: application_id, theirs, ours })
      else known.applications++
    }
  }
  return [...places.values()].sort((a, b) => b.applications - a.applications || (a.place < b.place ? -1 : 1))
}
