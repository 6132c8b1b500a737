// A program's document as it was typed into a form: what it says, and each fault with its line.

import { placesIn, type TextPlace } from '../../../domain/values/json-places.ts'
import { parseJson } from '../../../domain/values/json-text.ts'
import type { ProblemItem } from '../../../problem.ts'

export interface PlacedFault extends TextPlace {
  path: string
  detail: string
}

/** Deeper than any document says something; what a definition may be nested to is told with its other faults. */
const depthMax = 1000

export function readDocumentField(text: string): { document: unknown } | { faults: PlacedFault[] } {
  const parsed = parseJson(text, { depthMax })
  if ('json' in parsed) return { document: JSON.parse(text) as unknown }
  const { path, detail, line, column } = parsed.fault
  return { faults: [{ path, detail, line, column }] }
}

/** Faults of a document with the lines they are on, in the order of the text. */
export function placeFaults(text: string, faults: readonly ProblemItem[]): PlacedFault[] {
  const paths = faults.map(({ path = '' }) => path)
  const places = placesIn(text, paths)
  return faults
    .map(({ detail }, i) => ({ path: paths[i]!, detail, ...places[i]! }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
}
