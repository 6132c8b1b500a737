// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts here are source.
// What holds the house together is held itself: each rule is broken on purpose, and the breach is reported with file and line.

import { describe, expect, test } from 'bun:test'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { breachesOf, folderBreaches, watchingErrors } from '../../scripts/check.ts'
import { useFolder } from '../support/fixtures.ts'

/** A breach of a file that imports a folder which imports the file's own. */
const circle = (file: string, there: string, here: string) =>
  expect.stringMatching(new RegExp(`^${file}:1: .* ${there}, .* ${here}, `))

const root = join(import.meta.dir, '../..')
const check = (tree: Record<string, string>): string[] => breachesOf(new Map(Object.entries(tree)))
const packageOf = (path: string, target: string): string =>
  ['src/web', 'src/civiform', 'src/clients/client', 'src/clients/pull'].find(folder =>
    join(path, '..', target).startsWith(`${folder}/`),
  )!
const imports = (target: string): string => `import { x } from '${target}'\n`

describe('imports go downwards only', () => {
  test.each([
    ['src/main.ts', './service.ts'],
    ['src/main.ts', './config/load-config.ts'],
    ['src/app.ts', './core/keys/limits.ts'],
    ['src/app.ts', '@tributary/web'],
    ['src/web/routes.ts', './http/check-auth.ts'],
    ['src/web/docs/pages.ts', '../http/errors.ts'],
    ['src/web/http/a.ts', '../../core/export/page.ts'],
    ['workers/a.ts', '../src/core/derived/program-key-map.ts'],
    ['workers/main.ts', '@tributary/web/health'],
    ['src/core/export/a.ts', '../../db/walks.ts'],
    ['src/core/people/a.ts', '../keys/credential.ts'],
    ['src/core/queue/relay.ts', '../../db/outbox.ts'],
    ['src/db/a.ts', '../base/log.ts'],
    ['src/config/a.ts', '../domain/values/ip-address.ts'],
    ['scripts/a.ts', '../src/core/keys/api-keys.ts'],
    ['scripts/a.ts', '@tributary/cli'],
    ['src/web/http/a.ts', 'elysia'],
    ['src/core/keys/a.ts', 'node:crypto'],
    ['src/service.ts', '@tributary/civiform'],
    ['scripts/operator/civiform.ts', '@tributary/civiform/commands'],
    ['src/clients/pull/a.ts', '@tributary/client'],
    ['src/clients/pull/a.ts', '../../base/csv-text.ts'],
  ])('%s may import %s', (path, target) => {
    expect(check({ [path]: imports(target) })).toEqual([])
  })

  test.each([
    ['src/app.ts', './main.ts'],
    ['src/main.ts', '../workers/main.ts'],
    ['src/web/http/a.ts', '../../../workers/refresh-key-map.ts'],
    ['src/db/a.ts', '../../scripts/environment.ts'],
    ['workers/a.ts', '../tests/support/database.ts'],
    ['src/core/export/a.ts', '../keys/caller.ts'],
    ['src/core/derived/a.ts', '../programs/publish.ts'],
    ['src/core/export/a.ts', '../../web/http/errors.ts'],
    ['src/core/export/a.ts', '@tributary/web'],
    ['workers/a.ts', '@tributary/web'],
    ['src/web/http/a.ts', '../../app.ts'],
    ['src/web/http/a.ts', '../console/a.ts'],
    ['src/core/audit/a.ts', '../keys/caller.ts'],
    ['src/web/http/a.ts', '../../config/load-config.ts'],
    ['src/db/a.ts', '../core/queue/jobs.ts'],
    ['src/domain/values/a.ts', '../../db/walks.ts'],
    ['src/domain/a.ts', '../base/log.ts'],
    ['src/base/log.ts', '../db/client.ts'],
    ['src/core/export/a.ts', 'elysia'],
    ['src/web/http/a.ts', 'postgres'],
    ['workers/a.ts', 'bullmq'],
    ['src/domain/a.ts', 'node:fs'],
    ['src/domain/a.ts', 'bun'],
    ['src/clients/pull/a.ts', 'bun:sqlite'],
    ['src/clients/pull/a.ts', '../../base/log.ts'],
    ['src/clients/client/a.ts', 'bun'],
  ])('%s must not import %s', (path, target) => {
    expect(check({ [path]: `\n${imports(target)}` })).toEqual([expect.stringContaining(`${path}:2: `)])
  })

  test.each([
    ['src/app.ts', './web/routes.ts'],
    ['src/service.ts', './civiform/public.ts'],
    ['scripts/operator/civiform.ts', '../../src/civiform/db/follow-state.ts'],
    ['scripts/pulling/a.ts', '../../src/clients/pull/run-pull.ts'],
    ['src/clients/pull/a.ts', '../client/index.ts'],
    ['src/core/export/a.ts', '../../civiform/db/a.ts'],
  ])('%s must not enter a package by a path: %s', (path, target) => {
    expect(check({ [path]: imports(target) })[0]).toEndWith(` ${packageOf(path, target)}.`)
  })

  test('check recognizes every form of import', () => {
    for (const text of [
      "import type { A } from '../web/http/a.ts'",
      "import {\n  type A,\n  b,\n} from '../web/http/a.ts'",
      "import a from '../web/http/a.ts'",
      "import * as a from '../web/http/a.ts'",
      "import '../web/http/a.ts'",
      "export * from '../web/http/a.ts'",
      "export { a } from '../web/http/a.ts'",
      "const a = await import('../web/http/a.ts')",
    ])
      expect(check({ 'src/db/b.ts': text })).toEqual([
        expect.stringContaining('src/db/b.ts:1: imports src/web/http/a.ts'),
      ])
    expect(
      check({ 'src/db/b.ts': "// import { a } from '../web/http/a.ts'\nconst a = 'from ../web/http/a.ts'" }),
    ).toEqual([])
  })

  test('web may import the types of the configuration, although not its values', () => {
    expect(check({ 'src/web/http/a.ts': "import type { Config } from '../../config/all-settings.ts'" })).toEqual([])
    expect(
      check({ 'src/core/export/a.ts': "import type { Config } from '../../config/all-settings.ts'" }),
    ).toHaveLength(1)
  })

  test('no two files may export types with the same name, except for the published client', () => {
    const tree = { 'src/db/a.ts': 'export interface Row {}', 'src/web/http/b.ts': '\nexport type Row = number' }
    expect(check(tree)).toEqual([expect.stringMatching(/^src\/web\/http\/b\.ts:2: .* Row\b.* src\/db\/a\.ts\b/)])
    expect(
      check({ 'src/db/a.ts': 'export interface Row {}', 'src/clients/client/b.ts': 'export interface Row {}' }),
    ).toEqual([])
    expect(check({ 'src/db/a.ts': 'export interface Row {}', 'src/web/http/b.ts': 'interface Row {}' })).toEqual([])
  })

  test('a file outside the known folders is reported', () => {
    expect(check({ 'src/stray.ts': '', 'src/attic/a.ts': '' })).toHaveLength(2)
  })
})

