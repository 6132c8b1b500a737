// Parses a source file into a syntax tree with Babel's parser.

import { parse } from '@babel/parser'

/** The members we use of a node in Babel's syntax tree; which ones exist depends on `type`. */
export interface SyntaxNode {
  type: string
  loc: { start: { line: number } }
  value?: unknown
  name?: unknown
  operator?: string
  /** Of a regular expression. */
  pattern?: string
  computed?: boolean
  argument?: SyntaxNode | null
  callee?: SyntaxNode
  arguments?: SyntaxNode[]
  object?: SyntaxNode
  property?: SyntaxNode
  key?: SyntaxNode
  elements?: SyntaxNode[]
  properties?: SyntaxNode[]
  quasis?: { value: { cooked: string } }[]
  expressions?: SyntaxNode[]
  expression?: SyntaxNode
  left?: SyntaxNode
  right?: SyntaxNode
  test?: SyntaxNode | null
  consequent?: SyntaxNode
  alternate?: SyntaxNode
  children?: SyntaxNode[]
  openingElement?: SyntaxNode
  id?: SyntaxNode | null
}

/** The statements of a file, and its head comment. */
export function parseFile(path: string, source: string): { program: SyntaxNode; head: string } {
  const plugins = path.endsWith('.ts') ? (['typescript'] as const) : (['typescript', 'jsx'] as const)
  const { program } = parse(source, { sourceType: 'module', plugins: [...plugins] })
  const head = /^(?:#!.*\n)?((?:\/\/.*\n)+)/.exec(source)?.[1] ?? ''
  return { program: program as unknown as SyntaxNode, head: head.replaceAll(/^\/\/ ?/gm, '').trim() }
}

/** Calls `use` for a node and then everything below it, with the nodes above, nearest first. If it returns false, the nodes below are skipped. */
export function visitNodes(
  node: SyntaxNode,
  use: (node: SyntaxNode, above: readonly SyntaxNode[]) => boolean,
  above: readonly SyntaxNode[] = [],
): void {
  if (!use(node, above)) return
  const inside = [node, ...above]
  for (const member of Object.values(node))
    for (const value of Array.isArray(member) ? member : [member]) if (isNode(value)) visitNodes(value, use, inside)
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string' && 'loc' in value

/** The name of a value where it is used: `name` of `key.name`, `names` of `names.join(', ')`, `count` of `counted(count)`. */
export function nameOf(node: SyntaxNode | undefined | null): string {
  switch (node?.type) {
    case 'Identifier':
    case 'JSXIdentifier':
    case 'PrivateName':
      return String(node.name ?? '')
    case 'JSXAttribute':
    case 'JSXNamespacedName':
      return nameOf(node.name as SyntaxNode)
    case 'JSXElement':
      return nameOf(node.openingElement!.name as SyntaxNode)
    case 'StringLiteral':
    case 'NumericLiteral':
      return String(node.value)
    case 'MemberExpression':
    case 'OptionalMemberExpression':
      return node.computed ? nameOf(node.object) : nameOf(node.property)
    case 'CallExpression':
    case 'OptionalCallExpression': {
      const { callee, arguments: given = [] } = node
      if (callee?.object !== undefined && !/^[A-Z]/.test(nameOf(callee.object))) return nameOf(callee.object)
      return nameOf(given.find(node => /Identifier|Member/.test(node.type)) ?? callee)
    }
    case 'AwaitExpression':
    case 'UnaryExpression':
    case 'SpreadElement':
      return nameOf(node.argument)
    case 'TSNonNullExpression':
    case 'TSAsExpression':
    case 'ParenthesizedExpression':
      return nameOf(node.expression)
    case 'BinaryExpression':
      return nameOf(node.left)
    default:
      return '…'
  }
}

/** The attribute or property that has a literal as its value, or as one of its values. */
export function memberOf(above: readonly SyntaxNode[]): string {
  for (const { type, key, ...node } of above) {
    if (type === 'JSXAttribute') return nameOf({ type, ...node })
    if (type === 'ObjectProperty') return nameOf(key)
    if (!['ConditionalExpression', 'LogicalExpression', 'JSXExpressionContainer', 'TSAsExpression'].includes(type))
      return ''
  }
  return ''
}
