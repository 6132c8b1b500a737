// Finds the texts that people read in one source file: by their place in the code, not by a list of exceptions.

import { memberOf, nameOf, parseFile, type SyntaxNode, visitNodes } from './syntax.ts'
import { kindOf, type TextKind } from './text-kinds.ts'

export interface FoundText {
  kind: TextKind
  /** On one line; a hole of a template is `{name}`, a choice `{one|other}`, a line break `\n`. */
  text: string
  file: string
  line: number
}

/** Every text of a file, in its order. */
export function textsOf(path: string, source: string): FoundText[] {
  const { program, head } = parseFile(path, source)
  const found: FoundText[] = []
  const add = (kind: TextKind, text: string, { loc }: Pick<SyntaxNode, 'loc'>): void => {
    found.push({ kind, text: text.trim().replaceAll('\n', '\\n'), file: path, line: loc.start.line })
  }
  if (head !== '') add('heads', head.replaceAll('\n', ' '), { loc: { start: { line: 1 } } })
  visitNodes(program, (node, above) => {
    if (neverText.has(node.type)) return false
    if (node.type === 'JSXAttribute' && codeAttributes.test(nameOf(node))) return false
    const isWhole = node.type === 'JSXElement' || node.type === 'JSXFragment'
    if (isWhole ? !hasText(node) : !isLiteral(node)) return true
    if (taken.has(node)) return true
    const text = isWhole ? inlineText(node.children!) : literalText(node)
    taken.add(node)
    if (isWhole ? /\p{L}/u.test(text) : isText(text, node, above)) add(kindOf(path, node, above), text, node)
    // A hole can contain further texts.
    return true
  })
  return found
}

/** Nodes whose text has been found, on its own or as part of another. */
const taken = new WeakSet<SyntaxNode>()

const neverText = new Set([
  'ImportDeclaration',
  'TSLiteralType',
  'TSTypeAliasDeclaration',
  'TSInterfaceDeclaration',
  'Directive',
  'RegExpLiteral',
])
/** Attributes with code or numbers; all others may contain a text. */
const codeAttributes = /^(class|style|d|viewBox|points|rel|sizes|media|autocomplete|allow|sandbox|pattern|content)$/
/** Where a single word is a text, too. */
const textMembers =
  /^(label|legend|hint|title|text|heading|placeholder|alt|aria-label|caption|summary|description|detail|lead|submit|button|answers)$/

const isLiteral = ({ type, operator }: SyntaxNode): boolean =>
  type === 'StringLiteral' || type === 'TemplateLiteral' || (type === 'BinaryExpression' && operator === '+')

const hasText = ({ children = [] }: SyntaxNode): boolean =>
  children.some(({ type, value }) => type === 'JSXText' && /\p{L}/u.test(String(value)))

function inlineText(children: readonly SyntaxNode[]): string {
  return children
    .map(child => {
      if (child.type === 'JSXText') return lineOf(String(child.value))
      if (child.type === 'JSXExpressionContainer') return partText(child.expression!)
      if (child.type !== 'JSXElement' && child.type !== 'JSXFragment') return ''
      const text = inlineText(child.children!)
      taken.add(child)
      return text === '' ? `{${nameOf(child)}}` : text
    })
    .join('')
    .replaceAll(/ +/g, ' ')
}

/** White space as JSX treats it. */
const lineOf = (text: string): string =>
  text
    .split('\n')
    .map((line, n, lines) => {
      const start = n === 0 ? line : line.trimStart()
      return n === lines.length - 1 ? start : start.trimEnd()
    })
    .filter(line => line !== '')
    .join(' ')

function literalText(node: SyntaxNode): string {
  if (node.type === 'StringLiteral') return String(node.value)
  if (node.type === 'BinaryExpression') return partText(node.left!) + partText(node.right!)
  return node
    .quasis!.map(({ value }, n) => value.cooked + (n < node.expressions!.length ? partText(node.expressions![n]!) : ''))
    .join('')
}

/** A part of a text: its own words, the words it chooses from, or its name in braces. */
function partText(node: SyntaxNode): string {
  if (isLiteral(node)) {
    taken.add(node)
    return literalText(node)
  }
  if (node.type === 'JSXEmptyExpression') return ''
  if (node.type === 'ConditionalExpression') return `{${wordsOf(node.consequent!)}|${wordsOf(node.alternate!)}}`
  if (node.type === 'LogicalExpression')
    return node.operator === '&&' ? `{${wordsOf(node.right!)}|}` : partText(node.left!)
  return `{${wordsOf(node)}}`
}

function wordsOf(node: SyntaxNode): string {
  if (isLiteral(node) || node.type === 'ConditionalExpression') return partText(node).replace(/^\{(.*)\}$/, '$1')
  if (node.type === 'JSXElement' || node.type === 'JSXFragment') return inlineText(node.children!) || nameOf(node)
  return nameOf(node)
}

/** Calls whose arguments are looked up, compared or split, and never shown. */
const takesCode =
  /^(includes|startsWith|endsWith|split|indexOf|lastIndexOf|match|test|has|get|getAll|set|append|RegExp|query|querySelector|querySelectorAll|unsafe|begin|join|padEnd|padStart)$/

function isText(text: string, node: SyntaxNode, above: readonly SyntaxNode[]): boolean {
  if (!/\p{L}/u.test(text)) return false
  const [parent] = above
  if (parent?.type === 'TaggedTemplateExpression' || parent?.type === 'SwitchCase') return false
  if (parent?.type === 'BinaryExpression' && parent.operator !== '+') return false
  if (/^Export\w*Declaration$|^TS|^ImportExpression$/.test(parent?.type ?? '') && parent?.type !== 'TSAsExpression')
    return false
  if (parent?.arguments?.includes(node) && takesCode.test(nameOf(parent.callee))) return false
  if (parent?.arguments?.[0] === node && /^replace(All)?$/.test(nameOf(parent.callee))) return false
  const isKey = parent?.key === node
  if (!isKey && textMembers.test(memberOf(above))) return true
  if (isSql.test(text) || isList.test(text)) return false
  return isKey ? /^[A-Z].* /.test(text) : isProse.test(text)
}

/** Two words in a row, one of them in lower case. */
const isProse = /(?<![\w{.<$/=-])(?:[a-z’']{2,}[,;:]? [“‘(]?[\p{L}\d{]|\p{L}[\p{L}’'-]*[,;:]? [a-z]{2,}(?![\w=(/]))/u
/** Words separated by commas, or a value with parameters, as in headers. */
const isList = /^[\w*/=;-]+(,\s?[\w*/=;-]+)*$|^[\w/-]+; \w+=/
const isSql =
  /^\s*(select|insert into|update|delete from|create|alter|drop|with \w+ as|begin|set|grant|revoke|copy|declare|fetch|lock|truncate|analyze|listen|notify|show|vacuum|order by|where|and|comment on|pragma) [^.]*$(?<!\.)/s
