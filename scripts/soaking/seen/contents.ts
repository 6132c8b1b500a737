// Checks an application against what was submitted: each answer in its place, and nothing else. Pure.

import { sees, type View } from './views.ts'
import type { WalkedApplication } from './walk-promises.ts'

export type Members = Readonly<Record<string, unknown>>

/** A submission as sent and acknowledged. */
export interface SentApplication {
  application_id: number
  applicant_id: number
  program_version_id: number
  create_time: string
  submit_time: string
  answers: Members
}

/** Fixed at submission and acknowledged with it. */
const fixed = ['application_id', 'applicant_id', 'program_version_id', 'create_time', 'submit_time'] as const

/** Every value in answers, by its path: `members.0.jobs.1.employer.text` → `Mill`. */
function* leaves(value: unknown, path = ''): Generator<[string, string]> {
  if (value === null || value === undefined || value === '') return
  if (typeof value !== 'object') yield [path, String(value)]
  else if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* leaves(item, `${path}.${i}`)
  else
    for (const [name, inner] of Object.entries(value))
      if (name !== 'question_type') yield* leaves(inner, nameOf(path, name))
}

/** Entities are numbered directly below their enumerator; the field that contains them is not part of the path. */
const nameOf = (path: string, name: string): string =>
  path === '' ? name : name === 'entities' ? path : `${path}.${name}`

/** The columns of a table of applications: fields of top-level answers, and the number of entities of each enumerator. */
function* cells(answers: Members): Generator<[string, string]> {
  for (const [key, answer] of Object.entries(answers))
    for (const [field, value] of Object.entries(answer as Members))
      if (Array.isArray(value)) yield [`${key}.${field}`, String(value.length)]
      else if (value !== null && field !== 'question_type') yield [`${key}.${field}`, String(value)]
}

/** How an application on a page differs from what was sent; undefined if it does not. */
export function contentFault(
  view: View,
  { fields }: Pick<WalkedApplication, 'fields'>,
  submission: SentApplication,
): string | undefined {
  const wrong = fixed.find(name => fields[name] !== undefined && String(fields[name]) !== String(submission[name]))
  if (wrong !== undefined) return `${wrong} is ${fields[wrong]}, but ${submission[wrong]} was sent`
  const { application } = fields
  if (application !== undefined)
    return difference(new Map(leaves(application)), new Map(leaves(submission.answers)), view)
  const answered = Object.entries(fields).filter(([name, cell]) => name.includes('.') && cell !== '' && cell !== null)
  return difference(
    new Map(answered.map(([name, cell]) => [name, String(cell)])),
    new Map(cells(submission.answers)),
    view,
  )
}

function difference(got: Map<string, string>, sent: Map<string, string>, view: View): string | undefined {
  for (const [path, value] of sent) {
    if (!sees(view, path)) got.delete(path)
    else if (got.get(path) !== value) return `${path} differs from what was sent`
    got.delete(path)
  }
  // A table has zeros for enumerators without entities.
  for (const [path, value] of got) if (!(path.endsWith('.entities') && value === '0')) return `${path} was not sent`
  return undefined
}

/** Whether two objects of an application are equivalent; one may lack unanswered questions. */
export function isSameContent(members: Members, others: Members): boolean {
  const unmatched = new Map(leaves(members))
  for (const [path, value] of leaves(others)) {
    if (unmatched.get(path) !== value) return false
    unmatched.delete(path)
  }
  return unmatched.size === 0
}
