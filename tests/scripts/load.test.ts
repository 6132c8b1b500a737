import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportProgram, importProgram } from '../../src/programs/program-transport.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { exportLines } from '../support/export-lines.ts'
import { type Ended, runScript } from './run-script.ts'

const slug = 'utility-assistance'
let source: TestDatabase
let target: TestDatabase
let folder: string
let exported: string[]
beforeAll(async () => {
  ;[source, target, folder] = await Promise.all([
    createTestDatabase(),
    createTestDatabase(),
    mkdtemp(join(tmpdir(), 'tributary-load-')),
  ])
  const seeded = await runScript('seed', source.url, ['--applications', '300', '--program', slug])
  expect(seeded).toMatchObject({ code: 0, err: '' })
  exported = await exportLines(source.sql, slug)
  await importProgram(target.sql, await exportProgram(source.sql, slug), 'operator:test')
})
afterAll(async () => {
  await Promise.all([source.drop(), target.drop(), rm(folder, { recursive: true })])
})

const load = (args: string[], input = ''): Promise<Ended> => runScript('load', target.url, args, input)
async function file(text: string): Promise<string> {
  const path = join(folder, `${Bun.hash(text)}.ndjson`)
  await writeFile(path, text)
  return path
}

describe('scripts/load', () => {
  test('names each bad line with its number and reason on standard error, and exits 1', async () => {
    const path = await file([exported[0], '{"oops":', exported[1]!.replace('"CURRENT"', '"LATEST"')].join('\n'))
    const { code, out, err } = await load([path])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^Nothing was loaded: 2 of 3 applications cannot be\.$/m)
    expect(err).toMatch(/^ {2}line 2: is not JSON: .* \[not_json\]$/m)
    expect(err).toMatch(
      /^ {2}line 3: \/revision_state must be CURRENT or OBSOLETE, and is "LATEST" \[unknown_value\]$/m,
    )
    expect(await exportLines(target.sql, slug)).toEqual([])
  })

  test('a file that is not there, a program that is not there, and wrong usage end in one sentence', async () => {
    expect(await load([join(folder, 'nowhere.ndjson')])).toMatchObject({ code: 1, out: '' })
    expect(await load([folder])).toEqual({ code: 1, out: '', err: `${folder} is a directory, not a file.\n` })
    expect(await load([])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Name one file, or - for standard input.'),
    })
    expect(await load(['a', 'b'])).toMatchObject({ code: 2 })
    expect(await load(['--fast', 'a'])).toMatchObject({ code: 2 })
    expect((await load(['--help'])).out).toMatch(/^Usage: scripts\/load/)
  })

  test('takes standard input, without a progress bar where nobody watches; the same again is of the past', async () => {
    const all = `${exported.join('\n')}\n`
    const { code, out, err } = await load(['-', '--program', slug], all)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^Loaded 300 applications to utility-assistance\.\nIt took [0-9.]+ s\.\n$/)
    expect(await exportLines(target.sql, slug)).toEqual(exported)
    expect(await load([await file(all)])).toMatchObject({ code: 1, err: expect.stringContaining('[too_early]') })
  })
})