describe('source folders', () => {
  const breaches = (tree: Record<string, string>): string[] => folderBreaches(new Map(Object.entries(tree)))

  test('folders may not import each other, directly or through others, at any depth', () => {
    const tree = {
      'src/core/load/load-lines.ts': imports('./reading/lines.ts'),
      'src/core/load/reading/lines.ts': imports('../storing/batch.ts'),
      'src/core/load/storing/batch.ts': imports('../../../db/client.ts'),
      'src/db/client.ts': imports('../base/log.ts'),
      'src/base/log.ts': '',
    }
    expect(breaches(tree)).toEqual([])
    expect(breaches({ ...tree, 'src/db/client.ts': imports('../core/load/load-lines.ts') }).sort()).toEqual([
      circle('src/core/load/load-lines.ts', 'src/core/load/reading', 'src/core/load'),
      circle('src/core/load/reading/lines.ts', 'src/core/load/storing', 'src/core/load/reading'),
      circle('src/core/load/storing/batch.ts', 'src/db', 'src/core/load/storing'),
      circle('src/db/client.ts', 'src/core/load', 'src/db'),
    ])
    expect(
      breaches({
        'src/base/problem.ts': '',
        'src/service.ts': imports('./db/client.ts'),
        'src/db/client.ts': imports('../base/problem.ts'),
      }),
    ).toEqual([])
  })

  test('a folder may have at most 16 files', () => {
    const sixteen = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`src/db/a${i}.ts`, '']))
    expect(breaches(sixteen)).toEqual([])
    expect(breaches({ ...sixteen, 'src/db/more.ts': '' })).toEqual([
      expect.stringMatching(/^src\/db: .*\b17\b.*\b16\b/),
    ])
  })
})

