// Finds the positions of values in a JSON text by their paths, to report errors with line numbers.
// Only for texts that are JSON.

import { pointerTo } from './json-text.ts'

/** Both start at 1; columns are in UTF-16 units. */
export interface TextPlace {
  line: number
  column: number
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:\n]|[^\s{}[\],:"]+/gs

/** The positions of these values (RFC 6901). A missing value has the position of the nearest object or array that should contain it. */
export function placesIn(text: string, paths: readonly string[]): TextPlace[] {
  const wanted = new Set(paths.flatMap(holders))
  const places = new Map<string, TextPlace>()
  const open: { path: string; step: string | number; inKey: boolean }[] = []
  let line = 1
  let lineStart = 0
  for (const { 0: found, index } of text.matchAll(token)) {
    const holder = open.at(-1)
    if (found === '\n') {
      line++
      lineStart = index + 1
    } else if (found === '}' || found === ']') open.pop()
    else if (found === ',') {
      if (typeof holder!.step === 'number') holder!.step++
      else holder!.inKey = true
    } else if (found === ':') holder!.inKey = false
    else if (holder?.inKey) holder.step = JSON.parse(found) as string
    else {
      const path = holder === undefined ? '' : pointerTo(holder.path, holder.step)
      if (wanted.has(path)) places.set(path, { line, column: index - lineStart + 1 })
      if (found === '{') open.push({ path, step: '', inKey: true })
      else if (found === '[') open.push({ path, step: 0, inKey: false })
    }
  }
  return paths.map(path => places.get(holders(path).find(holder => places.has(holder))!)!)
}

/** A path and its parent paths, innermost first. */
function holders(path: string): string[] {
  const all = [path]
  for (let at = path.lastIndexOf('/'); at >= 0; at = path.lastIndexOf('/', at - 1)) {
    all.push(path.slice(0, at))
    if (at === 0) break
  }
  return all
}
