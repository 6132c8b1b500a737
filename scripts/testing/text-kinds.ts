// Classifies a text by what it is passed to, and by the file that contains it.

import { memberOf, nameOf, type SyntaxNode } from './syntax.ts'

/** In display order. */
export const textKinds = {
  console: 'Console: pages, forms, headings, buttons, hints',
  docs: 'Docs pages',
  audit: 'Labels of the audit log',
  problems: 'Problems: why a request or command failed',
  validation: 'Validation: what is wrong with one value',
  errors: 'Errors for operators and developers',
  openapi: 'OpenAPI: summaries and descriptions',
  settings: 'Settings',
  metrics: 'Metric help',
  logs: 'Log messages',
  commands: 'Commands: help and output',
  pull: 'The client and tributary pull',
  demo: 'Demo programs and samples',
  other: 'Reasons, findings and parts of sentences',
  heads: 'First lines of files',
} as const
export type TextKind = keyof typeof textKinds

/** Files whose texts are all of one kind, wherever they are used. */
const byPath: readonly (readonly [RegExp, TextKind])[] = [
  [/^(scripts\/seed-program\/|src\/domain\/(samples|random)\/)/, 'demo'],
  [/^src\/web\/console\/audit\/audit-(labels|details)/, 'audit'],
  [/metrics\.ts$/, 'metrics'],
  [/^src\/config\//, 'settings'],
  [/^src\/web\/(http|docs)\/.*openapi|^src\/web\/http\/openapi\//, 'openapi'],
]
const inRoom: readonly (readonly [RegExp, TextKind])[] = [
  [/^scripts\//, 'commands'],
  [/^src\/clients\//, 'pull'],
  [/^src\/web\/(console|html)\//, 'console'],
  [/^src\/web\/docs\//, 'docs'],
]

/** Calls by what they create. */
const makesProblem = /^(Problem|notFound|invalidRequest|conflict|refused|usage|UsageError)$/
const makesError = /Error$/
const describes = /^(summary|description|answers|query)$/

export function kindOf(path: string, node: SyntaxNode, above: readonly SyntaxNode[]): TextKind {
  const ofPath = byPath.find(([pattern]) => pattern.test(path))?.[1]
  if (ofPath !== undefined) return ofPath
  if (memberOf(above) === 'description') return 'openapi'
  for (const [n, node] of above.entries()) {
    const callee = node.callee === undefined ? '' : nameOf(node.callee)
    if (node.type === 'CallExpression' && isLog(node)) return 'logs'
    if (makesProblem.test(callee)) return isItem(above.slice(0, n)) ? 'validation' : 'problems'
    if (node.type === 'NewExpression' && makesError.test(callee)) return 'errors'
    if (callee === 'action' && describes.test(memberIn(above.slice(0, n)))) return 'openapi'
    if (/Function/.test(node.type)) break
  }
  return inRoom.find(([pattern]) => pattern.test(path))?.[1] ?? (isItem(above) || isRule(node) ? 'validation' : 'other')
}

/** `log.warn(…)`, `this.log.error(…)`. */
const isLog = ({ callee }: SyntaxNode): boolean =>
  callee?.object !== undefined &&
  /^log$/i.test(nameOf(callee.object)) &&
  /^(debug|info|warn|error|fatal)$/.test(nameOf(callee))

/** Whether a text is the `detail` of an object that also has a `code`. */
const isItem = (above: readonly SyntaxNode[]): boolean =>
  above.some(({ properties = [] }) => properties.some(({ key }) => nameOf(key) === 'code'))

/** The outermost property that contains a text. */
const memberIn = (above: readonly SyntaxNode[]): string =>
  nameOf(above.findLast(({ type }) => type === 'ObjectProperty')?.key)

const isRule = ({ value, quasis }: SyntaxNode): boolean =>
  /^must /i.test(String(value ?? quasis?.[0]?.value.cooked ?? ''))
