// Finds tests that assert sentences, because improving a text should not require changing a test.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { snapshotPath } from './checkout-texts.ts'
import { nameOf, parseFile, type SyntaxNode, visitNodes } from './syntax.ts'
import { textKinds } from './text-kinds.ts'

interface AssertedText {
  file: string
  line: number
  text: string
}

/** Words in a row that a test may share with one of our texts: a name, a figure and its unit. */
const wordsMax = 2

/** Every literal in an assertion that shares more words in a row with a text that people read; by path, then line. */
async function findAssertedTexts(root: string): Promise<AssertedText[]> {
  const snapshot = await Bun.file(join(root, snapshotPath)).text()
  const ofDemo = `# ${textKinds.demo}\n`
  const texts = snapshot.split(/^(?=# )/m).filter(section => !section.startsWith(ofDemo))
  const known = new Set(texts.flatMap(section => section.split('\n').filter(isProse).flatMap(runsOf)))
  const paths = await Array.fromAsync(new Bun.Glob('tests/**/*.{ts,tsx}').scan({ cwd: root }))
  const found = paths
    .filter(path => path !== 'tests/texts.test.ts')
    .sort()
    .map(async path => assertedIn(path, await Bun.file(join(root, path)).text(), known))
  return (await Promise.all(found)).flat()
}

function assertedIn(file: string, source: string, known: ReadonlySet<string>): AssertedText[] {
  // Parsing takes longest, and most files have no such words in any literal.
  const literals = source.match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`|\/[^/\n]+\//g) ?? []
  if (!literals.some(literal => runsOf(literal.slice(1, -1).replaceAll('\\', '')).some(run => known.has(run))))
    return []
  const found: AssertedText[] = []
  visitNodes(parseFile(file, source).program, (node, above) => {
    const text = textOf(node)
    if (text === undefined || !isProse(text) || !above.some(isAssertion) || isRowTitle(node, above)) return true
    if (runsOf(text).some(run => known.has(run))) found.push({ file, line: node.loc.start.line, text })
    return true
  })
  return found
}

function textOf({ type, value, pattern }: SyntaxNode): string | undefined {
  if (type === 'StringLiteral') return String(value)
  if (type === 'TemplateElement') return (value as { cooked: string }).cooked
  return type === 'RegExpLiteral' ? pattern!.replaceAll('\\', '') : undefined
}

/** `expect(…)`, a matcher called on it, or the rows of `test.each(…)`, which end in one. */
function isAssertion({ type, callee }: SyntaxNode): boolean {
  if (type !== 'CallExpression' || callee === undefined) return false
  if (nameOf(callee) === 'each') return true
  return nameOf(callee) === 'expect' || (callee.object !== undefined && /^to[A-Z]/.test(nameOf(callee)))
}

/** What names a row of `test.each`: its first value, or the row itself. */
function isRowTitle(node: SyntaxNode, above: readonly SyntaxNode[]): boolean {
  const [row, rows] = above
  return (
    row?.type === 'ArrayExpression' && (row.elements?.[0] === node || /^(Call|TSAs)Expression$/.test(rows?.type ?? ''))
  )
}

/** Every three words in a row, with at most one punctuation mark between them. */
function runsOf(text: string): string[] {
  const words = text.replaceAll('\\n', ' ').split(/\s+/).map(wordOf)
  return words
    .map((_, n) => words.slice(n, n + wordsMax + 1))
    .filter(run => run.length > wordsMax && run.every(word => word !== ''))
    .map(run => run.join(' '))
}

const wordOf = (text: string): string =>
  /^[“"‘(]*(\p{L}[\p{L}’'-]*)[”"’).,:;?!]*$/u.exec(text)?.[1]?.toLowerCase() ?? ''

const isProse = (text: string): boolean => !isSql.test(text)
const isSql =
  /^\s*(select|insert|update|delete|create|drop|alter|with|revoke|grant|where|and) [^.]*$|\b(select|from|where|and) \w+( is not null|_id| = )/

/** Each assertion on a sentence, as a violation. */
export async function assertedTextErrors(root: string): Promise<string[]> {
  if (!existsSync(join(root, snapshotPath))) return []
  return (await findAssertedTexts(root)).map(
    ({ file, line, text }) =>
      `${file}:${line}: asserts a sentence; assert a code, an ID, a role or a value: ${JSON.stringify(text.slice(0, 80))}`,
  )
}
