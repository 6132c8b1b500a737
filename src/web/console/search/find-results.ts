// Finds pages, programs, questions, keys, people, application numbers and applicants that match a search and that the person may open.

import { listKeys } from '../../../core/keys/api-keys.ts'
import { mayReadAnswers, maySeeProgram, programsAmong } from '../../../core/people/roles.ts'
import { readFoundApplications } from '../../../db/applications/found-applications.ts'
import { findApplicationPlaces } from '../../../db/audit/disclosures.ts'
import { readProgramsInUse } from '../../../db/dashboard/program-figures.ts'
import { readPeople } from '../../../db/people/person-rows.ts'
import { readBankPage } from '../../../db/programs/program-overviews.ts'
import { type Program, readPrograms } from '../../../db/programs/programs.ts'
import { unspacedLetter } from '../../../domain/readable/match-reason.ts'
import { type FurtherPage, furtherPages, navigation, readingRoles } from '../../html/navigation.ts'
import type { Deps } from '../../http/server/deps.ts'
import { readApplicants } from '../applications/find-applications.ts'
import { applicationsPath, listSearch } from '../applications/list-query.ts'
import { pathOfKey } from '../keys/key-labels.tsx'
import type { ConsoleRequest } from '../requests/console-request.ts'

export type ResultKind = 'application' | 'page' | 'program' | 'key' | 'person' | 'question' | 'applicant' | 'list'

export interface Result {
  kind: ResultKind
  name: string
  path: string
  /** The reason for the match, if it isn't the name: `slug food`. */
  reason: string
  /** 0 is the whole text, 1 its beginning, 2 the beginning of a word, 3 any part, 4 a list with further matches. */
  rank: number
}

export interface Results {
  items: Result[]
  /** Programs whose applicants were searched; undefined where applicants weren't. */
  searched?: { programs: number; all: boolean }
}

const perKindMax = 10
/** Programs with the newest submissions in which applicants are searched, and for how long at most. */
const programsMax = 50
const applicantsWithinMs = 3000
const perProgramMax = 5

type Scope = Pick<ConsoleRequest, 'person' | 'by' | 'now'>

/** Finding an applicant is recorded in the audit log, so the search while somebody types excludes applicants. */
export async function findResults(deps: Deps, scope: Scope, sought: string, withApplicants: boolean): Promise<Results> {
  const text = sought.trim()
  if (text === '') return { items: [] }
  const seen = (await readPrograms(deps.consoleDb)).filter(({ program_id }) => maySeeProgram(scope.person, program_id))
  const parts = await Promise.all([
    pages(scope, text),
    programs(seen, text),
    ...(readingRoles.includes(scope.person.role)
      ? [keys(deps, scope, text), people(deps, text), questions(deps, text)]
      : []),
    numbers(deps, seen, text),
  ])
  const found = withApplicants ? await applicants(deps, scope, text) : { items: [] }
  return { ...found, items: [...parts.flat(), ...found.items].toSorted((a, b) => a.rank - b.rank) }
}

/** The best match of a text among the names of an item; undefined if none matches. */
function bestMatch(text: string, names: readonly (readonly [label: string, value: string | null])[]) {
  const part = text.toLowerCase()
  const ranked = names.flatMap(([label, value]) => {
    const name = (value ?? '').toLowerCase()
    const at = name.indexOf(part)
    if (at < 0) return []
    const rank = name === part ? 0 : at === 0 ? 1 : /[\p{L}\p{N}]/u.test(name[at - 1]!) ? 3 : 2
    return [{ rank, reason: label === '' ? '' : `${label} ${value}` }]
  })
  return ranked.toSorted((a, b) => a.rank - b.rank)[0]
}

const best = (results: readonly Result[]): Result[] => results.toSorted((a, b) => a.rank - b.rank).slice(0, perKindMax)

const foundPages: readonly FurtherPage[] = [...navigation.flatMap(({ entries }) => entries), ...furtherPages]

const pages = ({ person }: Scope, text: string): Result[] =>
  foundPages
    .filter(({ roles }) => roles.includes(person.role))
    .flatMap(({ text: name, path, about = null }) => {
      const match = bestMatch(text, [
        ['', name],
        ['with', about],
      ])
      return match === undefined ? [] : [{ kind: 'page', name, path, ...match } as const]
    })

