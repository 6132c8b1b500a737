// How a client of a soak reads the program: with which key, in which format, and all questions or some. Also what it must not receive.

import { pick, type Rng } from '../../../src/domain/random/seeded-random.ts'
import type { SoakKey } from '../installation/installation.ts'
import type { WalkedPage } from './walk-promises.ts'
import { walkFormats } from './walked-page.ts'

/** Hidden from one of the keys, by admin name: a top-level question and a repeated one. Front ends answer both. */
export const hiddenQuestions = ['soaked words', 'soaked name']
const hiddenKeys = hiddenQuestions.map(name => name.replace(' ', '_'))

/** Questions that every version asks and both keys can see; undefined for all questions. */
const choices = [undefined, 'soaked_town', 'soaked_members', 'soaked_members.soaked_jobs.soaked_employer,soaked_town']

export interface View extends Pick<SoakKey, 'authorization' | 'seesLess'> {
  format: (typeof walkFormats)[number]
  fields: string | undefined
}

/** All views, for the final check at rest. */
export const everyView = (keys: readonly Pick<SoakKey, 'authorization' | 'seesLess'>[]): View[] =>
  keys.flatMap(({ authorization, seesLess }) =>
    walkFormats.flatMap(format => choices.map(fields => ({ authorization, seesLess, format, fields }))),
  )

export const anyView = (random: Rng, keys: readonly SoakKey[]): View => pick(random, everyView(keys))

/** For reports of broken promises. */
export const viewName = ({ seesLess, format, fields }: View): string =>
  `${format.format ?? format.accept}${fields === undefined ? '' : `, fields=${fields}`}${seesLess ? ', with hidden questions' : ''}`

/** Whether a view has a value, by its path within the answers: `members.0.name.text`. */
export function sees({ seesLess, fields }: View, path: string): boolean {
  const names = path.split('.').filter(name => !/^\d+$/.test(name))
  if (seesLess && names.some(name => hiddenKeys.includes(name))) return false
  if (fields === undefined) return true
  // The name of an entity is included with any question in it, and so is the number of entities.
  const isOfList = ['entity_name', 'entities'].includes(names.at(-1)!)
  const within = `${names.slice(0, -1).join('.')}.`
  return fields
    .split(',')
    .some(field => `${names.join('.')}.`.startsWith(`${field}.`) || (isOfList && field.startsWith(within)))
}

/** Applications or questions that a page reveals or withholds although it should not. Empty if it is as requested. */
export function viewFaults({ seesLess, fields }: View, { applications }: WalkedPage, text: string): string[] {
  const faults = seesLess ? hiddenKeys.filter(key => text.includes(key)).map(key => `a page names ${key}`) : []
  if (fields === undefined) return faults
  const chosen = [...new Set(fields.split(',').map(path => path.split('.')[0]!))].sort().join()
  const other = applications.find(({ questions }) => questions.toSorted().join() !== chosen)
  return other === undefined ? faults : [...faults, `application ${other.id} came with ${other.questions.join()}`]
}
