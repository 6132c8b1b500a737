// Validates what an administrator requests of a key: each setting, and what they are together.
// It changes nothing. Which setting has which check: `key-settings`.

import type { ProblemItem } from '../../base/problem.ts'
import type { Db } from '../../db/client.ts'
import { readKnownSlugs } from '../../db/keys/api-key-rows.ts'
import { readKnownAdminNames } from '../../db/programs/questions.ts'
import { foldText, isBlank, isName } from '../../domain/values/folded-text.ts'
import { parseSubnet, type Subnet } from '../../domain/values/ip-address.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { dayMicros } from './expiry.ts'

/** Longest name of a key, and of a front end. */
export const nameLengthMax = 100
export const noteLengthMax = 1000
const programsMax = 1000
const subnetsMax = 100
const hiddenQuestionsMax = 100
const lifetimeDaysMax = 366

/** The only word for every address; never a default. */
export const anywhere = 'anywhere'
const anywhereSubnets = ['0.0.0.0/0', '::/0']

/** What is stored for what was given, and what is wrong with it, with the place in it. */
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
const neededFrontEnd = 'must name the front end that submits with this key: it reaches the applicants of that one alone'

export const checkName = nameCheck('must say whose key it is and what for')
export const checkFrontEnd = nameCheck(neededFrontEnd)

/** A text of several lines, with the line breaks that forms send as one character each. */
export function checkNote(_: Db, text: string): CheckedSetting {
  const note = text.replaceAll('\r\n', '\n').trim()
  const detail = `must be at most ${noteLengthMax} characters, without control characters but line breaks and tabs`
  const isGood = note.length <= noteLengthMax && note.isWellFormed() && !/(?![\n\t])\p{Cc}/u.test(note)
  return { value: note, errors: isGood ? [] : [{ code: 'bad_note', detail }] }
}

function nameError(name: string): string | undefined {
  if (isName(name, nameLengthMax)) return undefined
  return `must be at most ${nameLengthMax} characters, without line breaks or other control characters`
}

/** What is wrong with the name of a front end; undefined when nothing is. */
export function frontEndError(text: string): string | undefined {
  const name = text.trim()
  if (foldText(name) === ownFrontEnd) return 'must be another name: this one is that of the applicants’ pages'
  return isBlank(name) ? 'must name a front end' : nameError(name)
}

/** The applicants' pages (`/apply`) as a front end. No key reaches its applicants. */
export const ownFrontEnd = 'tributary/apply'

export async function checkPrograms(db: Db, slugs: readonly string[]): Promise<CheckedSetting> {
  if (slugs.length > programsMax) return { value: [], errors: [tooMany(`must name at most ${programsMax} programs`)] }
  // Only texts that can be slugs are looked up.
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
    const detail = `must name at most ${hiddenQuestionsMax} questions; hide an enumerator to hide all under it`
    return { value: [], errors: [tooMany(detail)] }
  }
  const wanted = names.map(name => name.trim())
  // A text that PostgreSQL cannot store is no name in the bank.
  const known = await readKnownAdminNames(
    db,
    wanted.filter(name => name.isWellFormed() && !name.includes('\0')),
  )
  const unknown = (name: string) =>
    `there is no question ${JSON.stringify(name.slice(0, 100))}: name questions as the question bank does`
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
  const none = required('', `must name the addresses it may be used from, or be "${anywhere}" alone`)
  const errors = texts.length === 0 ? [none] : []
  const parsed = texts.map(text => parseSubnet(text.slice(0, 100)))
  parsed.forEach((subnet, index) => {
    if (!('error' in subnet)) return
    const alone = {
      code: 'anywhere_not_alone',
      detail: `cannot be combined with addresses: leave those out, or "${anywhere}"`,
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
    return [required(path, `must be given: every key ends, after ${lifetimeDaysMax} days at most`)]
  if (expiresAt <= now) return [{ path, code: 'expiry_in_the_past', detail: 'must lie in the future' }]
  if (expiresAt > now + lifetimeDaysMax * dayMicros)
    return [{ path, code: 'expiry_too_far', detail: `must be within ${lifetimeDaysMax} days from now` }]
  return []
}

/** What settings together must be, whether the key is new or changed: what it may do, and what only some keys have. */
export const combinationErrors = ({ may_export, may_submit, may_annotate, front_end, hidden_questions }: Combined) => {
  const errors: ProblemItem[] = []
  if (!may_export && !may_submit)
    errors.push(required('/may_export', 'must be allowed to export or to submit, or the key is good for nothing'))
  else if (may_annotate && !may_export) {
    const detail = 'must be allowed to export too: it sets status and note of applications that it reads'
    errors.push({ path: '/may_annotate', code: 'needs_export', detail })
  }
  const hasFrontEnd = (front_end ?? null) !== null
  if (may_submit && !hasFrontEnd) errors.push(required('/front_end', neededFrontEnd))
  if (!may_submit && hasFrontEnd)
    errors.push(notAllowed('/front_end', 'must be left out: only a key that submits has a front end'))
  if (may_submit && hidden_questions !== undefined && hidden_questions.length > 0)
    errors.push(notAllowed('/hidden_questions', 'must be empty: a key that submits must see every question'))
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
