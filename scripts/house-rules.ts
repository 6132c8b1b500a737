// The rules of the house that a machine can hold: who may import whom, where SQL may stand, what a file may be called.
// It must not read files; it is handed what they say. The rooms and their reasons are in ARCHITECTURE.md.

import { basename, dirname, extname, join } from 'node:path'
import { type Import, importsOf, type Token, tokensOf } from './read-source.ts'

export interface SourceFile {
  /** From the root of the checkout, with slashes: `src/db/client.ts`. */
  path: string
  text: string
}

export interface Breach {
  path: string
  line: number
  sentence: string
}

interface ReadFile {
  path: string
  room: string
  tokens: readonly Token[]
  imports: readonly (Import & { target: string | undefined })[]
}

const useCases = ['access', 'export', 'programs', 'intake', 'load', 'upkeep', 'derived']
const leaves = ['problem', 'log', 'error-facts', 'redact', 'settled-within']
/** Rooms of src that are one file; all others are folders. */
const files = ['app', 'config', 'failure', ...leaves]
/** For each room, the others it may import. Every room may import itself, except that `main` is imported by nobody. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  main: ['app', 'config', 'failure', 'http', 'workers', ...useCases, 'db', 'queue', 'domain', ...leaves],
  app: ['http', ...useCases, 'db', 'queue', 'domain', ...leaves],
  http: [...useCases, 'db', 'queue', 'domain', ...leaves],
  workers: [...useCases, 'db', 'queue', 'domain', ...leaves],
  ...Object.fromEntries(useCases.map(room => [room, ['db', 'queue', 'domain', ...leaves]])),
  db: ['domain', ...leaves],
  // The relay moves jobs from the outbox, which is a table, into the queue.
  queue: ['db', 'domain', ...leaves],
  domain: [],
  config: ['domain', 'problem'],
  failure: ['problem', 'error-facts', 'redact'],
  problem: [],
  'settled-within': [],
  log: ['error-facts', 'redact'],
  'error-facts': [],
  redact: [],
  scripts: ['app', 'config', 'failure', 'http', 'workers', ...useCases, 'db', 'queue', 'domain', ...leaves],
}
/** Types that may be imported where values may not: `config` hands its values to the doors. */
const mayImportTypes: Readonly<Record<string, readonly string[]>> = {
  app: ['config'],
  http: ['config'],
  workers: ['config'],
}
/** Packages that only some rooms may know. */
const packageRooms: Readonly<Record<string, readonly string[]>> = {
  elysia: ['app', 'http'],
  preact: ['http'],
  postgres: ['db'],
  bullmq: ['queue', 'main'],
  ioredis: ['queue', 'main'],
  pg: ['queue', 'main'],
}
/** Words that stand for the clock, randomness or the machine, which domain must not know. */
const impure = [
  'Date . now',
  'new Date ( )',
  'Temporal . Now',
  'Math . random',
  'performance . now',
  'crypto .',
  'process .',
  'fetch (',
]
const sqlTags = new Set(['sql', 'tx', 'db', 'transaction', 'connection'])
const sqlText =
  /^\s*(select\s[\s\S]*\sfrom\s|insert into\s|update\s+\S+\s+set\s|delete from\s|with\s+\S+\s+as\s|truncate\s|(create|alter|drop)\s+(table|index|view|function|trigger|type|schema|database|role)\s)/i
/** A sentence for people begins with one capital, a statement with none or all. */
const oneCase = /^\s*([a-z]+|[A-Z]+)\s/

/** Every breach in the files of src, workers and scripts, in order of path and line. */
export function breachesOf(sources: readonly SourceFile[]): Breach[] {
  const breaches: Breach[] = []
  const read: ReadFile[] = []
  for (const { path, text } of sources) {
    try {
      const tokens = tokensOf(text)
      const imports = importsOf(tokens).map(found => ({ ...found, target: targetOf(path, found.specifier) }))
      read.push({ path, room: roomOf(path), tokens, imports })
    } catch (error) {
      breaches.push({ path, line: 1, sentence: `cannot be read: ${(error as Error).message}.` })
    }
  }
  breaches.push(...read.flatMap(edgeBreaches), ...read.flatMap(contentBreaches))
  breaches.push(...nameBreaches(sources.map(source => source.path)), ...cycleBreaches(read))
  return breaches.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line))
}

/** `http` for `src/http/admin/shell.ts`, `config` for `src/config.ts`, `main` for both processes, `tests` for what is in none. */
function roomOf(path: string): string {
  if (path === 'src/main.ts' || path === 'workers/main.ts') return 'main'
  const [top, second = ''] = path.split('/')
  if (top !== 'src') return top!
  const name = basename(second, extname(second))
  return files.includes(name) === (name !== second) ? name : path
}

/** The file a relative import means, or undefined for a package. */
function targetOf(path: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? join(dirname(path), specifier) : undefined
}

