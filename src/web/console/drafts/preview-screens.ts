// Decides which screen of a preview is shown next and which errors it has, from the answers in the form.

import type { ProblemItem } from '../../../base/problem.ts'
import type { AskedPlace } from '../../../core/intake/checking/check-all.ts'
import type { ProgramVersion } from '../../../domain/questions/program-version.ts'
import { errorWords } from '../../questions/field-view.ts'
import { errorField, FormValues } from '../../questions/form-values.ts'
import { en } from '../../questions/languages/en.ts'
import { removeButton } from '../../questions/list-field.tsx'

/** The screen that is shown. */
export interface ShownScreen {
  /** Its index; that of no screen once all were seen. */
  screen: number
  /** Whether none is asked before it. */
  isFirst: boolean
  places: readonly AskedPlace[]
  /** What is wrong on it, each at its field; nothing where it was not shown before. */
  errors: readonly FieldProblem[]
  /** Whether an answer on it asks for more on the same screen. */
  unseen: boolean
}

/** Which of these questions a screen asks. */
function byScreen({ screens }: ProgramVersion, asked: readonly AskedPlace[]): (screen: number) => AskedPlace[] {
  const screenOf = new Map(
    screens.flatMap((screen, i) => screen.questions.map(({ question_id }) => [question_id, i] as const)),
  )
  return screen => asked.filter(({ asked }) => screenOf.get(asked.question.question_id) === screen)
}

/**
 * Where the buttons lead: on, once a screen has shown all its questions and the answers are right; else back to it. From the end, to any
 * screen.
 */
export function screenShown(
  version: ProgramVersion,
  asked: readonly AskedPlace[],
  errors: readonly ProblemItem[],
  values: URLSearchParams,
): ShownScreen {
  const { screens } = version
  const on = byScreen(version, asked)
  const open = [...screens.keys()].filter(screen => on(screen).length > 0)
  const at = values.has('screen') ? Number(values.get('screen')) : (open[0] ?? 0)
  const seen = new Set((values.get('shown') ?? '').split(' '))
  const unseen = values.has('screen') && on(at).some(({ path }) => !seen.has(path))
  const go = values.get('go')
  const back = open.findLast(screen => screen < at) ?? at
  const next = open.find(screen => screen > at) ?? screens.length
  const held = unseen || errorsAt(on(at), errors).length > 0
  const named = open.find(screen => go === String(screen))
  const screen = named ?? (go === 'back' ? back : go === 'next' && !held ? next : at)
  const places = on(screen)
  const stays = values.has('screen') && screen === at
  const atFields = stays || named !== undefined ? errorsAt(places, errors) : []
  return { screen, isFirst: screen === open[0], places, errors: atFields, unseen: unseen && stays }
}

interface FieldProblem extends ProblemItem {
  parameter: string
  /** As applicants read it. */
  said: string
  place: AskedPlace
}

/** What is wrong on a screen, each at its field; that of a whole answer, at the first. */
function errorsAt(places: readonly AskedPlace[], errors: readonly ProblemItem[]): FieldProblem[] {
  return errors.flatMap(({ path = '', code, detail }) => {
    const isIn = (at: string) => `${path}/`.startsWith(`${at}/`)
    // Of a list of people and a question about one of them, the question.
    const place = places.findLast(place => isIn(place.path))
    const type = place?.asked.type
    if (place === undefined || type === undefined) return []
    const said = errorWords(en.questions, place, { path, code, detail }) || detail
    return [{ parameter: errorField(type, place.path, path), code, detail, said, place }]
  })
}

/** What submitting would be refused for, screen by screen. */
export function missingIn(version: ProgramVersion, asked: readonly AskedPlace[], errors: readonly ProblemItem[]) {
  const on = byScreen(version, asked)
  return version.screens
    .map(({ name }, screen) => ({ screen, name, errors: errorsAt(on(screen), errors) }))
    .filter(({ errors }) => errors.length > 0)
}

/** What was filled in, without what a button removes. */
export function valuesIn(form: URLSearchParams): FormValues {
  const removed = form.get(removeButton)
  return new FormValues([...form].filter(([name]) => removed === null || !name.startsWith(`${removed}/`)))
}

/** Whether a question has the field of this name. */
export const hasField = ({ asked: { type }, path }: AskedPlace, name: string): boolean =>
  type === 'ENUMERATOR'
    ? name.startsWith(path) && /^\/entities\/\d+\/entity_name$/.test(name.slice(path.length))
    : type !== undefined && name.startsWith(`${path}/`)
