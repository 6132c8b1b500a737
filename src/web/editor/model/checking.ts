// Runs the service's own check of the document between frames, and finds what can be saved of a document with errors.

import { checkDefinition } from '../../../domain/definitions/check-definition.ts'
import type { DefinitionError } from '../../../domain/definitions/definition-form.ts'
import { removeQuestion } from '../../../domain/definitions/edit-definition.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'

/** Maximum number of errors: nobody reads more. */
const errorsMax = 200
/** How long the check may block the page at a time, in ms. */
const sliceMs = 8

/** Every error of a document; undefined if it is no longer needed. */
export async function findErrors(
  document: ProgramDefinition,
  enumeratorDepthMax: number,
  signal: AbortSignal,
): Promise<DefinitionError[] | undefined> {
  const errors: DefinitionError[] = []
  let begun = performance.now()
  // An undefined member counts as omitted, as in the document's text.
  for (const found of checkDefinition(withoutUndefined(document), { enumeratorDepthMax })) {
    errors.push(...found)
    if (errors.length >= errorsMax) break
    if (performance.now() - begun < sliceMs) continue
    await new Promise(resolve => setTimeout(resolve))
    if (signal.aborted) return undefined
    begun = performance.now()
  }
  return errors
}

const plain = new WeakMap<object, unknown>()

/** The document in its JSON form. Parts that no edit changed are only built once. */
export function withoutUndefined<One>(value: One): One {
  if (typeof value !== 'object' || value === null) return value
  const made = plain.get(value)
  if (made !== undefined) return made as One
  const copy = Array.isArray(value)
    ? value.map(withoutUndefined)
    : Object.fromEntries(
        Object.entries(value).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, withoutUndefined(value)]],
        ),
      )
  plain.set(value, copy)
  return copy as One
}

/** Whether two parts of documents are equal. Unchanged parts are the same object, which is not compared further. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  const [members, others] = [one, other].map(
    value => new Map(Object.entries(value).filter(([, member]) => member !== undefined)),
  ) as [Map<string, unknown>, Map<string, unknown>]
  return (
    members.size === others.size &&
    [...members].every(([name, value]) => others.has(name) && isSame(value, others.get(name)))
  )
}

/** The document without its unfinished new questions; undefined if it has other errors. */
export function finishedPart(
  document: ProgramDefinition,
  errors: readonly DefinitionError[],
  saved: ProgramDefinition,
): ProgramDefinition | undefined {
  const known = new Set(saved.questions.map(({ admin_name }) => admin_name))
  const names = errors.map(({ path }) => nameAt(document, path))
  if (names.some(name => name === undefined || known.has(name))) return undefined
  return [...new Set(names)].reduce((rest, name) => removeQuestion(rest, name!), document)
}

/** The admin name of the question at a path, where it is defined or where it is asked. */
export function nameAt({ questions, screens }: ProgramDefinition, path: string): string | undefined {
  const [, defined] = /^\/questions\/(\d+)(?:\/|$)/.exec(path) ?? []
  if (defined !== undefined) return questions[Number(defined)]?.admin_name
  const [, screen, index] = /^\/screens\/(\d+)\/questions\/(\d+)(?:\/|$)/.exec(path) ?? []
  return screen === undefined ? undefined : screens[Number(screen)]?.questions[Number(index)]?.question
}