function edgeBreaches(file: ReadFile): Breach[] {
  const { path, room } = file
  if (mayImport[room] === undefined) {
    return [
      {
        path,
        line: 1,
        sentence: 'is in no room of the house; put it in one, or add its room to scripts/house-rules.ts.',
      },
    ]
  }
  return file.imports.flatMap(({ specifier, line, target, typesOnly, names }) => {
    const breach = (sentence: string): Breach[] => [{ path, line, sentence }]
    if (target === undefined) return packageSentence(room, specifier).flatMap(breach)
    const targetRoom = roomOf(target)
    if (targetRoom === 'main') return breach(`imports ${target}; nobody imports a main.`)
    if (names.includes('loadConfig') && targetRoom === 'config' && room !== 'main' && room !== 'scripts') {
      return breach(
        'imports loadConfig; only the two main.ts and scripts read the environment, all others are given values.',
      )
    }
    if (targetRoom === room || mayImport[room]!.includes(targetRoom)) return []
    if (mayImportTypes[room]?.includes(targetRoom)) {
      return typesOnly ? [] : breach(`imports more than types of ${targetRoom}; ${room} may import only those.`)
    }
    return breach(`imports ${target}; ${room} may import ${listOf(mayImport[room]!)}.`)
  })
}

function packageSentence(room: string, specifier: string): string[] {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  if (room === 'domain' && (name.startsWith('node:') || name === 'bun'))
    return [`imports ${specifier}; domain knows no machine.`]
  const rooms = packageRooms[name.startsWith('preact') ? 'preact' : name]
  return rooms === undefined || rooms.includes(room) || room === 'scripts'
    ? []
    : [`imports ${specifier}, which only ${listOf(rooms)} may know.`]
}

/** The benchmark holds the statements of the programs it is compared with; they are not ours. */
const maySql = (path: string, room: string): boolean => room === 'db' || path.startsWith('scripts/benchmark/')

function contentBreaches({ path, room, tokens }: ReadFile): Breach[] {
  const breaches: Breach[] = []
  tokens.forEach((token, i) => {
    const breach = (sentence: string): number => breaches.push({ path, line: token.line, sentence })
    const before = tokens[i - 1]
    if (!maySql(path, room) && isSql(token, before)) breach('holds SQL; that belongs in src/db.')
    if (
      token.text === 'unsafe' &&
      before?.text === '.' &&
      tokens[i + 1]?.text === '(' &&
      path !== 'src/db/migrate.ts'
    ) {
      breach('runs text as SQL (.unsafe); only src/db/migrate.ts may.')
    }
    if (token.text === 'process' && path.startsWith('src/') && room !== 'main' && follows(tokens, i, 'process . env')) {
      breach('reads the environment; only the two main.ts and scripts may.')
    }
    const found =
      room === 'domain' && token.kind === 'word' && before?.text !== '.'
        ? impure.find(words => follows(tokens, i, words))
        : undefined
    if (found !== undefined)
      breach(`uses ${found.replaceAll(' ', '')}; domain knows no clock, no randomness and no machine.`)
  })
  return breaches
}

function isSql(token: Token, before: Token | undefined): boolean {
  if (token.kind === 'template' && before?.kind === 'word' && sqlTags.has(before.text)) return true
  return (token.kind === 'template' || token.kind === 'string') && sqlText.test(token.text) && oneCase.test(token.text)
}

function follows(tokens: readonly Token[], i: number, words: string): boolean {
  return words.split(' ').every((word, n) => tokens[i + n]?.text === word && tokens[i + n]?.kind !== 'string')
}

function nameBreaches(paths: readonly string[]): Breach[] {
  const firstOf = new Map<string, string>()
  return [...paths].sort().flatMap(path => {
    const name = basename(path, extname(path))
    const breaches: Breach[] = []
    if (path.split('/').some(part => /^utils?([-.]|$)/i.test(part))) {
      breaches.push({
        path,
        line: 1,
        sentence: 'is called util; name it for what it knows, or put it with its only user.',
      })
    }
    const first = firstOf.get(name)
    if (first === undefined) firstOf.set(name, path)
    else if (name !== 'main')
      breaches.push({ path, line: 1, sentence: `has the name of ${first}; no two files share one.` })
    return breaches
  })
}

/** One breach for each import that closes a circle. */
function cycleBreaches(files: readonly ReadFile[]): Breach[] {
  const byPath = new Map(files.map(file => [file.path, file]))
  const finished = new Set<string>()
  const trail: string[] = []
  const breaches: Breach[] = []
  const visit = (file: ReadFile): void => {
    trail.push(file.path)
    for (const { target, line } of file.imports) {
      if (target === undefined) continue
      const at = trail.indexOf(target)
      if (at !== -1) {
        const circle = [...trail.slice(at), target].join(' → ')
        breaches.push({ path: file.path, line, sentence: `closes a circle of imports: ${circle}.` })
      } else if (!finished.has(target) && byPath.has(target)) visit(byPath.get(target)!)
    }
    trail.pop()
    finished.add(file.path)
  }
  for (const file of files) if (!finished.has(file.path)) visit(file)
  return breaches
}

const listOf = (rooms: readonly string[]): string => (rooms.length === 0 ? 'nothing of ours' : rooms.join(', '))
