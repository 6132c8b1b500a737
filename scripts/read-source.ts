// TypeScript as a row of words, strings and marks, with comments gone and lines kept; and the imports among them.
// It must not know which imports are allowed. Bun's own scanner will not do: it drops imports of types.

export interface Token {
  kind: 'word' | 'string' | 'template' | 'mark'
  /** Strings and templates without their quotes; `?` stands for each expression in a template, whose tokens follow. */
  text: string
  line: number
}

export interface Import {
  specifier: string
  line: number
  /** Nothing of it is left at run time. */
  typesOnly: boolean
  /** The values it names; empty for `*`, a default import or none. */
  names: readonly string[]
}

/** After these words a slash begins a regular expression, and a backtick an untagged template. */
const operators = new Set(
  'await case default delete do else export extends from in instanceof new of return throw typeof void yield'.split(
    ' ',
  ),
)

/** Throws with a sentence where a quote, comment or template has no end. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  let line = 1

  const add = (kind: Token['kind'], text: string, onLine = line): number => tokens.push({ kind, text, line: onLine })
  const advanceTo = (end: number): void => {
    for (; at < end; at++) if (source[at] === '\n') line++
  }
  const endOf = (what: string, end: number, from: number): number => {
    if (end === -1) throw new Error(`a ${what} begins on line ${from} and does not end`)
    return end
  }

  function readString(quote: string): void {
    let end = at + 1
    // A line's end ends it too: an apostrophe in the text of JSX is no string.
    while (end < source.length && source[end] !== quote && source[end] !== '\n') end += source[end] === '\\' ? 2 : 1
    add('string', source.slice(at + 1, end))
    advanceTo(Math.min(end + 1, source.length))
  }

  function readTemplate(): void {
    const begun = line
    const token: Token = { kind: 'template', text: '', line }
    tokens.push(token)
    at++
    while (source[at] !== '`') {
      if (at >= source.length) endOf('template', -1, begun)
      if (source.startsWith('${', at)) {
        token.text += '?'
        at += 2
        readUntilBrace()
      } else {
        const length = source[at] === '\\' ? 2 : 1
        token.text += source.slice(at, at + length)
        advanceTo(at + length)
      }
    }
    at++
  }

  /** An expression in a template, up to and with its closing brace. */
  function readUntilBrace(): void {
    for (let depth = 1; depth > 0; ) {
      if (at >= source.length) endOf('template', -1, line)
      if (source[at] === '{') depth++
      if (source[at] === '}') depth--
      if (depth > 0) readOne()
      else at++
    }
  }

  function isRegularExpression(): boolean {
    const before = tokens.at(-1)
    if (before === undefined) return true
    if (before.kind === 'word') return operators.has(before.text)
    return before.kind === 'mark' && ![')', ']', '}', '<'].includes(before.text)
  }

  function readRegularExpression(): boolean {
    const match = /\/(?:[^\\\n[/]|\\.|\[(?:[^\\\n\]]|\\.)*\])+\/[a-z]*/y
    match.lastIndex = at
    const found = match.exec(source)
    if (found === null) return false
    // A value has been read; what follows is as after a closing bracket.
    add('mark', ')')
    at += found[0].length
    return true
  }

  function readOne(): void {
    const character = source[at]!
    if (character === '/' && source[at + 1] === '/') {
      const end = source.indexOf('\n', at)
      advanceTo(end === -1 ? source.length : end)
    } else if (character === '/' && source[at + 1] === '*') {
      advanceTo(endOf('comment', source.indexOf('*/', at + 2), line) + 2)
    } else if (character === '"' || character === "'") {
      readString(character)
    } else if (character === '`') {
      readTemplate()
    } else if (/[\p{ID_Start}$_#@]/u.test(character)) {
      const word = /[\p{ID_Continue}$#@]+/uy
      word.lastIndex = at
      const text = word.exec(source)?.[0] ?? character
      add('word', text)
      at += text.length
    } else if (character === '/' && isRegularExpression() && readRegularExpression()) {
      // Passed over.
    } else {
      if (!/\s/.test(character)) add('mark', character)
      advanceTo(at + 1)
    }
  }

  while (at < source.length) readOne()
  return tokens
}

/** Every `import`, `export … from` and `import()` of a fixed text. */
export function importsOf(tokens: readonly Token[]): Import[] {
  const imports: Import[] = []
  tokens.forEach((token, i) => {
    if (token.kind !== 'word' || (token.text !== 'import' && token.text !== 'export')) return
    const next = tokens[i + 1]
    const { line } = token
    if (token.text === 'import' && next?.kind === 'string') {
      imports.push({ specifier: next.text, line, typesOnly: false, names: [] })
    } else if (token.text === 'import' && next?.text === '(') {
      const argument = tokens[i + 2]
      if (argument?.kind === 'string' || argument?.kind === 'template')
        imports.push({ specifier: argument.text, line, typesOnly: false, names: [] })
    } else {
      const clause = clauseFrom(tokens, i + 1)
      if (clause !== undefined) imports.push({ line, ...clause })
    }
  })
  return imports
}

/** What stands between `import` or `export` and `from`, or undefined if it does not come to that. */
function clauseFrom(tokens: readonly Token[], start: number): Omit<Import, 'line'> | undefined {
  let i = start
  const isWholeTypes = tokens[i]?.text === 'type' && tokens[i + 1]?.text !== 'from' && tokens[i + 1]?.text !== ','
  if (isWholeTypes) i++
  const names: string[] = []
  let otherValues = false
  let types = 0
  for (let inBraces = false; ; i++) {
    const token = tokens[i]
    if (token === undefined || token.kind === 'string' || token.kind === 'template') return undefined
    if (token.text === '{') inBraces = true
    else if (token.text === '}') inBraces = false
    else if (token.text === 'from' && !inBraces && i > start) break
    else if (token.text === 'as') i++
    else if (token.text === 'type' && inBraces && tokens[i + 1]?.kind === 'word') {
      types++
      i++
    } else if (token.kind === 'word' && inBraces) names.push(token.text)
    else if (token.kind === 'word' || token.text === '*') otherValues = true
    else if (token.text !== ',') return undefined
  }
  const specifier = tokens[i + 1]
  if (specifier?.kind !== 'string') return undefined
  const typesOnly = isWholeTypes || (!otherValues && names.length === 0 && types > 0)
  return { specifier: specifier.text, typesOnly, names: typesOnly ? [] : names }
}
