// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts here are source.

import { afterAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { breachesOf } from '../../scripts/house-rules.ts'
import { importsOf, tokensOf } from '../../scripts/read-source.ts'

/** `path:line: sentence` for each breach in a made-up tree. */
const check = (tree: Record<string, string>): string[] =>
  breachesOf(Object.entries(tree).map(([path, text]) => ({ path, text }))).map(
    ({ path, line, sentence }) => `${path}:${line}: ${sentence}`,
  )

const imports = (target: string): string => `import { x } from '${target}'\n`

describe('who may import whom: downwards only', () => {
  test.each([
    ['src/main.ts', './app.ts'],
    ['src/main.ts', './config.ts'],
    ['workers/main.ts', './refresh-key-map.ts'],
    ['src/app.ts', './http/check-auth.ts'],
    ['src/http/admin/pages.ts', '../errors.ts'],
    ['src/http/a.ts', '../export/page.ts'],
    ['src/http/a.ts', '../db/programs.ts'],
    ['workers/a.ts', '../src/derived/program-key-map.ts'],
    ['src/export/a.ts', '../db/walks.ts'],
    ['src/export/a.ts', './page.ts'],
    ['src/programs/a.ts', '../queue/jobs.ts'],
    ['src/intake/a.ts', '../domain/answers.ts'],
    ['src/queue/relay.ts', '../db/outbox.ts'],
    ['src/db/a.ts', '../domain/answers.ts'],
    ['src/db/a.ts', '../log.ts'],
    ['src/domain/a.ts', './answers.ts'],
    ['src/config.ts', './domain/values/ip-address.ts'],
    ['scripts/a.ts', '../src/access/api-keys.ts'],
    ['scripts/a.ts', './environment.ts'],
  ])('%s may import %s', (path, target) => {
    expect(check({ [path]: imports(target) })).toEqual([])
  })

  test.each([
    ['src/app.ts', './main.ts'],
    ['scripts/a.ts', '../src/main.ts'],
    ['src/main.ts', '../workers/main.ts'],
    ['src/http/a.ts', '../../workers/refresh-key-map.ts'],
    ['src/db/a.ts', '../../scripts/environment.ts'],
    ['workers/a.ts', '../scripts/environment.ts'],
    ['workers/a.ts', '../tests/support/database.ts'],
    ['scripts/a.ts', '../tests/support/database.ts'],
    ['src/export/a.ts', '../access/caller.ts'],
    ['src/derived/a.ts', '../programs/publish.ts'],
    ['src/export/a.ts', '../http/errors.ts'],
    ['src/http/a.ts', '../app.ts'],
    ['src/http/a.ts', '../config.ts'],
    ['src/export/a.ts', '../config.ts'],
    ['src/db/a.ts', '../queue/jobs.ts'],
    ['src/db/a.ts', '../export/page.ts'],
    ['src/queue/a.ts', '../derived/program-key-map.ts'],
    ['src/domain/a.ts', '../problem.ts'],
    ['src/domain/a.ts', '../log.ts'],
    ['src/domain/a.ts', '../db/client.ts'],
    ['src/problem.ts', './log.ts'],
    ['src/problem.ts', './domain/answers.ts'],
  ])('%s may not import %s', (path, target) => {
    const found = check({ [path]: `// first line\n\n${imports(target)}` })
    expect(found).toHaveLength(1)
    expect(found[0]).toStartWith(`${path}:3: imports `)
  })

  test('every way of importing is seen', () => {
    const ways = [
      "import x from '../access/caller.ts'",
      "import * as x from '../access/caller.ts'",
      "import x, { y } from '../access/caller.ts'",
      "import type { X } from '../access/caller.ts'",
      "import type X from '../access/caller.ts'",
      "import { type X } from '../access/caller.ts'",
      "import {\n  a,\n  b as c,\n} from '../access/caller.ts'",
      "import '../access/caller.ts'",
      "import x from '../access/caller.ts' with { type: 'text' }",
      "export * from '../access/caller.ts'",
      "export * as x from '../access/caller.ts'",
      "export { x } from '../access/caller.ts'",
      "export type { X } from '../access/caller.ts'",
      "const x = await import('../access/caller.ts')",
      'const x = await import(`../access/caller.ts`)',
      "type X = import('../access/caller.ts').X",
      'import{x}from"../access/caller.ts"',
      "const a = /'/\nimport { x } from '../access/caller.ts'",
    ]
    for (const way of ways) expect([way, check({ 'src/export/a.ts': way }).length]).toEqual([way, 1])
  })

  test('what only looks like an import is none', () => {
    const text = [
      "// import { x } from '../access/caller.ts'",
      "/* import { x } from '../access/caller.ts' */",
      "const sample = `\nimport { x } from '../access/caller.ts'\n`",
      `const quoted = "import { x } from '../access/caller.ts'"`,
      'const here = import.meta.dir',
      'export type From = { from: string }',
      "export const from = 'x'",
      'export default function a() {}',
      "export { here, from }\nconst path = '../access/caller.ts'",
    ].join('\n')
    expect(importsOf(tokensOf(text))).toEqual([])
    expect(check({ 'src/export/a.ts': text })).toEqual([])
  })

  test('types of the configuration may go where its values may not', () => {
    expect(check({ 'src/http/a.ts': "import { type Config } from '../config.ts'" })).toEqual([])
    expect(check({ 'src/http/a.ts': "import { type Config, settings } from '../config.ts'" })).toEqual([
      'src/http/a.ts:1: imports more than types of config; http may import only those.',
    ])
    expect(check({ 'src/export/a.ts': "import type { Config } from '../config.ts'" })).toHaveLength(1)
  })

  test('loadConfig is for the two main.ts and scripts', () => {
    const text = (from: string) => `import { type Config, loadConfig } from '${from}'`
    expect(check({ 'src/main.ts': text('./config.ts') })).toEqual([])
    expect(check({ 'workers/main.ts': text('../src/config.ts') })).toEqual([])
    expect(check({ 'scripts/a.ts': text('../src/config.ts') })).toEqual([])
    expect(check({ 'src/app.ts': text('./config.ts') })[0]).toContain('loadConfig')
  })

  test('packages that only some rooms may know', () => {
    expect(check({ 'src/http/a.ts': "import { Elysia } from 'elysia'" })).toEqual([])
    expect(check({ 'src/queue/a.ts': "import { Queue } from 'bullmq'" })).toEqual([])
    expect(check({ 'src/export/a.ts': "import { Elysia } from 'elysia'" })).toEqual([
      'src/export/a.ts:1: imports elysia, which only app, http may know.',
    ])
    expect(check({ 'src/access/a.ts': "import type { Sql } from 'postgres'" })).toHaveLength(1)
    expect(check({ 'workers/a.ts': "import { Worker } from 'bullmq'" })).toHaveLength(1)
    expect(check({ 'src/domain/a.ts': "import { readFile } from 'node:fs/promises'" })).toHaveLength(1)
  })

  test('a file in no room is named', () => {
    expect(check({ 'src/helpers.ts': '' })).toEqual([
      'src/helpers.ts:1: is in no room of the house; put it in one, or add its room to scripts/house-rules.ts.',
    ])
    for (const path of ['src/lib/a.ts', 'src/http.ts', 'src/app/a.ts', 'extras.ts']) {
      expect(check({ [path]: '' })).toHaveLength(1)
    }
  })
})

describe('no cycles', () => {
  test('of two, of three, of one, and through types', () => {
    expect(
      check({
        'src/domain/a.ts': imports('./b.ts'),
        'src/domain/b.ts': `\n${imports('./c.ts')}`,
        'src/domain/c.ts': "\n\nimport type { X } from './a.ts'",
      }),
    ).toEqual([
      'src/domain/c.ts:3: closes a circle of imports: src/domain/a.ts → src/domain/b.ts → src/domain/c.ts → src/domain/a.ts.',
    ])
    expect(check({ 'src/domain/a.ts': imports('./a.ts') })).toHaveLength(1)
  })

  test('a diamond is none', () => {
    expect(
      check({
        'src/domain/a.ts': imports('./b.ts') + imports('./c.ts'),
        'src/domain/b.ts': imports('./d.ts'),
        'src/domain/c.ts': imports('./d.ts'),
        'src/domain/d.ts': '',
      }),
    ).toEqual([])
  })
})

describe('SQL only in src/db', () => {
  test.each([
    'await sql`and x = 1`',
    'await tx`select 1`',
    'await db<{ x: number }[]>`\n  select x\n  from t`',
    "await pool.query('select x from t')",
    'await pool.query("DELETE FROM t WHERE x = 1")',
    'const text = `insert into t (x) values (1)`',
    'const text = `update ${table} set x = 1`',
    'const page = <p>{await sql`x`}</p>',
  ])('%s', text => {
    for (const path of ['src/export/a.tsx', 'workers/a.tsx', 'scripts/a.tsx']) {
      expect(check({ [path]: text })).toEqual([`${path}:1: holds SQL; that belongs in src/db.`])
    }
    expect(check({ 'src/db/a.tsx': text })).toEqual([])
  })

  test('the benchmark may hold the statements of what it is compared with', () => {
    expect(check({ 'scripts/benchmark/peer.ts': 'export const read = (sql: Sql) => sql`select 1`\n' })).toEqual([])
  })

  test('what only looks like SQL is none', () => {
    const text = [
      '// sql`select 1`',
      'const help = "Select a program from the list."',
      'const title = `Update ${name} set by you`',
      "const word = 'select'",
      'const page = html`<p>select</p>`',
      'const shell = await Bun.$`mv a b`',
    ].join('\n')
    expect(check({ 'src/http/a.ts': text })).toEqual([])
  })

  test('text runs as SQL in one file only', () => {
    const text = 'await connection.unsafe(text)'
    expect(check({ 'src/db/migrate.ts': text })).toEqual([])
    expect(check({ 'src/db/load.ts': text })).toEqual([
      'src/db/load.ts:1: runs text as SQL (.unsafe); only src/db/migrate.ts may.',
    ])
    expect(check({ 'scripts/a.ts': text })).toHaveLength(1)
  })
})

describe('what a room must not know', () => {
  test.each([
    'Date.now()',
    'new Date()',
    'Temporal.Now.instant()',
    'Math.random()',
    'performance.now()',
    'crypto.randomUUID()',
    "fetch('x')",
  ])('domain uses %s', text => {
    expect(check({ 'src/domain/a.ts': `const x = ${text}` })).toHaveLength(1)
    expect(check({ 'src/export/a.ts': `const x = ${text}` })).toEqual([])
  })

  test('a date that is handed in, and words in comments and texts, are no clock', () => {
    expect(check({ 'src/domain/a.ts': "new Date(0); // Date.now()\nconst x = 'Math.random()'; y.fetch('a')" })).toEqual(
      [],
    )
  })

  test('the environment is read by the two main.ts and scripts', () => {
    const text = 'const x = process.env.HOST'
    expect(check({ 'src/http/a.ts': text })).toHaveLength(1)
    expect(check({ 'src/main.ts': text, 'scripts/a.ts': text, 'workers/main.ts': text })).toEqual([])
  })
})

describe('names', () => {
  test('no two files share one, whatever their folder and ending; main.ts may', () => {
    expect(check({ 'src/main.ts': '', 'workers/main.ts': '' })).toEqual([])
    expect(check({ 'src/db/page.ts': '', 'src/http/page.tsx': '' })).toEqual([
      'src/http/page.tsx:1: has the name of src/db/page.ts; no two files share one.',
    ])
  })

  test.each(['src/db/util.ts', 'src/db/utils.ts', 'src/http/utils/escape.ts', 'scripts/util-files.ts'])('%s', path => {
    expect(check({ [path]: '' })).toEqual([
      `${path}:1: is called util; name it for what it knows, or put it with its only user.`,
    ])
  })
})

describe('reading source', () => {
  test('quotes, comments, templates and regular expressions do not hide what follows them', () => {
    const before = [
      "const a = 'it\\'s'",
      'const b = "\\\\"',
      'const c = `a ${`b ${"}"} \\``} c`',
      'const d = /[/"`]\\/\'/g',
      'const e = x / y / z',
      'const f = (1) / 2 // "`',
      'const g = { a: 1 } /* ` */',
      "const h = <p>don't</p>",
      'const i = <a href="x"/>',
      'if (x) return /`/.test(y)',
    ]
    for (const line of before) {
      const text = `${line}\nimport { x } from '../access/caller.ts'\n`
      expect([line, importsOf(tokensOf(text)).map(found => found.line)]).toEqual([line, [2]])
    }
  })

  test('what does not end is named instead of passed over', () => {
    for (const text of ['const a = `', 'const a = `${b', '/* a']) {
      expect(check({ 'src/db/a.ts': text })[0]).toMatch(
        /^src\/db\/a\.ts:1: cannot be read: a (template|comment) begins on line 1/,
      )
    }
  })
})

describe('bun scripts/check.ts', () => {
  const folders: string[] = []
  afterAll(() => Promise.all(folders.map(folder => rm(folder, { recursive: true }))))

  async function run(tree: Record<string, string>): Promise<{ code: number; out: string; err: string }> {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-check-'))
    folders.push(folder)
    for (const [path, text] of Object.entries(tree)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    const script = join(import.meta.dir, '../../scripts/check.ts')
    const child = Bun.spawn([process.execPath, script, folder], {
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { code: await child.exited, out, err }
  }

  test('prints each breach as `file:line: sentence` and exits 1', async () => {
    const tree = {
      'src/db/a.ts': `\n${imports('../http/b.ts')}`,
      'src/http/b.ts': 'sql`x`',
      'tests/c.ts': 'sql`x`',
      'scripts/d': 'sh',
    }
    expect(await run(tree)).toEqual({
      code: 1,
      out: 'src/db/a.ts:2: imports src/http/b.ts; db may import domain, problem, log, settled-within.\nsrc/http/b.ts:1: holds SQL; that belongs in src/db.\n',
      err: '',
    })
  })

  test('says nothing and exits 0 when there is nothing to say', async () => {
    expect(await run({ 'src/db/a.ts': 'sql`x`' })).toEqual({ code: 0, out: '', err: '' })
  })

  test('a folder without source is no success', async () => {
    expect((await run({ 'README.md': '' })).code).toBe(2)
  })
})
