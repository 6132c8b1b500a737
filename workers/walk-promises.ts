// What was served in a walk, held against what the database says: which promises were broken. Pure. A fault names numbers and ids only.

import type { TruePlace } from '../src/db/walk-truth.ts'

/** Each with the rows of the contract it is of. */
export const promises = [
  /** G1: none missing. */
  'complete',
  /** G1: none twice. */
  'once',
  /** G2: none that does not belong to it, and an end. */
  'bounded',
  /** D1: oldest first. */
  'ordered',
  /** G3: CURRENT or OBSOLETE as of the first page. */
  'revision_state',
  /** G4: the same token, the same applications. */
  'repeatable',
  /** G7: full pages, and a last one that says so. */
  'paged',
  /** Every page is answered, in every format and with every choice of questions: no 500. The walk itself finds that. */
  'answered',
  /** With `fields`, of the questions that was chosen and no other. */
  'chosen',
  /** Every number up to the horizon is that of an application, of the tombstone of one, or of another change: none has gone without a trace. */
  'gapless',
] as const

export type PromiseName = (typeof promises)[number]

export interface Promised {
  promise: PromiseName
  detail: string
}

export interface WalkedApplication {
  id: number
  applicantId: number
  state: string
  /** Keys of the questions that it has, not those within others. */
  questions: readonly string[]
  /** Of all that is fixed in it. */
  digest: number | bigint
}

export interface WalkedPage {
  applications: WalkedApplication[]
  token: string | null
}

interface Walked {
  pages: readonly WalkedPage[]
  pageSize: number
  pagesMax: number
  /** The key of the one question that was asked for; undefined for all. */
  chosen?: string | undefined
  repeated: { earlier: WalkedPage; later: WalkedPage } | undefined
}

/** Faults of one promise that are told. */
const toldMax = 5

/** What the database says. */
interface Truth {
  /** Every submission of the part that was walked, in the order of a walk. */
  places: readonly TruePlace[]
  /** Numbers up to the horizon that nothing has. */
  unaccounted: readonly number[]
  /** The last number of the program at the first page. */
  horizon: number
}

export function promisesBroken(walked: Walked, { places: truth, unaccounted, horizon }: Truth): Promised[] {
  const got = walked.pages.flatMap(page => page.applications)
  return [
    ...told('complete', missing(got, truth)),
    ...told('once', repeated(got)),
    ...told('bounded', foreign(walked, got, truth)),
    ...told('ordered', disordered(got, truth)),
    ...told('revision_state', misstated(got, truth, horizon)),
    ...told('repeatable', changed(walked, truth)),
    ...told('paged', mispaged(walked, truth)),
    ...told('chosen', unchosen(walked, got)),
    ...told('gapless', gaps(truth, unaccounted)),
  ]
}

function told(promise: PromiseName, details: Iterable<string>): Promised[] {
  return [...details].slice(0, toldMax).map(detail => ({ promise, detail }))
}

function* missing(got: readonly WalkedApplication[], truth: readonly TruePlace[]) {
  const ids = new Set(got.map(({ id }) => id))
  for (const { application_id, erased } of truth)
    if (!erased && !ids.has(application_id)) yield `application ${application_id} is missing`
}

function* repeated(got: readonly WalkedApplication[]) {
  const seen = new Set<number>()
  for (const { id } of got) {
    if (seen.has(id)) yield `application ${id} came twice`
    seen.add(id)
  }
}

function* foreign({ pages, pagesMax }: Walked, got: readonly WalkedApplication[], truth: readonly TruePlace[]) {
  const ids = new Set(truth.map(({ application_id }) => application_id))
  for (const { id } of got) if (!ids.has(id)) yield `application ${id} does not belong to the walk`
  if (pages.length === pagesMax && pages.at(-1)!.token !== null) yield `it has not ended after ${pagesMax} pages`
}

function* disordered(got: readonly WalkedApplication[], truth: readonly TruePlace[]) {
  const turns = new Map(truth.map(({ application_id }, turn) => [application_id, turn]))
  const known = got.filter(({ id }) => turns.has(id))
  for (const [i, { id }] of known.entries())
    if (i > 0 && turns.get(id)! < turns.get(known[i - 1]!.id)!)
      yield `application ${id} came after application ${known[i - 1]!.id}`
}

function* misstated(got: readonly WalkedApplication[], truth: readonly TruePlace[], horizon: number) {
  const places = new Map(truth.filter(({ erased }) => !erased).map(place => [place.application_id, place]))
  for (const { id, state } of got) {
    const place = places.get(id)
    if (place === undefined) continue
    const expected = place.superseded_seq === null || place.superseded_seq > horizon ? 'CURRENT' : 'OBSOLETE'
    if (state !== expected) yield `application ${id} was ${state}, and is ${expected} as of the first page`
  }
  const current = new Map<number, number>()
  for (const { id, applicantId, state } of got) {
    if (state !== 'CURRENT') continue
    const other = current.get(applicantId)
    if (other !== undefined && other !== id) yield `applications ${other} and ${id} of one applicant were both CURRENT`
    current.set(applicantId, id)
  }
}

/** What was erased between the two readings is missing from the second, which has as many of those that follow in its place. */
function* changed({ repeated: pair }: Walked, truth: readonly TruePlace[]) {
  if (pair === undefined) return
  const earlier = new Map(pair.earlier.applications.map(({ id, digest }) => [id, digest]))
  const later = new Set(pair.later.applications.map(({ id }) => id))
  const erased = new Set(truth.filter(place => place.erased).map(place => place.application_id))
  const gone = [...earlier.keys()].filter(id => !later.has(id))
  for (const id of gone) if (!erased.has(id)) yield `application ${id} was missing when its page was asked for again`
  const kept = earlier.size - gone.length
  for (const [at, { id, digest }] of pair.later.applications.entries()) {
    const filledUp = at >= kept && at < earlier.size && !earlier.has(id)
    if (!filledUp && earlier.get(id) !== digest)
      yield `application ${id} was not the same when its page was asked for again`
  }
}

/** A last page may be empty only where what it would have had was erased after the page before it. */
function* mispaged({ pages, pageSize }: Walked, truth: readonly TruePlace[]) {
  const anyErased = truth.some(place => place.erased)
  for (const [i, { applications, token }] of pages.entries()) {
    const isLast = token === null
    if (!isLast && applications.length !== pageSize)
      yield `page ${i + 1} has ${applications.length} applications, and another follows`
    if (isLast && (applications.length > pageSize || (applications.length === 0 && i > 0 && !anyErased)))
      yield `the last page, ${i + 1}, has ${applications.length} applications`
  }
}

function* unchosen({ chosen }: Walked, got: readonly WalkedApplication[]) {
  if (chosen === undefined) return
  for (const { id, questions } of got)
    if (questions.length !== 1 || questions[0] !== chosen)
      yield `application ${id} came with ${questions.length} questions, and one was asked for`
}

function* gaps(truth: readonly TruePlace[], unaccounted: readonly number[]) {
  for (const number of unaccounted) yield `number ${number} is neither that of an application nor of another change`
  const seen = new Set<number>()
  for (const { submit_seq } of truth) {
    if (seen.has(submit_seq)) yield `submission ${submit_seq} is there twice`
    seen.add(submit_seq)
  }
}
