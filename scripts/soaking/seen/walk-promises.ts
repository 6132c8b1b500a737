// Verifies a walk against the database and lists the broken promises, naming only numbers and IDs. Pure. Used by soaks and their tests.

import type { TruePlace } from '../../../src/db/walks/walk-truth.ts'

/** Ways in which the result may differ from the expectation: none missing, none twice (G1), none besides (G2), oldest first (D1). */
const differenceKinds = ['lost', 'duplicated', 'unexpected', 'out_of_order'] as const

export interface Difference<T> {
  kind: (typeof differenceKinds)[number]
  of: T
}

/** Compares the result with the expectation, in order. Items that `mayMiss` accepts may be missing. */
export function* differences<T>(
  got: readonly T[],
  expected: readonly T[],
  mayMiss: (item: T) => boolean = () => false,
): Generator<Difference<T>> {
  const turns = new Map(expected.map((item, turn) => [item, turn]))
  const seen = new Set<T>()
  let last = -1
  for (const item of got) {
    const turn = turns.get(item)
    if (seen.has(item)) yield { kind: 'duplicated', of: item }
    else if (turn === undefined) yield { kind: 'unexpected', of: item }
    else {
      if (turn < last) yield { kind: 'out_of_order', of: item }
      last = turn
    }
    seen.add(item)
  }
  for (const item of expected) if (!seen.has(item) && !mayMiss(item)) yield { kind: 'lost', of: item }
}

/** Each with its rows of the contract. */
export const promises = [
  ...differenceKinds,
  /** G3: CURRENT or OBSOLETE as of the first page. */
  'revision_state',
  /** G4: the same token, the same applications. */
  'repeatable',
  /** G7: full pages, and a last one that is marked as such; G2: an end. */
  'paged',
  /** Every page succeeds, in every format and with every selection of questions: no 500. The walk itself detects that. */
  'answered',
  /** With `fields`, only the selected questions. */
  'chosen',
  /** Every number up to the horizon belongs to an application, its tombstone, or another change: none has disappeared without a trace. */
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
  /** Keys of its own questions, not those within others. */
  questions: readonly string[]
  /** A digest of everything in it that never changes. */
  digest: number | bigint
  /** As received. */
  fields: Readonly<Record<string, unknown>>
}

export interface WalkedPage {
  applications: WalkedApplication[]
  token: string | null
}

interface Walked {
  pages: readonly WalkedPage[]
  pageSize: number
  pagesMax: number
  /** The key of the only question that the walk selects; undefined for all. */
  chosen?: string | undefined
  repeated: { earlier: WalkedPage; later: WalkedPage } | undefined
}

/** Maximum number of reported errors per promise. */
const reportedMax = 5

/** The facts in the database. */
interface Truth {
  /** Every submission in the walked part, in the order of a walk. */
  places: readonly TruePlace[]
  /** Numbers up to the horizon that nothing has. */
  unaccounted: readonly number[]
  /** The last number of the program at the first page. */
  horizon: number
}

export function promisesBroken(walked: Walked, { places: truth, unaccounted, horizon }: Truth): Promised[] {
  const got = walked.pages.flatMap(page => page.applications)
  return [
    ...different(got, truth),
    ...reported('revision_state', misstated(got, truth, horizon)),
    ...reported('repeatable', changed(walked, truth)),
    ...reported('paged', mispaged(walked, truth)),
    ...reported('chosen', unchosen(walked, got)),
    ...reported('gapless', gaps(truth, unaccounted)),
  ]
}

function reported(promise: PromiseName, details: Iterable<string>): Promised[] {
  return [...details].slice(0, reportedMax).map(detail => ({ promise, detail }))
}

function different(got: readonly WalkedApplication[], truth: readonly TruePlace[]): Promised[] {
  const erased = new Set(truth.filter(place => place.erased).map(place => place.application_id))
  const [ids, places] = [got.map(({ id }) => id), truth.map(place => place.application_id)]
  const found = [...differences(ids, places, id => erased.has(id))]
  return differenceKinds.flatMap(kind => {
    const own = found.filter(difference => difference.kind === kind)
    return reported(
      kind,
      own.map(({ of }) => `application ${of}`),
    )
  })
}

function* misstated(got: readonly WalkedApplication[], truth: readonly TruePlace[], horizon: number) {
  const places = new Map(truth.filter(({ erased }) => !erased).map(place => [place.application_id, place]))
  for (const { id, state } of got) {
    const place = places.get(id)
    if (place === undefined) continue
    const expected = place.superseded_seq === null || place.superseded_seq > horizon ? 'CURRENT' : 'OBSOLETE'
    if (state !== expected) yield `application ${id} was ${state}, but ${expected} as of the first page`
  }
  const current = new Map<number, number>()
  for (const { id, applicantId, state } of got) {
    if (state !== 'CURRENT') continue
    const other = current.get(applicantId)
    if (other !== undefined && other !== id) yield `applications ${other} and ${id} of one applicant were both CURRENT`
    current.set(applicantId, id)
  }
}

/** Applications erased between the two readings are missing from the second, which has as many of the following ones instead. */
function* changed({ repeated: pair }: Walked, truth: readonly TruePlace[]) {
  if (pair === undefined) return
  const earlier = new Map(pair.earlier.applications.map(({ id, digest }) => [id, digest]))
  const later = new Set(pair.later.applications.map(({ id }) => id))
  const erased = new Set(truth.filter(place => place.erased).map(place => place.application_id))
  const gone = [...earlier.keys()].filter(id => !later.has(id))
  for (const id of gone) if (!erased.has(id)) yield `application ${id} was missing when its page was requested again`
  const kept = earlier.size - gone.length
  for (const [at, { id, digest }] of pair.later.applications.entries()) {
    const filledUp = at >= kept && at < earlier.size && !earlier.has(id)
    if (!filledUp && earlier.get(id) !== digest)
      yield `application ${id} was different when its page was requested again`
  }
}

/** A last page may be empty only if what it would have contained was erased after the page before it. */
function* mispaged({ pages, pageSize, pagesMax }: Walked, truth: readonly TruePlace[]) {
  const anyErased = truth.some(place => place.erased)
  if (pages.length === pagesMax && pages.at(-1)!.token !== null) yield `it has not ended after ${pagesMax} pages`
  for (const [i, { applications, token }] of pages.entries()) {
    const isLast = token === null
    if (!isLast && applications.length !== pageSize)
      yield `page ${i + 1} has ${applications.length} applications, but another page follows`
    if (isLast && (applications.length > pageSize || (applications.length === 0 && i > 0 && !anyErased)))
      yield `the last page, ${i + 1}, has ${applications.length} applications`
  }
}

function* unchosen({ chosen }: Walked, got: readonly WalkedApplication[]) {
  if (chosen === undefined) return
  for (const { id, questions } of got)
    if (questions.length !== 1 || questions[0] !== chosen)
      yield `application ${id} came with ${questions.length} questions, but one was requested`
}

function* gaps(truth: readonly TruePlace[], unaccounted: readonly number[]) {
  for (const number of unaccounted) yield `number ${number} belongs to neither an application nor another change`
  const seen = new Set<number>()
  for (const { submit_seq } of truth) {
    if (seen.has(submit_seq)) yield `submission ${submit_seq} appears twice`
    seen.add(submit_seq)
  }
}
