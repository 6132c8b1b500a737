// JSON text with line breaks and spaces between its parts, and not a sign of it changed.

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|\{\}|\[\]|[{}[\],:]/gs

/** Each member and item on a line of its own; taking out what stands between tokens gives the text back. For text without spaces. */
export function indentedJson(text: string): string {
  let depth = 0
  const breakLine = (): string => `\n${'  '.repeat(depth)}`
  return text.replace(tokens, token => {
    if (token === '{' || token === '[') depth++
    if (token === '}' || token === ']') {
      depth--
      return breakLine() + token
    }
    if (token === '{' || token === '[' || token === ',') return token + breakLine()
    return token === ':' ? ': ' : token
  })
}
