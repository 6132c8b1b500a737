// Compares what was done with what each reader reports afterwards. Pure.

import { isSameContent, type Members } from './contents.ts'
import type { Annotation, Ledger } from './ledger.ts'
import type { WalkedApplication } from './walk-promises.ts'

/** Each change once, in order; every submitted application once; every status and note that was certainly set, and every erasure. */
export function checkChanges(ledger: Ledger, there: readonly number[]): void {
  const { followed, annotations, erased, maybeErased } = ledger
  const nameOf = ({ change, kind, application_id }: (typeof followed)[number]) => `${change} ${kind} ${application_id}`
  const inOrder = followed.toSorted((one, other) => one.change - other.change).map(nameOf)
  const all = ['lost', 'duplicated', 'unexpected', 'out_of_order'] as const
  ledger.compare('the change feed', followed.map(nameOf), inOrder, all)
  const of = (wanted: string) => followed.filter(({ kind }) => kind === wanted)
  const submitted = of('submitted').map(({ application_id }) => application_id)
  ledger.compare('submissions in the change feed', ledger.remaining(submitted), ledger.remaining(there), [
    'lost',
    'unexpected',
  ])
  const gone = of('erased').map(({ application_id }) => application_id)
  ledger.compare('erasures in the change feed', gone, [...erased], ['lost', 'duplicated'])
  const stray = gone.find(id => !maybeErased.has(id))
  if (stray !== undefined) ledger.note(`the change feed has an erasure of application ${stray}, which was not erased`)
  // Several changes read together may have been followed by an erasure, after which none of them remains.
  const kept = ([id]: [number, unknown]): boolean => !maybeErased.has(id)
  const notes = of('note').map(({ application_note }) => application_note)
  const sure = [...annotations].filter(kept).flatMap(([, made]) => made.filter(({ isSure }) => isSure))
  ledger.compare(
    'notes in the change feed',
    notes,
    sure.map(({ note }) => note),
    ['lost', 'duplicated'],
  )
  const given = Map.groupBy(of('status'), ({ application_id }) => application_id)
  for (const [id, made] of [...annotations].filter(kept)) {
    if (made.some(({ isSure }) => !isSure)) continue
    const set = made.flatMap(({ status }) => status ?? [])
    const came = given.get(id)?.map(({ status }) => status) ?? []
    if (came.join() !== set.join())
      ledger.note(`application ${id} was set to ${set.join()}, but the feed has ${came.join()}`)
  }
}

/** Status, note and revision state of each application after all changes. */
export function checkStates(ledger: Ledger, there: readonly WalkedApplication[]): void {
  const newest = new Map<number, number>()
  for (const { application_id, applicant_id } of ledger.submissions.values()) newest.set(applicant_id, application_id)
  for (const { id, applicantId, state, fields } of there) {
    if (ledger.submissions.has(id)) {
      const expected = newest.get(applicantId) === id ? 'CURRENT' : 'OBSOLETE'
      if (state !== expected) ledger.note(`application ${id} is ${state}, but ${expected} according to the submissions`)
    }
    const made = ledger.annotations.get(id) ?? []
    const last = made.findLast(({ note }) => note === fields.application_note)
    const upTo = made.slice(0, last === undefined ? 0 : made.indexOf(last) + 1)
    if (last === undefined && fields.application_note !== null)
      ledger.note(`application ${id} has a note that was never set`)
    if (made.slice(upTo.length).some(({ isSure }) => isSure))
      ledger.note(`application ${id} does not have its last note`)
    const set = upTo.findLast(({ status, isSure }) => status !== undefined && isSure)
    const doubtful = upTo.slice(set === undefined ? 0 : upTo.indexOf(set)).filter(({ status }) => status !== undefined)
    const possible = set === undefined ? [...doubtful, { status: null, time: null }] : doubtful
    const { status, status_last_modified_time: time } = fields
    if (!possible.some(item => item.status === status && item.time === time))
      ledger.note(`application ${id} has the status ${status} of ${time}, which is not its last one`)
  }
}

/** Every note once, with the status at that moment, in order; and no other. */
export function checkAnnotations(
  ledger: Ledger,
  rows: readonly { application_id: number; status: string | null; application_note: string | null }[],
): void {
  const history = Map.groupBy(rows, ({ application_id }) => application_id)
  for (const [id, made] of ledger.annotations) {
    if (ledger.maybeErased.has(id)) continue
    const own = history.get(id) ?? []
    history.delete(id)
    const notes = new Set(own.map(({ application_note }) => application_note))
    const applied = made.filter(({ note, isSure }) => isSure || notes.has(note))
    const expected = statesAfter(applied).join()
    const found = own.map(({ application_note, status }) => `${application_note} ${status}`).join()
    if (found !== expected) ledger.note(`the history of application ${id} is ${found}, but should be ${expected}`)
  }
  for (const id of ledger.remaining(history.keys()))
    ledger.note(`application ${id} has a history, but nothing was changed`)
}

function statesAfter(applied: readonly Annotation[]): string[] {
  let status: string | null = null
  return applied.map(annotation => {
    status = annotation.status ?? status
    return `${annotation.note} ${status}`
  })
}

/** A client's copy has the applications of a walk, each in its current form; unanswered questions may be missing from it (D39). */
export function checkCopy(
  ledger: Ledger,
  name: string,
  copy: ReadonlyMap<number, Members>,
  there: readonly WalkedApplication[],
): void {
  const ids = there.map(({ id }) => id)
  ledger.compare(
    name,
    [...copy.keys()].sort((a, b) => a - b),
    ids.toSorted((a, b) => a - b),
    ['lost', 'unexpected'],
  )
  const other = there.find(({ id, fields }) => copy.has(id) && !isSameContent(copy.get(id)!, fields))
  if (other !== undefined) ledger.note(`${name}: application ${other.id} differs from the walk`)
}