describe('code that a module must not have', () => {
  test.each([
    ['src/core/export/a.ts', 'await sql`select 1`'],
    ['src/core/export/a.ts', 'await sql<{ a: number }[]>`select 1`'],
    ['src/core/export/a.ts', 'await tx`\n  select 1`'],
    ['scripts/a.ts', "const text = 'select a from b'"],
    ['workers/a.ts', 'const text = `insert into a values (1)`'],
    ['src/db/a.ts', 'sql.unsafe(text)'],
    ['src/web/http/a.ts', 'const a = process.env.A'],
    ['src/app.ts', 'const a = loadConfig(environment)'],
    ['src/domain/a.ts', 'const now = Date.now()'],
    ['src/domain/a.ts', 'const now = new Date()'],
    ['src/domain/a.ts', 'const a = Math.random()'],
    ['src/domain/a.ts', 'process.exit(1)'],
    ['src/core/keys/a.ts', 'throw { status: 401 }'],
    ['src/core/queue/a.ts', 'if (response.status === 503) retry()'],
    ['src/web/docs/a.ts', "const name = 'CiviForm'"],
    ['workers/a.ts', 'const { civiformProfile } = config'],
    ['src/core/intake/a.ts', "throw new Problem('unavailable', { headers: { 'Retry-After': '5' } })"],
  ])('%s must not contain: %s', (path, line) => {
    expect(check({ [path]: `\n${line}` })).toEqual([expect.stringContaining(`${path}:2: `)])
  })

  test.each([
    ['src/db/a.ts', 'await sql`select 1`'],
    ['src/db/migrate.ts', 'sql.unsafe(text)'],
    ['src/domain/a.ts', 'const then = new Date(2026, 1)'],
    ['src/domain/a.ts', '// as Date.now() would'],
    ['src/core/export/a.ts', "const text = 'Select a program from the list.'"],
    ['src/web/http/a.ts', 'throw { status: 401 }'],
    ['src/web/http/a.ts', "headers.set('Retry-After', '5')"],
    ['src/main.ts', 'const a = loadConfig(process.env)'],
  ])('%s may contain: %s', (path, line) => {
    expect(check({ [path]: line })).toEqual([])
  })

  const pragma = '// A page.\n\n/** @jsxImportSource preact */\n'

  test('a page must name its JSX runtime, for processes started outside the checkout', () => {
    expect(check({ 'src/web/html/a.tsx': pragma })).toEqual([])
    expect(check({ 'src/web/html/a.tsx': '// A page.\n' })).toEqual([
      expect.stringContaining('src/web/html/a.tsx:1: lacks'),
    ])
  })

  test('a function of a page may have at most 60 lines, including its elements', () => {
    const page = (lines: number) => `${pragma}\nexport function Page() {${'\n'.repeat(lines - 1)}}\n`
    expect(check({ 'src/web/html/a.tsx': page(60) })).toEqual([])
    expect(check({ 'src/web/html/a.tsx': `${page(60)}\n${page(61).replace(pragma, '')}` })).toEqual([
      expect.stringMatching(/^src\/web\/html\/a\.tsx:67: Page .*\b61\b.*\b60\b/),
    ])
  })

  test('no two files may share a name in any folder, except main.ts, and none may be called util', () => {
    expect(
      check({ 'src/web/http/a.ts': '', 'src/db/a.tsx': pragma, 'src/main.ts': '', 'workers/main.ts': '' }),
    ).toEqual([expect.stringMatching(/^src\/web\/http\/a\.ts:1: .* src\/db\/a\.tsx\b/)])
    expect(check({ 'src/db/row-util.ts': '' })).toEqual([])
    expect(check({ 'src/db/utils/a.ts': '', 'scripts/util.ts': '' })).toHaveLength(2)
  })
})

