// Validates the settings of a new or changed API key: each one, and their combination. `key-settings` assigns the checks to settings.

import type { ProblemItem } from '../../base/problem.ts'
import type { Db } from '../../db/client.ts'
import { readKnownSlugs } from '../../db/keys/api-key-rows.ts'
import { readKnownAdminNames } from '../../db/programs/questions.ts'
import { foldText, isBlank, isName } from '../../domain/values/folded-text.ts'
import { parseSubnet, type Subnet } from '../../domain/values/ip-address.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { dayMicros } from './expiry.ts'

/** Maximum length of the names of keys and front ends. */
export const nameLengthMax = 100
export const noteLengthMax = 1000
const programsMax = 1000
const subnetsMax = 100
const hiddenQuestionsMax = 100
const lifetimeDaysMax = 366

/** Stands for all addresses. Never a default. */
export const anywhere = 'anywhere'
const anywhereSubnets = ['0.0.0.0/0', '::/0']

/** The value to store and its errors, with their paths. */
export interface CheckedSetting {
  value: unknown
  errors: ProblemItem[]
}

const nameCheck =
  (needed: string) =>
  (_: Db, text: string): CheckedSetting => {
    const name = text.trim()
    const error = nameError(name)
    if (isBlank(name)) return { value: name, errors: [required('', needed)] }
    return { value: name, errors: error === undefined ? [] : [{ code: 'bad_name', detail: error }] }
  }
const neededFrontEnd = 'must name the front end that submits with this key'

export const checkName = nameCheck('must name the system that uses the key')
export const checkFrontEnd = nameCheck(neededFrontEnd)

/** Multiline text. Forms send line breaks as two characters; they are stored as one. */
export function checkNote(_: Db, text: string): CheckedSetting {
  const note = text.replaceAll('\r\n', '\n').trim()
  const detail = `must be at most ${noteLengthMax} characters, without control characters other than line breaks and tabs`
  const isGood = note.length <= noteLengthMax && note.isWellFormed() && !/(?![\n\t])\p{Cc}/u.test(note)
  return { value: note, errors: isGood ? [] : [{ code: 'bad_note', detail }] }
}

function nameError(name: string): string | undefined {
  if (isName(name, nameLengthMax)) return undefined
  return `must be at most ${nameLengthMax} characters, without line breaks or other control characters`
}

/** The error in a front end's name; undefined if it is valid. */
export function frontEndError(text: string): string | undefined {
  const name = text.trim()
  if (foldText(name) === ownFrontEnd) return 'must be a different name; this name is reserved for the applicants’ pages'
  return isBlank(name) ? 'must name a front end' : nameError(name)
}

/** The applicants' pages (`/apply`) as a front end. No key can access its applicants. */
export const ownFrontEnd = 'tributary/apply'

export async function checkPrograms(db: Db, slugs: readonly string[]): Promise<CheckedSetting> {
  if (slugs.length > programsMax) return { value: [], errors: [tooMany(`must name at most ${programsMax} programs`)] }
  // Only text that could be a slug is looked up.
  const known = await readKnownSlugs(
    db,
    slugs.filter(slug => /^[a-z0-9-]{1,100}$/.test(slug)),
  )
  const unknown = (slug: string) => `there is no program ${JSON.stringify(slug.slice(0, 100))}`
  const errors = slugs.length === 0 ? [required('', 'must name at least one program')] : []
  return { value: known, errors: [...errors, ...unknownItems(slugs, known, 'unknown_program', unknown)] }
}

export async function checkHidden(db: Db, names: readonly string[]): Promise<CheckedSetting> {
  if (names.length > hiddenQuestionsMax) {
    const detail = `must name at most ${hiddenQuestionsMax} questions; hiding an enumerator also hides the questions repeated under it`
    return { value: [], errors: [tooMany(detail)] }
  }
  const wanted = names.map(name => name.trim())
  // The bank has no names that PostgreSQL can't store.
  const known = await readKnownAdminNames(
    db,
    wanted.filter(name => name.isWellFormed() && !name.includes('\0')),
  )
  const unknown = (name: string) =>
    `there is no question ${JSON.stringify(name.slice(0, 100))}; use the admin name from the question bank`
  return { value: known, errors: unknownItems(wanted, known, 'unknown_question', unknown) }
}

