// `bun scripts/check.ts [folder]`: checks the rules of this repository that Biome doesn't know, and prints each violation as `file:line:
// sentence`. It reads source as text in Biome's format; ARCHITECTURE.md has the reasons.

import { basename, dirname, extname, join } from 'node:path'
import { assertedTextErrors } from './testing/asserted-texts.ts'

/** Below every use case. */
const below = ['db', 'domain', 'base']
/** What pages and routes are built from. They receive settings as values, so they may only import the types of `config`. */
const underPages = ['core', ...below, 'type config']
const useCases = [
  'export',
  'keys',
  'people',
  'audit',
  'programs',
  'intake',
  'apply',
  'load',
  'applications',
  'derived',
  'webhooks',
]
const composed = ['app', 'config', 'workers', 'core', ...below]
/** For each room, the rooms (`core` means all within it) or files it may import; `type config` means its types only. Nothing imports a main. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  main: ['service', ...composed],
  scripts: composed,
  // The commands for following a CiviForm.
  following: ['scripts', ...composed],
  // The binary's own file starts what its arguments name.
  program: ['main', 'scripts', 'following', 'base'],
  service: composed,
  app: underPages,
  workers: underPages,
  web: ['web', ...underPages],
  // Pages for people: their common parts, the generated docs, the console. The docs know who is signed in to the console.
  'web/html': ['web/http', 'core/people', 'domain', 'base', 'type config'],
  // Neither needs the other.
  'web/apply': ['web/http', 'web/html', 'web/questions', ...underPages],
  // The program editor runs in browsers.
  'web/editor': ['web/questions', 'domain'],
  'web/docs': ['web/http', 'web/html', 'web/console', ...underPages],
  'web/console': ['web/http', 'web/html', 'web/questions', ...underPages],
  // A program's questions as form fields: pure, for applicants' pages and the console.
  'web/questions': ['core/intake', 'domain', 'type base'],
  'web/http': underPages,
  ...Object.fromEntries(useCases.map(room => [`core/${room}`, ['core/queue', ...below]])),
  // Their actions are audited in the same transaction.
  'core/keys': ['core/audit', 'core/queue', ...below],
  'core/people': ['core/keys', 'core/audit', 'core/queue', ...below],
  'core/files': below,
  // A client of intake. Its sessions are built from the same parts as the console's.
  'core/apply': ['core/intake', 'core/keys', 'core/people', 'core/audit', ...below],
  'core/export': ['core/audit', 'core/queue', ...below],
  'core/webhooks': ['core/audit', 'core/queue', ...below],
  'core/metrics': below,
  // The relay moves jobs from the outbox, which is a table, into the queue.
  'core/queue': below,
  civiform: ['core/audit', 'core/metrics', 'core/queue', ...below],
  // What clients run. They only know the service from its documents, like any other client.
  'clients/pull': ['src/base/csv-text.ts', 'base/tables'],
  'clients/client': [],
  config: ['domain', 'base'],
  db: ['domain', 'base'],
  domain: [],
  base: ['package.json'],
  // Tables of applications, which the console and `pull` write alike.
  'base/tables': ['src/base/csv-text.ts'],
}
/** Our packages: a folder with an interface, the `exports` of its package.json, and no other way in. */
const workspaces: Readonly<Record<string, string>> = {
  '@tributary/web': 'src/web',
  '@tributary/civiform': 'src/civiform',
  '@tributary/client': 'src/clients/client',
  '@tributary/cli': 'src/clients/pull',
}
/** Packages that only some rooms may import; scripts may import any. */
const packageRooms: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^elysia(\/|$)/, ['web', 'web/http', 'web/html', 'web/docs', 'web/console', 'web/apply']],
  [/^preact/, ['web/html', 'web/questions', 'web/docs', 'web/console', 'web/apply', 'web/editor']],
  [/^postgres$/, ['db', 'clients/pull']],
  [/^yazl$/, ['base/tables']],
  [/^prom-client$/, ['core/metrics', 'web/http', 'workers', 'civiform']],
  [/^(bullmq|ioredis|pg)$/, ['core/queue', 'main']],
  [/^@tributary\/web\/scripts$/, ['scripts']],
  [/^@tributary\/web/, ['app', 'service', 'main']],
  [/^@tributary\/civiform/, ['service', 'main', 'following']],
  [/^@tributary\/client/, ['clients/pull']],
  [/^@tributary\/cli/, ['scripts']],
]
const imports = /^(import|export)( type)?\b([^'"`;()]*?\bfrom )?\s*'([^']+)'|\bimport\('([^']+)'\)/gm
const importsOf = (code: string): { index: number; type: string; specifier: string }[] =>
  [...code.matchAll(imports)].map(({ index, 2: type = '', 4: from, 5: dynamic }) => ({
    index,
    type,
    specifier: (from ?? dynamic)!,
  }))
/** These files name forbidden text. */
const own = ['scripts/check.ts', 'tests/scripts/check.test.ts']
const speaksHttp = /^(web|clients\/client)\b/
/** Text that files must not contain, with the files where it is allowed and the reason. */
const contents: readonly (readonly [pattern: RegExp, allowed: (path: string, room: string) => boolean, why: string])[] =
  [
    [
      /\b(sql|tx|db|transaction|connection)(<[^`;]*?>)?`|['"`]\s*(?:(?:select\s[^'"`]*\sfrom|insert into|delete from|update \w+\s+set|truncate|(?:create|alter|drop) (?:table|index|view|function|trigger|type|schema|database|role))\s|with \w+ as \()/g,
      // The benchmark has the statements of the programs it is compared with, and a soak reads what no program of ours does. The databases that
      // `pull` keeps, or fills for others, aren't ours either.
      (path, room) =>
        ['db', 'clients/pull'].includes(room) ||
        path.startsWith('src/civiform/db/') ||
        path.startsWith('scripts/benchmark/') ||
        path === 'scripts/soaking/installation/soak-statements.ts',
      'contains SQL, which belongs in src/db.',
    ],
    [
      /\.unsafe\(/g,
      path => ['src/db/migrate.ts', 'src/db/distribution.ts'].includes(path),
      'runs text as SQL; only src/db/migrate.ts and src/db/distribution.ts may.',
    ],
    [
      /\bprocess\.env\b|\bloadConfig\(/g,
      (path, room) => path.startsWith('scripts/') || room === 'config' || room === 'main',
      'reads the environment; only the main.ts files and scripts may.',
    ],
    [
      /\b(Date\.now|new Date\(\)|Temporal\.Now|Math\.random|performance\.now|crypto\.|process\.|fetch\(|from 'node:|from 'bun')/g,
      (_, room) => room !== 'domain',
      'domain must not use a clock, randomness or I/O.',
    ],
    [
      /\bstatus(Code)?( ===?| !==?| [<>]=?|:|\() ?[1-5]\d\d\b/g,
      (path, room) => !path.startsWith('src/') || speaksHttp.test(room) || path === 'src/core/webhooks/post-message.ts',
      'contains a status code; only src/web and src/clients/client may.',
    ],
    [
      /['"](Retry-After|Allow|Accept|WWW-Authenticate|RateLimit(-Policy)?|Cache-Control|Content-Type|Vary)['"]/g,
      (path, room) => !path.startsWith('src/') || speaksHttp.test(room),
      'names an HTTP header; only src/web and src/clients/client may.',
    ],
    [/\bBun\.|'bun(:\w+)?'/g, (_, room) => !room.startsWith('clients/'), 'needs Bun, but clients also run on Node.js.'],
    [
      /civiform/gi,
      (path, room) =>
        ['civiform', 'following', 'config', 'main', 'service', 'program'].includes(room) ||
        path.startsWith('scripts/releasing/') ||
        path === 'src/web/console/audit/audit-labels.ts' ||
        /(^|\/)imports?\b/.test(path) ||
        path === 'scripts/operator/program.ts' ||
        own.includes(path),
      'mentions CiviForm; only src/civiform, its commands, imports, config, mains and audit labels may. Use the origin (src/db/origin.ts) elsewhere.',
    ],
  ]

/** Functions in a file, from first to last line: Biome puts both at the margin. */
const functions = /^(?:export )?(?:async )?function (\w+)[\s\S]*?^}$/gm
const functionLinesMax = 60

/** Every violation in these files of src, workers and scripts, by path from the root of the checkout. */
export function breachesOf(files: ReadonlyMap<string, string>): string[] {
  const types = new Map<string, string>()
  return [...files].sort().flatMap(([path, text]) => {
    const room = roomOf(path)
    // Removes comments and keeps everything else in its position.
    const code = text.replace(/^\s*(\/\/|\/?\*).*$|(?<=[\s,;])\/\/ .*$/gm, gone => gone.replaceAll(/./g, ' '))
    const at = (index = 0, sentence = '') => `${path}:${code.slice(0, index).split('\n').length}: ${sentence}`
    const breaches = nameErrors(path, [...files.keys()]).map(sentence => at(0, sentence))
    // Bun reads tsconfig.json in the folder where a process was started, which need not be the checkout.
    if (path.endsWith('.tsx') && !text.includes('\n/** @jsxImportSource preact */\n'))
      breaches.push(
        at(0, 'lacks /** @jsxImportSource preact */, so it fails in a process started from another folder.'),
      )
    // Biome doesn't count lines within elements.
    for (const { 0: found, 1: name, index } of path.endsWith('.tsx') ? text.matchAll(functions) : []) {
      const lines = found.split('\n').length
      if (lines > functionLinesMax)
        breaches.push(at(index, `${name} has ${lines} lines; a function can have at most ${functionLinesMax}.`))
    }
    for (const [name, index] of exportedTypes(path, code)) {
      const other = types.get(name)
      if (other !== undefined) breaches.push(at(index, `exports the type ${name}, as does ${other}; rename one.`))
      else types.set(name, path)
    }
    if (mayImport[room] === undefined) return [...breaches, at(0, 'belongs to no module; see scripts/check.ts.')]
    for (const { index, type, specifier } of importsOf(code))
      breaches.push(...importErrors(path, room, type, specifier).map(sentence => at(index, sentence)))
    for (const [pattern, allowed, why] of contents)
      if (!allowed(path, room)) breaches.push(...[...code.matchAll(pattern)].map(found => at(found.index, why)))
    return breaches
  })
}

/** Names and locations of the types that a file exports. The published client is used by others only, and uses the names of the API documents. */
const exportedTypes = (path: string, code: string): [name: string, index: number][] =>
  path.startsWith('src/clients/client/')
    ? []
    : [...code.matchAll(/^export (?:abstract )?(?:interface|type|class|enum) (\w+)/gm)].map(({ 1: name, index }) => [
        name!,
        index,
      ])

/** `web/docs` for `src/web/docs/viewer.ts`, `web` for `src/web/routes.ts`, `main` for the processes, the path for files in no folder. */
function roomOf(path: string): string {
  if (['src/main.ts', 'workers/main.ts', 'workers/follow-civiform.ts'].includes(path)) return 'main'
  if (path === 'scripts/tributary.ts') return 'program'
  if (/^scripts\/operator\/civiform[-.]/.test(path)) return 'following'
  const [top = '', ...rest] = path.split('/')
  if (top !== 'src') return mayImport[top] === undefined ? path : top
  const [first = '', second = ''] = rest
  const rooms = rest.length > 2 ? [`${first}/${second}`, first] : [basename(first, extname(first))]
  return rooms.find(room => mayImport[room] !== undefined) ?? path
}

/** The folder of our package that a file belongs to, if any. */
const workspaceOf = (path: string): string | undefined =>
  Object.values(workspaces).find(folder => path.startsWith(`${folder}/`))

function importErrors(path: string, room: string, type: string, specifier: string): string[] {
  if (!specifier.startsWith('.')) {
    const rooms = packageRooms.find(([name]) => name.test(specifier))?.[1]
    const anywhere = ['scripts', 'following'].includes(room) && !specifier.startsWith('@tributary/')
    return rooms?.includes(room) || rooms === undefined || anywhere
      ? []
      : [`imports ${specifier}, which is for ${rooms.join(' and ')}.`]
  }
  const target = join(dirname(path), specifier)
  const entered = workspaceOf(target)
  if (entered !== undefined && entered !== workspaceOf(path))
    return [`imports ${target} by its path; use the package of ${entered}.`]
  const other = roomOf(target)
  const may = mayImport[room]!
  const mayName = (name: string): boolean => may.some(value => value === name || name.startsWith(`${value}/`))
  if (
    (other !== 'main' || room === 'program') &&
    (other === room || may.includes(target) || mayName(other) || mayName(`${type.trim()} ${other}`))
  )
    return []
  return [`imports ${target}; ${room} may import ${may.join(', ') || 'none of our modules'}.`]
}

/** A folder with more files has two subjects. */
const folderFilesMax = 16

/** Folders that are too large, or import each other, directly or through others. A file directly in `src` or `scripts` counts as a folder. */
export function folderBreaches(files: ReadonlyMap<string, string>): string[] {
  const folderOf = (path: string): string => (['src', 'scripts'].includes(dirname(path)) ? path : dirname(path))
  const counts = new Map<string, number>()
  const imported = new Map<string, Map<string, string>>()
  for (const [path, text] of files) {
    const here = folderOf(path)
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    for (const { specifier } of importsOf(text)) {
      const there = folderOf(join(dirname(path), specifier))
      if (specifier.startsWith('.') && there !== here)
        imported.set(here, (imported.get(here) ?? new Map<string, string>()).set(there, path))
    }
  }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(imported.get(from)?.keys() ?? [])].some(
      next => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
    )
  return [
    ...[...counts]
      .filter(([, count]) => count > folderFilesMax)
      .map(([folder, count]) => `${folder}: has ${count} files; a folder can have at most ${folderFilesMax}.`),
    ...[...imported].flatMap(([here, others]) =>
      [...others]
        .filter(([there]) => reaches(there, here))
        .map(([there, path]) => `${path}:1: imports ${there}, which imports ${here}, directly or indirectly.`),
    ),
  ]
}

function nameErrors(path: string, all: readonly string[]): string[] {
  const nameOf = (value: string): string => basename(value, extname(value))
  const first = all.filter(other => nameOf(other) === nameOf(path)).sort()[0]
  return [
    ...(first === path || nameOf(path) === 'main' ? [] : [`has the same name as ${first}; rename one.`]),
    ...(/(^|\/)utils?([-./]|$)/i.test(path) ? ['is called util; name it after what it does.'] : []),
  ]
}

/** Files that explain, display and alert on the metrics that processes report. */
const watching = ['deploy/OPERATIONS.md', 'deploy/grafana/tributary.json', 'deploy/prometheus/alerts.yaml'] as const

/** Metrics without an explanation or panel, unknown metrics, and alerts without a heading, in these files. */
export function watchingErrors(files: ReadonlyMap<string, string>): string[] {
  const [operations, dashboard, alerts] = watching.map(path => files.get(path) ?? '')
  const section = (title: string): string =>
    operations!.split(/^## /m).find(part => part.startsWith(`${title}\n`)) ?? ''
  const all = (text: string, pattern: RegExp): string[] => [
    ...new Set([...text.matchAll(pattern)].map(([, item]) => item!)),
  ]
  const code = [...files].filter(([path]) => /metrics.*\.ts$/.test(path)).map(([, text]) => text)
  const helps = new Map(
    [...code.join('\n').matchAll(/'(tributary_\w+)',(?:\s+(?:help: )?'([^']+)'|$)/gm)].map(([, name, help]) => [
      name!,
      help,
    ]),
  )
  const reported = [...helps.keys()]
  const metricsIn = (text: string): string[] =>
    all(text, /\b(tributary_\w+?)(?:_bucket|(?<=_seconds)_(?:count|sum))?\b/g)
  const [shown, named] = [metricsIn(dashboard!), metricsIn(alerts!)]
  const listed = all(section('Metrics'), /^\| `(tributary_\w+)` \|/gm)
  const explained = reported.filter(name => section('Metrics').includes(`\n| \`${name}\` | ${helps.get(name)} |\n`))
  const alertNames = all(alerts!, /- alert: (\w+)/g)
  const headings = all(section('Alerts'), /^### (\w+)\n\n\*[^*]+\*\s[\s\S]{40}/gm)
  const lacking = (wanted: readonly string[], there: readonly string[], why: string): string[] =>
    wanted.filter(value => !there.includes(value)).map(value => `${value} ${why}`)
  return [
    ...lacking(reported, explained, 'is reported, but OPERATIONS.md does not list its help.'),
    ...lacking(reported, shown, 'is reported, but not on the dashboard.'),
    ...lacking([...listed, ...shown, ...named], reported, 'is mentioned, but no process reports it.'),
    ...lacking(alertNames, headings, 'is an alert, but OPERATIONS.md does not explain it.'),
    ...lacking(headings, alertNames, 'has a heading in OPERATIONS.md, but is not an alert.'),
  ]
}

if (import.meta.main) {
  const root = process.argv[2] ?? join(import.meta.dir, '..')
  const paths = await Array.fromAsync(
    new Bun.Glob('{src,workers,scripts}/**/*.{ts,tsx}').scan({ cwd: root, dot: true }),
  )
  if (paths.length === 0)
    throw new Error(`There is nothing to check in ${root}: no TypeScript in src, workers or scripts.`)
  const files = await Promise.all(paths.map(async path => [path, await Bun.file(join(root, path)).text()] as const))
  const breaches = [...breachesOf(new Map(files)), ...folderBreaches(new Map(files))]
  const watched = await Promise.all(
    watching.map(async path => [path, await Bun.file(join(root, path)).text()] as const),
  )
  breaches.push(...watchingErrors(new Map([...files, ...watched])), ...(await assertedTextErrors(root)))
  for (const breach of breaches) console.log(breach)
  process.exit(breaches.length === 0 ? 0 : 1)
}
