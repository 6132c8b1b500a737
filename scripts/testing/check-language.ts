// `bun scripts/testing/check-language.ts`: checks spelling and grammar of every text that `scripts/texts` lists and of the documents, with
// Harper. It runs offline: the package contains its WebAssembly. Terms of this project are in dictionary.txt.

import { join } from 'node:path'
import { Dialect, LocalLinter } from 'harper.js'
import { slimBinary } from 'harper.js/slimBinary'
import { checkout, readTexts } from './checkout-texts.ts'
import { rulesOn } from './language-rules.ts'

/** A text, or a paragraph of a document, as Markdown in which everything but prose is code. */
interface Passage {
  file: string
  line: number
  prose: string
}

/** Long enough to save calls, short enough to keep each call fast, because its time grows faster than its text. */
const chunkLength = 1000

/** Holes of templates, options, paths and addresses, names in code, and JSON, which no dictionary can contain. */
const code =
  /\{[^{}]*\}|#[\da-f]{6}\b|\b[A-Z][a-z]+(?:-[A-Z][a-z]+)+\b|<[^<>]*>|“[^”]*”|https?:\S+|\/\*\* .*? \*\/|(?<![\w-])--?[a-z][\w-]*|[\w@…*.-]*(?:[/:=@_]\w|::)[\w@…*.,/:=%&?-]*|\b[a-z\d]+[A-Z]\w*|\b\w+\.[a-z]{2,}\b|\b[\w.]+\(\)|\b\d+(?:ms|s|m|h|d|KB|MB|GB|TB)\b|\b(?:[A-Z][a-z\d]+){2,}\b|\b[A-Z]+\d*s?\b(?<!\b[AI])|\b[a-z]+\d+\w*\b|(?<!['’])\b[a-z]{1,2}\b(?<!\b(?:a|[abdghimnostuw][a-z]))/g

const asProse = (text: string): string =>
  text
    .replaceAll('\\n', '\n')
    .replaceAll(/(?<=\b[A-Z]\w+)['’]s\b/g, '')
    .split('`')
    .map((part, n) =>
      n % 2 === 1 ? '`code`' : part.replaceAll(code, '`code`').replaceAll(/(?:`code`[\s,|…]*)+`code`/g, '`code`'),
    )
    .join('')
    .split('\n')
    .map(line =>
      line
        .trim()
        .replaceAll(/ {2,}/g, '. ')
        .replaceAll(/^(?=[#>*+\d-])/g, '\\'),
    )
    .join('\n')

/** Names and sentences in many languages, code samples, and rules that use words as examples. */
const isCode =
  /^src\/domain\/(random|samples)\/|languages\/(?!en\.)|code-samples|-samples?\.tsx$|similar-texts|translations|language-rules/

async function textPassages(): Promise<Passage[]> {
  const known = new Set<string>()
  return (await readTexts()).flatMap(({ file, line, text }) => {
    if (known.has(text) || isCode.test(file) || text.split(' ').length < 3) return []
    known.add(text)
    return [{ file, line, prose: asProse(text) }]
  })
}

/** Prose and tables of a document, without code blocks, table headings and link targets. */
async function documentPassages(file: string): Promise<Passage[]> {
  let isBlock = false
  const text = (await Bun.file(join(checkout, file)).text())
    .split('\n')
    .map(line => {
      if (/^\s*```/.test(line)) isBlock = !isBlock
      else if (!isBlock && !line.startsWith('|--'))
        return line.replaceAll(/\]\([^)]*\)/g, ']').replaceAll(/[![\]*]/g, '')
      return ''
    })
    .join('\n')
  let line = 1
  return text.split(/(?=\n\n)/).map(paragraph => {
    const start = line + (paragraph.length - paragraph.trimStart().length)
    line += paragraph.split('\n').length - 1
    return {
      file,
      line: start,
      prose: asProse(
        paragraph
          .trim()
          .replaceAll(/^ *(?:[-*]|\d+\.) /gm, '\n')
          .replaceAll(/ ?\| ?/g, '\n\n'),
      ),
    }
  })
}

/** Passages that haven't passed before under the same rules and words; `keep` records that all of them passed. */
async function unknownOf(all: readonly Passage[]): Promise<{ fresh: Passage[]; keep: () => Promise<number> }> {
  const rules = ['check-language.ts', 'language-rules.ts', 'dictionary.txt'].map(name =>
    Bun.file(join(import.meta.dir, name)),
  )
  const packages = Bun.file(join(checkout, 'bun.lock'))
  const version = String(Bun.hash((await Promise.all([...rules, packages].map(file => file.text()))).join('\n')))
  const kept = Bun.file(join(checkout, '.data/right-passages.json'))
  const [known, ...right] = (await kept.exists()) ? ((await kept.json()) as string[]) : []
  const isRight = new Set(known === version ? right : [])
  const hashOf = ({ prose }: Passage): string => String(Bun.hash(prose))
  return {
    fresh: all.filter(passage => !isRight.has(hashOf(passage))),
    keep: () => Bun.write(kept, JSON.stringify([version, ...new Set(all.map(hashOf))])),
  }
}

async function openLinter(): Promise<LocalLinter> {
  const linter = new LocalLinter({ binary: slimBinary, dialect: Dialect.American })
  const rules = Object.keys(await linter.getDefaultLintConfig())
  await linter.setLintConfig(Object.fromEntries(rules.map(rule => [rule, rulesOn.has(rule)])))
  const words = await Bun.file(join(import.meta.dir, 'dictionary.txt')).text()
  await linter.importWords(words.split('\n').filter(word => word !== '' && !word.startsWith('#')))
  return linter
}

async function findingsIn(linter: LocalLinter, passages: readonly Passage[]): Promise<string[]> {
  const starts: number[] = []
  let text = ''
  for (const { prose } of passages) {
    starts.push(text.length)
    text += `${prose}\n\n`
  }
  const found: string[] = []
  for (const lint of await linter.lint(text, { language: 'markdown' })) {
    const { start, end } = lint.span()
    const { file, line } = passages[starts.findLastIndex(at => at <= start)]!
    const around = text.slice(Math.max(0, start - 30), end + 30).replaceAll('\n', ' ')
    found.push(`${file}:${line}: “${lint.get_problem_text()}” in “${around}”. ${lint.message()}`)
  }
  return found
}

const documents = await Array.fromAsync(new Bun.Glob('**/*.md').scan({ cwd: checkout }))
const passages = [
  ...(await textPassages()),
  ...(
    await Promise.all(
      documents
        .filter(path => !/node_modules|CHANGELOG/.test(path))
        .sort()
        .map(documentPassages),
    )
  ).flat(),
]
const { fresh, keep } = await unknownOf(passages)
const linter = await openLinter()
const found: string[] = []
let chunk: Passage[] = []
for (const [n, passage] of fresh.entries()) {
  chunk.push(passage)
  if (chunk.reduce((sum, { prose }) => sum + prose.length, 0) < chunkLength && n < fresh.length - 1) continue
  found.push(...(await findingsIn(linter, chunk)))
  chunk = []
}
for (const finding of found) console.log(finding)
if (found.length === 0) await keep()
process.exit(found.length === 0 ? 0 : 1)