test('each metric must be reported, explained and on the dashboard, and each alert explained', () => {
  const files: [string, string][] = [
    [
      'src/core/metrics/a.ts',
      "  'tributary_a_seconds', 'How long it took',\n  name: 'tributary_b_total',\n  help: 'How often',\n  'tributary_d_total',",
    ],
    [
      'deploy/OPERATIONS.md',
      `## Metrics\n\n| \`tributary_a_seconds\` | How long it took |\n| \`tributary_b_total\` | How many |\n\n## Alerts\n\n### Gone\n\n*x* ${'what to do '.repeat(4)}`,
    ],
    ['deploy/grafana/tributary.json', 'rate(tributary_a_seconds_bucket[5m])'],
    ['deploy/prometheus/alerts.yaml', '- alert: Slow\n  expr: tributary_a_seconds_sum > tributary_c'],
  ]
  expect(watchingErrors(new Map(files)).map(error => error.split(' ')[0])).toEqual([
    'tributary_b_total', // Explained otherwise
    'tributary_d_total', // Not explained
    'tributary_b_total', // Not shown
    'tributary_d_total',
    'tributary_c', // Not reported
    'Slow', // Not explained
    'Gone', // No alert
  ])
})

test('bun scripts/check.ts prints the errors of a folder and exits with 1, and fails for a folder without source', async () => {
  const folder = await useFolder()
  const run = () => Bun.spawnSync([process.execPath, join(root, 'scripts/check.ts'), folder])
  expect(run().exitCode).not.toBe(0)
  for (const path of ['deploy/OPERATIONS.md', 'deploy/grafana/tributary.json', 'deploy/prometheus/alerts.yaml'])
    await Bun.write(join(folder, path), '')
  await Bun.write(join(folder, 'src/db/a.ts'), '\nconst fine = 1\n')
  expect(run().exitCode).toBe(0)
  await Bun.write(join(folder, 'src/db/a.ts'), imports('../core/keys/b.ts'))
  expect(String(run().stdout)).toStartWith('src/db/a.ts:1: imports src/core/keys/b.ts; db may import domain')
  expect(run().exitCode).toBe(1)
})

