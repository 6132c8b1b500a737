// Validates the settings of a key that an administrator requests.
// It changes nothing.

import type { Db } from '../db/client.ts'
import { listProgramIds } from '../db/keys/api-key-rows.ts'
import { readKnownAdminNames } from '../db/programs/questions.ts'
import { isBlank, isName } from '../domain/values/folded-text.ts'
import { parseSubnet, type Subnet } from '../domain/values/ip-address.ts'
import type { Micros } from '../domain/values/offset-time.ts'
import type { ProblemItem } from '../problem.ts'
import { dayMicros } from './expiry.ts'

/** Longest name of a key, and of a front end. */
const nameLengthMax = 100
const programsMax = 1000
const subnetsMax = 100
const hiddenQuestionsMax = 100
const lifetimeDaysMax = 366

/** The only word for every address; never a default. */
export const anywhere = 'anywhere'
const anywhereSubnets = ['0.0.0.0/0', '::/0']

/** What the administrator asks for, as it was entered. */
export interface ApiKeyDraft {
  name: string
  /** Slugs. */
  programs: readonly string[]
  /** Undefined without one. */
  expires_at: Micros | undefined
  /** CIDR subnets or single addresses, or `anywhere` alone. */
  allowed_subnets: readonly string[]
  may_export: boolean
  may_submit: boolean
  /** Whether it sets status and note of the applications it reads; no by default. */
  may_annotate?: boolean
  /** The front end that a key which may submit is a key of; its applicants are the only ones the key can reach (D26). */
  front_end?: string | undefined
  /** Admin names of questions that it never sees, in whatever program; none by default. */
  hidden_questions?: readonly string[]
}

/** What can be changed later; what is absent stays as it is. */
export type ApiKeyChanges = Partial<
  Pick<ApiKeyDraft, 'name' | 'programs' | 'allowed_subnets' | 'front_end' | 'expires_at' | 'hidden_questions'>
>

/** Values as they are stored: trimmed, canonical, without repetition, sorted. */
export type CheckedValues = {
  name?: string
  programs?: string[]
  allowed_subnets?: string[]
  front_end?: string
  expires_at?: Micros
  hidden_questions?: string[]
}

interface Checked {
  errors: ProblemItem[]
  values: CheckedValues
  programIds: number[]
}

/** Checks the whole input and names every error, with its place in the draft (`/name`, `/programs/0`, …). */
export async function checkChanges(db: Db, changes: ApiKeyChanges): Promise<Checked> {
  const checked: Checked = { errors: [], values: {}, programIds: [] }
  if (changes.name !== undefined) checkName(checked, 'name', 'must say whose key it is and what for', changes.name)
  if (changes.front_end !== undefined) checkName(checked, 'front_end', neededFrontEnd, changes.front_end)
  if (changes.programs !== undefined) await checkPrograms(db, checked, changes.programs)
  if (changes.allowed_subnets !== undefined) checkSubnets(checked, changes.allowed_subnets)
  if (changes.hidden_questions !== undefined) await checkHidden(db, checked, changes.hidden_questions)
  return checked
}

function checkName({ errors, values }: Checked, member: 'name' | 'front_end', needed: string, text: string): void {
  const name = text.trim()
  const error = nameError(name)
  const path = `/${member}`
  if (isBlank(name)) errors.push(required(path, needed))
  else if (error !== undefined) errors.push({ path, code: 'bad_name', detail: error })
  else values[member] = name
}

function nameError(name: string): string | undefined {
  if (isName(name, nameLengthMax)) return undefined
  return `must be at most ${nameLengthMax} characters, without line breaks or other control characters`
}

/** What is wrong with the name of a front end; undefined when nothing is. */
export function frontEndError(text: string): string | undefined {
  const name = text.trim()
  return isBlank(name) ? 'must name a front end' : nameError(name)
}

