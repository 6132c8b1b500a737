// JSON text with line breaks and spaces between its parts, and not a sign of it changed.

import { isEscaped } from './json-text.ts'

/** Each member and item on a line of its own; taking out what is between tokens gives the text back. For text without spaces. */
export function indentedJson(text: string): string {
  const pieces: string[] = []
  let depth = 0
  let from = 0
  const breakLine = (): void => {
    pieces.push('\n', '  '.repeat(depth))
  }
  for (let i = 0; i < text.length; i++) {
    const sign = text[i]!
    if (sign === '"') {
      i = endOfString(text, i)
      continue
    }
    const closesAtOnce = (sign === '{' || sign === '[') && /[}\]]/.test(text[i + 1] ?? '')
    if (closesAtOnce) {
      i++
      continue
    }
    if (sign === '{' || sign === '[' || sign === ',') {
      pieces.push(text.slice(from, i + 1))
      from = i + 1
      if (sign !== ',') depth++
      breakLine()
    } else if (sign === '}' || sign === ']') {
      pieces.push(text.slice(from, i))
      from = i
      depth--
      breakLine()
    } else if (sign === ':') {
      pieces.push(text.slice(from, i + 1), ' ')
      from = i + 1
    }
  }
  pieces.push(text.slice(from))
  return pieces.join('')
}

/** Where the quote is that ends the string which begins at `at`. */
function endOfString(text: string, at: number): number {
  let end = text.indexOf('"', at + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}