test('bun run check runs every check, even after one fails, and reports all errors', async () => {
  const folder = await useFolder()
  await Promise.all(
    [
      ...['package.json', 'biome.json', 'tsconfig.json', 'scripts/check.ts'],
      ...['scripts/awaited-assertions.grit', 'scripts/spread-groups.grit'],
      ...new Bun.Glob('scripts/testing/*-texts.ts').scanSync({ cwd: root }),
      ...['scripts/testing/syntax.ts', 'scripts/testing/text-kinds.ts'],
    ].map(name => Bun.write(join(folder, name), Bun.file(join(root, name)))),
  )
  for (const path of ['deploy/OPERATIONS.md', 'deploy/prometheus/alerts.yaml']) await Bun.write(join(folder, path), '')
  await Bun.write(join(folder, 'deploy/grafana/tributary.json'), '{}\n')
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await Bun.$`git init -q ${folder}`.quiet()
  await Bun.write(join(folder, 'src/db/a.ts'), "import { b } from '../web/http/b.ts'\nexport const a: string  = b\n")
  await Bun.write(join(folder, 'src/web/http/b.ts'), 'export const b = 1\n')
  await Bun.write(join(folder, 'tests/texts.snapshot.txt'), '# Errors\n\nThere is no {what} and never was.\n')
  await Bun.write(join(folder, 'tests/three.test.ts'), "expect(page).toContain('key and never was')\n")
  await Bun.write(join(folder, 'tests/two.test.ts'), "expect(page).toContain('never was')\n")
  const rows = "[['x', 'key and never was'], ['key and never was', 'x']]"
  await Bun.write(join(folder, 'tests/rows.test.ts'), `test.each(\n${rows.replace('], ', '],\n ')})\n`)
  const { stdout, stderr, exitCode } = Bun.spawnSync([process.execPath, 'run', 'check'], { cwd: folder })
  const said = Bun.stripANSI(`${stdout}${stderr}`)
  expect(exitCode).toBe(1)
  expect(said).toContain('src/db/a.ts:1: imports src/web/http/b.ts')
  expect(said).toContain('tests/three.test.ts:1: asserts ')
  expect(said).not.toContain('tests/two.test.ts:1: asserts')
  // A row of `test.each` begins with its title.
  expect(said.match(/tests\/rows\.test\.ts:\d: asserts /g)).toEqual(['tests/rows.test.ts:2: asserts '])
  expect(said).toMatch(/src\/db\/a\.ts format/)
  expect(said).toMatch(/src\/db\/a\.ts\(2,14\): error TS2322/)
})

test('Biome reports import cycles, even of types, promises and assertions without await, focused tests, and literals in literals', async () => {
  const folder = await useFolder()
  await mkdir(join(folder, 'scripts'))
  for (const name of ['biome.json', 'scripts/awaited-assertions.grit', 'scripts/spread-groups.grit', 'tsconfig.json'])
    await Bun.write(join(folder, name), Bun.file(join(root, name)))
  await Bun.$`git init -q ${folder}`.quiet()
  await Bun.write(join(folder, 'src/one.ts'), "import type { Two } from './two.ts'\n\nexport type One = Two | 1\n")
  await Bun.write(join(folder, 'src/two.ts'), "import type { One } from './one.ts'\n\nexport type Two = One | 2\n")
  await Bun.write(
    join(folder, 'tests/a.test.ts'),
    `async function work(): Promise<void> {
  throw new Error('x')
}
test('x', async () => {
  work()
  expect(work()).rejects.toThrow()
  expect(
    work(),
  ).resolves.toBe(1)
  await expect(work()).rejects.toThrow()
  await work()
})
test.only('y', work)
`,
  )
  await Bun.write(
    join(folder, 'src/three.ts'),
    `const b = 1
export const folded = { ...{ b }, c: 2 }
export const plain = { ...folded, ...(b === 1 ? { d: 3 } : {}) }
`,
  )
  const biome = Bun.spawnSync([join(root, 'node_modules/.bin/biome'), 'lint', '--colors=off', '.'], { cwd: folder })
  const said = `${biome.stdout}${biome.stderr}`
  expect(biome.exitCode).not.toBe(0)
  for (const file of ['src/one.ts:1:', 'src/two.ts:1:'])
    expect(said).toMatch(new RegExp(`${file}\\d+ lint/suspicious/noImportCycles`))
  expect(said).toMatch(/tests\/a\.test\.ts:13:\d+ lint\/suspicious\/noFocusedTests/)
  expect(said).toMatch(/tests\/a\.test\.ts:5:3 lint\/nursery\/noFloatingPromises/)
  expect([...said.matchAll(/a\.test\.ts:(\d+):3 plugin/g)].map(found => found[1])).toEqual(['6', '7'])
  expect([...said.matchAll(/three\.ts:(\d+):\d+ plugin/g)].map(found => found[1])).toEqual(['2'])
})