async function checkPrograms(db: Db, checked: Checked, slugs: readonly string[]): Promise<void> {
  const { errors, values } = checked
  if (slugs.length === 0) errors.push(required('/programs', 'must name at least one program'))
  if (slugs.length > programsMax) {
    errors.push(tooMany('/programs', `must name at most ${programsMax} programs`))
    return
  }
  // Only texts that can be slugs are looked up.
  const programs = await listProgramIds(
    db,
    slugs.filter(slug => /^[a-z0-9-]{1,100}$/.test(slug)),
  )
  const known = new Set(programs.map(program => program.slug))
  slugs.forEach((slug, index) => {
    if (known.has(slug)) return
    const detail = `there is no program ${JSON.stringify(slug.slice(0, 100))}`
    errors.push({ path: `/programs/${index}`, code: 'unknown_program', detail })
  })
  values.programs = programs.map(program => program.slug)
  checked.programIds = programs.map(program => program.program_id)
}

async function checkHidden(db: Db, { errors, values }: Checked, names: readonly string[]): Promise<void> {
  const path = '/hidden_questions'
  if (names.length > hiddenQuestionsMax) {
    errors.push(
      tooMany(path, `must name at most ${hiddenQuestionsMax} questions; hide an enumerator to hide all under it`),
    )
    return
  }
  const wanted = names.map(name => name.trim())
  // A text that PostgreSQL cannot store is no name in the bank.
  const known = await readKnownAdminNames(
    db,
    wanted.filter(name => name.isWellFormed() && !name.includes('\0')),
  )
  wanted.forEach((name, index) => {
    if (known.includes(name)) return
    const detail = `there is no question ${JSON.stringify(name.slice(0, 100))}: name questions as the question bank does`
    errors.push({ path: `${path}/${index}`, code: 'unknown_question', detail })
  })
  values.hidden_questions = known
}

/** A key that submits must see every question. */
export function hidingErrors(
  { may_submit }: Pick<ApiKeyDraft, 'may_submit'>,
  hidden: readonly string[] | undefined,
): ProblemItem[] {
  if (!may_submit || hidden === undefined || hidden.length === 0) return []
  const detail = 'must be empty: a key that submits must see every question'
  return [{ path: '/hidden_questions', code: 'not_allowed', detail }]
}

function checkSubnets({ errors, values }: Checked, texts: readonly string[]): void {
  const path = '/allowed_subnets'
  if (texts.length === 0)
    errors.push(required(path, `must name the subnets the key may be used from, or say "${anywhere}"`))
  if (texts.length > subnetsMax) {
    errors.push(tooMany(path, `must name at most ${subnetsMax} subnets`))
    return
  }
  if (texts.length === 1 && texts[0] === anywhere) {
    values.allowed_subnets = anywhereSubnets
    return
  }
  const parsed = texts.map(text => parseSubnet(text.slice(0, 100)))
  parsed.forEach((subnet, index) => {
    if (!('error' in subnet)) return
    const alone = {
      code: 'anywhere_not_alone',
      detail: `"${anywhere}" must be the only entry: with it, no subnet says anything`,
    }
    const error = texts[index] === anywhere ? alone : { code: 'bad_subnet', detail: subnet.error }
    errors.push({ path: `${path}/${index}`, ...error })
  })
  const subnets = parsed.filter((subnet): subnet is Subnet => !('error' in subnet))
  values.allowed_subnets = [...new Set(subnets.map(subnet => subnet.text))].sort()
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

const neededFrontEnd = 'must name the front end that submits with this key: it reaches the applicants of that one alone'

/** A key has a front end exactly when it may submit. */
export function frontEndErrors({
  may_submit,
  front_end,
}: Pick<ApiKeyDraft, 'may_submit' | 'front_end'>): ProblemItem[] {
  const path = '/front_end'
  if (may_submit) return front_end === undefined ? [required(path, neededFrontEnd)] : []
  return front_end === undefined
    ? []
    : [{ path, code: 'not_allowed', detail: 'must be left out: this key may not submit' }]
}

export function permissionErrors({ may_export, may_submit, may_annotate = false }: ApiKeyDraft): ProblemItem[] {
  if (!may_export && !may_submit)
    return [required('/may_export', 'must be allowed to export or to submit, or the key is good for nothing')]
  if (!may_annotate || may_export) return []
  const detail = 'must be allowed to export too: it sets status and note of applications that it reads'
  return [{ path: '/may_annotate', code: 'needs_export', detail }]
}

const required = (path: string, detail: string): ProblemItem => ({ path, code: 'required', detail })
const tooMany = (path: string, detail: string): ProblemItem => ({ path, code: 'too_many', detail })