const unknownItems = (
  items: readonly string[],
  known: readonly string[],
  code: string,
  detailOf: (item: string) => string,
): ProblemItem[] => {
  const isKnown = new Set(known)
  return items.flatMap((item, i) => (isKnown.has(item) ? [] : [{ path: `/${i}`, code, detail: detailOf(item) }]))
}

export function checkSubnets(_: Db, texts: readonly string[]): CheckedSetting {
  if (texts.length > subnetsMax) return { value: [], errors: [tooMany(`must name at most ${subnetsMax} subnets`)] }
  if (texts.length === 1 && texts[0] === anywhere) return { value: anywhereSubnets, errors: [] }
  const none = required('', `must list the addresses the key can be used from, or only "${anywhere}"`)
  const errors = texts.length === 0 ? [none] : []
  const parsed = texts.map(text => parseSubnet(text.slice(0, 100)))
  parsed.forEach((subnet, index) => {
    if (!('error' in subnet)) return
    const alone = {
      code: 'anywhere_not_alone',
      detail: `can't be combined with addresses; remove the addresses or "${anywhere}"`,
    }
    const error = texts[index] === anywhere ? alone : { code: 'bad_subnet', detail: subnet.error }
    errors.push({ path: `/${index}`, ...error })
  })
  const subnets = parsed.filter((subnet): subnet is Subnet => !('error' in subnet))
  return { value: [...new Set(subnets.map(subnet => subnet.text))].sort(), errors }
}

export function expiryErrors(expiresAt: Micros | undefined, now: Micros): ProblemItem[] {
  const path = '/expires_at'
  if (expiresAt === undefined)
    return [required(path, `must be set; keys are valid for at most ${lifetimeDaysMax} days`)]
  if (expiresAt <= now) return [{ path, code: 'expiry_in_the_past', detail: 'must be in the future' }]
  if (expiresAt > now + lifetimeDaysMax * dayMicros)
    return [{ path, code: 'expiry_too_far', detail: `must be within ${lifetimeDaysMax} days from now` }]
  return []
}

/** Errors in the combination of settings, for new and changed keys. */
export const combinationErrors = ({ may_export, may_submit, may_annotate, front_end, hidden_questions }: Combined) => {
  const errors: ProblemItem[] = []
  if (!may_export && !may_submit) errors.push(required('/may_export', 'must allow export, submit, or both'))
  else if (may_annotate && !may_export) {
    const detail =
      'must be combined with export, because the key can set only the status and note of applications it exports'
    errors.push({ path: '/may_annotate', code: 'needs_export', detail })
  }
  const hasFrontEnd = (front_end ?? null) !== null
  if (may_submit && !hasFrontEnd) errors.push(required('/front_end', neededFrontEnd))
  if (!may_submit && hasFrontEnd)
    errors.push(notAllowed('/front_end', 'must be empty; only a key that submits has a front end'))
  if (may_submit && hidden_questions !== undefined && hidden_questions.length > 0)
    errors.push(notAllowed('/hidden_questions', 'must be empty; a key that submits can’t have hidden questions'))
  return errors
}

interface Combined {
  may_export: boolean
  may_submit: boolean
  may_annotate?: boolean
  front_end?: string | null | undefined
  hidden_questions?: readonly string[]
}

const required = (path: string, detail: string): ProblemItem => ({ path, code: 'required', detail })
const notAllowed = (path: string, detail: string): ProblemItem => ({ path, code: 'not_allowed', detail })
const tooMany = (detail: string): ProblemItem => ({ code: 'too_many', detail })
