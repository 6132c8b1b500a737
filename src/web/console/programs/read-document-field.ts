// Parses a program document from a form, and finds the line of each error.

import type { ProblemItem } from '../../../base/problem.ts'
import { member } from '../../../domain/definitions/definition-form.ts'
import { placesIn, type TextPlace } from '../../../domain/values/json-places.ts'
import { parseJson } from '../../../domain/values/json-text.ts'

export interface PlacedError extends TextPlace {
  path: string
  code: string
  detail: string
}

/** Maximum length of a definition in a form: most characters take one byte, quotes and braces three. */
export const documentBytesMax = 8 * 1024 * 1024

/** Deeper than any real document; the limit on nesting is reported with the other errors. */
const depthMax = 1000

export function readDocumentField(text: string): { document: unknown } | { errors: PlacedError[] } {
  const parsed = parseJson(text, { depthMax })
  if ('json' in parsed) return { document: JSON.parse(text) as unknown }
  return { errors: [parsed.error] }
}

/** Errors of a document with their lines, in the order of the text. */
export function placeErrors(text: string, errors: readonly ProblemItem[]): PlacedError[] {
  const paths = errors.map(({ path = '' }) => path)
  const places = placesIn(text, paths)
  return errors
    .map(({ code, detail }, i) => ({ path: paths[i]!, code, detail, ...places[i]! }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
}

/** The error of a document that belongs to another program than the one with this slug. */
export function otherSlug(document: unknown, slug: string) {
  const named = member(document, 'slug')
  if (named === undefined || named === slug) return undefined
  return {
    path: '/slug',
    code: 'immutable',
    detail: `Must be "${slug}". To create another program, use New program.`,
  }
}