const programs = (seen: readonly Program[], text: string): Result[] =>
  best(
    seen.flatMap(({ slug, display_name: name }) => {
      const match = bestMatch(text, [
        ['', name],
        ['slug', slug],
      ])
      return match === undefined ? [] : [{ kind: 'program', name, path: `/admin/programs/${slug}`, ...match } as const]
    }),
  )

async function keys({ consoleDb }: Deps, { now }: Scope, text: string): Promise<Result[]> {
  return best(
    (await listKeys(consoleDb, now, null, { search: text, program: '' })).flatMap(({ api_key_id: id, name, note }) => {
      const match = bestMatch(text, [
        ['', name],
        ['key ID', id],
        ['note', note],
      ])
      return match === undefined ? [] : [{ kind: 'key', name, path: pathOfKey(id), ...match } as const]
    }),
  )
}

async function people({ consoleDb }: Deps, text: string): Promise<Result[]> {
  return best(
    (await readPeople(consoleDb)).flatMap(({ person_id, name, email }) => {
      const match = bestMatch(text, [
        ['', name],
        ['email', email],
      ])
      return match === undefined
        ? []
        : [{ kind: 'person', name, path: `/admin/people/${person_id}`, ...match } as const]
    }),
  )
}

async function questions({ consoleDb }: Deps, text: string): Promise<Result[]> {
  const found = await readBankPage(consoleDb, { search: text, after: '', rowsMax: perKindMax })
  return found.map(({ question_id, admin_name: name, question_key }) => {
    const match = bestMatch(text, [
      ['', name],
      ['question key', question_key],
    ])
    return {
      kind: 'question',
      name,
      path: `/admin/questions/${question_id}`,
      ...(match ?? { rank: 3, reason: 'question text' }),
    }
  })
}

/** Applications with this number, in the programs the person can see. */
async function numbers({ consoleDb }: Deps, seen: readonly Program[], text: string): Promise<Result[]> {
  const digits = text.replace(/^#|,/g, '')
  if (!/^[1-9]\d{0,14}$/.test(digits)) return []
  const places = await findApplicationPlaces(consoleDb, Number(digits))
  return places
    .filter(({ slug, erased_at }) => erased_at === null && seen.some(program => program.slug === slug))
    .map(({ application_id: id, slug, display_name }) => ({
      kind: 'application',
      name: `Application ${id}`,
      path: `${applicationsPath(slug)}/${id}`,
      reason: display_name,
      rank: 0,
    }))
}

const isLongEnough = (text: string): boolean => [...text].length >= 3 || new RegExp(unspacedLetter, 'u').test(text)

/**
 * Applicants by name, email address or phone number, in the programs with the newest submissions. Who was found is recorded in the audit log
 * of each program, as by its own list.
 */
async function applicants(deps: Deps, { person, by }: Scope, text: string): Promise<Results> {
  if (!mayReadAnswers(person) || !isLongEnough(text) || !/\p{L}|\d{4}/u.test(text)) return { items: [] }
  const { consoleDb: db } = deps
  const among = await readProgramsInUse(db, { among: programsAmong(person), rowsMax: programsMax + 1 })
  const endMs = performance.now() + applicantsWithinMs
  const items: Result[] = []
  let programs = 0
  for (const program of among.slice(0, programsMax)) {
    if (performance.now() > endMs) break
    programs++
    const first = { direction: 'older', beyond: undefined } as const
    const rows = await readFoundApplications(db, program.program_id, { words: text }, first, perProgramMax + 1)
    if (rows.length === 0) continue
    const values = new URLSearchParams({ q: text })
    const shown = rows.slice(0, perProgramMax)
    const who = await readApplicants(deps, by, program, shown, { values })
    for (const { application_id: id, is_own_name } of shown) {
      const { name = `Application ${id}`, match, email, phone } = who.get(id) ?? {}
      const reason = [program.display_name, `number ${id}`, match ?? email ?? phone].filter(Boolean).join(' · ')
      const path = `${applicationsPath(program.slug)}/${id}`
      const rank = is_own_name ? Math.min(bestMatch(text, [['', name]])?.rank ?? 2, 2) : 3
      items.push({ kind: 'applicant', name, path, reason, rank })
    }
    if (rows.length > shown.length) {
      const path = applicationsPath(program.slug) + listSearch(values)
      items.push({ kind: 'list', name: `All matches in ${program.display_name}`, path, reason: '', rank: 4 })
    }
  }
  return { items, searched: { programs, all: programs === among.length } }
}
