// What every script owes the person who runs it: help without a database, and wrong usage reported in one line, by exit status 2.

import { describe, expect, test } from 'bun:test'
import { accessSync, constants, readdirSync } from 'node:fs'
import { cp, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { testPepper, testTokenKey } from '../support/config.ts'
import { namedCommands, unknownTo } from '../support/documents.ts'
import { useDatabase, useFolder } from '../support/fixtures.ts'
import { run } from '../support/run.ts'

const folder = join(import.meta.dir, '../../scripts')
/** Everything an operator can run; `test`, `test-citus` and `bun` hand their arguments on. */
const scripts = readdirSync(folder, { withFileTypes: true })
  .filter(entry => entry.isFile() && !entry.name.includes('.') && !['test', 'test-citus', 'bun'].includes(entry.name))
  .map(entry => entry.name)

/** `tributary pull`, `verify` and `types` have a help text each. */
const isOfClient = ({ script, words }: (typeof namedCommands)[number]): boolean =>
  script === 'tributary' && words[0] !== undefined && !words[0].startsWith('--')

const database = await useDatabase()
/** "Nothing but git, a shell and npm": with Bun there already, not even those. */
const bare = await useFolder()
await symlink(process.execPath, join(bare, 'bun'))

async function runShell(script: string, args: string[], databaseUrl = database.url) {
  const { code, out, err } = await run([join(folder, script), ...args], {
    // Settings of its own: what a development instance of this checkout may have is no part of it.
    env: {
      ...process.env,
      PATH: bare,
      TRIBUTARY_ENV: 'development',
      TRIBUTARY_DATA: join(folder, 'no-such-folder'),
      PAGE_TOKEN_KEYS: testTokenKey,
      API_KEY_PEPPER: testPepper,
      DATABASE_URL: databaseUrl,
    },
  })
  return { code, out, err: err.trimEnd().split('\n') }
}

test('every script is executable', () => {
  expect(scripts.length).toBeGreaterThan(8)
  for (const script of scripts) accessSync(join(folder, script), constants.X_OK)
})

describe.each(scripts)('scripts/%s', script => {
  test('describes itself with --help, without a database', async () => {
    const { code, out, err } = await runShell(script, ['--help'], 'postgres://127.0.0.1:1/none')
    expect({ code, err }).toEqual({ code: 0, err: [''] })
    expect(out).toStartWith('Usage:')
    expect(out).toContain(`scripts/${script}`)
    expect(
      unknownTo(
        out,
        namedCommands.filter(command => command.script === script && !isOfClient(command)),
      ),
    ).toEqual([])
  })

  test('exits with 2 and one line that names an unknown option', async () => {
    const { code, out, err } = await runShell(script, ['--no-such-option'])
    expect({ code, out, lines: err.length }).toEqual({ code: 2, out: '', lines: 1 })
    expect(err[0]).toContain('no-such-option')
  })
})

describe('commands named in the documentation', () => {
  test('exist', async () => {
    const { out } = await runShell('tributary', ['--help'])
    const known = [...readdirSync(folder), ...[...out.matchAll(/^ {2}([a-z-]+) /gm)].map(line => line[1])]
    expect(namedCommands.length).toBeGreaterThan(80)
    expect(namedCommands.filter(({ script }) => !known.includes(script))).toEqual([])
  })

  test.each(['pull', 'verify', 'types'])('give tributary %s only options that exist', async name => {
    const { out } = await runShell('tributary', [name, '--help'])
    const commands = namedCommands.filter(command => isOfClient(command) && command.words[0] === name)
    expect(unknownTo(out, commands)).toEqual([])
  })
})

test('scripts/bun with its own folder first on PATH does not call itself', async () => {
  const copy = await useFolder()
  await cp(join(folder, 'bun'), join(copy, 'scripts/bun'))
  await Bun.write(join(copy, 'package.json'), '{\n  "bun": "0.0.0"\n}\n')
  // In a group of its own, so that a chain of shells that call one another can be ended with it.
  const child = Bun.spawn(['bun', '--version'], {
    env: { PATH: join(copy, 'scripts') },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    detached: true,
  })
  const deadline = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 5_000)
  const [err, code] = await Promise.all([child.stderr.text(), child.exited])
  clearTimeout(deadline)
  expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^Bun 0\.0\.0 .*npm.*\n$/) })
})

describe('an unreadable document', () => {
  test.each([
    ['a directory', '.', '[EISDIR]'],
    ['a missing file', 'nothing/there.json', '[ENOENT]'],
  ])('is reported for %s', async (_, path, message) => {
    const { code, err } = await runShell('program', ['diff', path])
    expect({ code, lines: err.length }).toEqual({ code: 1, lines: 1 })
    expect(err[0]).toContain(message)
  })

  test.each<[string, string | Uint8Array<ArrayBuffer>, RegExp[]]>([
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0xff]), [/ UTF-8\b.* \[invalid_request\]$/]],
    [
      'a duplicate key',
      '\ufeff{"slug": "a", "slug": "b"}',
      [/:$/, /^ {2}\/slug: .*\(line 1, column 15\).* \[duplicate_key\]$/],
    ],
    [
      'truncated text',
      '{"questions": [{"kind": ',
      [/:$/, /^ {2}\/questions\/0\/kind: .*\(line 1, column 25\).* \[malformed_json\]$/],
    ],
    ['an empty document', '', [/:$/, /^ {2}\S.*\(line 1, column 1\).* \[malformed_json\]$/]],
  ])('is reported for %s in standard input', async (_, document, lines) => {
    const { code, out, err } = await run([join(folder, 'program'), 'validate', '-', '--document-only'], {
      input: document,
    })
    const expected = lines.map(line => expect.stringMatching(line))
    expect({ code, out, err: err.trimEnd().split('\n') }).toEqual({ code: 1, out: '', err: expected })
  })
})
