import { beforeEach, describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setProgramIntake } from '../../src/core/intake/close-intake.ts'
import { loadLines } from '../../src/core/load/load-lines.ts'
import { exportProgram, importProgram } from '../../src/core/programs/program-transport.ts'
import type { TestDatabase } from '../support/database.ts'
import { exportLines } from '../support/export-lines.ts'
import { endWithTest, useDatabase, useFolder } from '../support/fixtures.ts'
import type { Ended } from '../support/run.ts'
import { runScript } from './run-script.ts'

const slug = 'utility-assistance'
const source = await useDatabase()
const folder = await useFolder()
const seeded = await runScript('seed', source.url, ['--applications', '300', '--program', slug])
expect(seeded).toMatchObject({ code: 0, err: '' })
const exported = await exportLines(source.sql, slug)
const bundle = await exportProgram(source.sql, slug)

/** With the program and no applications, of each test alone. */
let target: TestDatabase
beforeEach(async () => {
  target = await useDatabase({}, endWithTest)
  await importProgram(target.sql, bundle, 'operator:test')
})

const load = (args: string[], input = ''): Promise<Ended> => runScript('load', target.url, args, input)
async function file(text: string): Promise<string> {
  const path = join(folder, `${Bun.hash(text)}.ndjson`)
  await writeFile(path, text)
  return path
}

/** A load of which so many applications are stored, and a batch of that size, when it is interrupted. */
async function interrupted(lines: readonly string[], most: number, batchBytes: number) {
  const loading = loadLines(target.sql, Readable.from([Buffer.from(lines.join('\n'))]), {
    now: Date.now() * 1000,
    timeZone: 'UTC',
    actor: 'operator:test',
    source: 'part.ndjson',
    batchBytes,
    onProgress: stored => {
      if (stored >= most) throw new Error('the machine went down')
    },
  })
  await expect(loading).rejects.toThrow('went down')
  const [load] = await target.sql<{ load_id: number; stored: number }[]>`select load_id, stored from bulk_load`
  return load!
}

async function eventsOfLoads(): Promise<string[]> {
  const events = await target.sql<{ action: string }[]>`
    select action from audit_event where subject = ${slug} and action <> 'program_imported' order by audit_event_id`
  return events.map(event => event.action)
}

/** Where loads would be listed, each by its id. */
const noLoad = /^\D+\n$/
/** One line that names the program which is not there. */
const noProgram = expect.stringMatching(/^[^\n]*"nowhere"[^\n]*\n$/)

describe('scripts/load', () => {
  test('reports each invalid line with its number and reason on standard error, and exits with 1', async () => {
    const path = await file([exported[0], '{"oops":', exported[1]!.replace('"CURRENT"', '"LATEST"')].join('\n'))
    const { code, out, err } = await load([path])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^\D+2 of 3 \D+$/m)
    expect(err).toMatch(/^ {2}line 2: .*\(column 9\)\. \[not_json\]$/m)
    expect(err).toMatch(/^ {2}line 3: \/revision_state .* "LATEST" \[unknown_value\]$/m)
    expect(await exportLines(target.sql, slug)).toEqual([])
  })

  test('explains a missing file or wrong usage in one sentence', async () => {
    expect(await load([join(folder, 'nowhere.ndjson')])).toMatchObject({ code: 1, out: '' })
    expect(await load([folder])).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(new RegExp(`^${folder} [^\n]+\n$`)),
    })
    expect(await load([])).toMatchObject({ code: 2 })
    expect(await load(['a', 'b'])).toMatchObject({ code: 2 })
    expect(await load(['--fast', 'a'])).toMatchObject({ code: 2 })
    const alone = { code: 2, err: expect.stringContaining('--unfinished and --give-up ') }
    expect(await load(['--unfinished', 'a'])).toMatchObject(alone)
    expect(await load(['--give-up', '1', '--program', slug])).toMatchObject(alone)
    expect((await load(['a', '--instead-of', 'b'])).err).toMatch(/^--instead-of .* "b"/)
    expect(await load(['--give-up', 'a'])).toMatchObject({ code: 2, err: expect.stringMatching(/^--give-up .* "a"/) })
    expect((await load(['--help'])).out).toMatch(/^Usage: scripts\/load/)
  })

  test('reads standard input, without a progress bar if there is no terminal, and loads the same data only once', async () => {
    const all = `${exported.join('\n')}\n`
    const { code, out, err } = await load(['-', '--program', slug], all)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^\D*300 .*utility-assistance\.\n.* [0-9.]+ s\.\n$/)
    expect(await exportLines(target.sql, slug)).toEqual(exported)
    expect(await load([await file(all)])).toMatchObject({
      code: 0,
      // When that was.
      out: expect.stringMatching(/ 20\d\d-\d\d-\d\dT/),
    })
    expect(await load(['-'], `${all}\n`)).toMatchObject({ code: 1, err: expect.stringContaining('[too_early]') })
    expect(await exportLines(target.sql, slug)).toEqual(exported)
  })

  test('assigns new applicants to the given front end, or to none (D26)', async () => {
    const frontEnds = async () =>
      (
        await target.sql<{ front_end: string | null; applicants: number }[]>`
          select front_end, count(*) as applicants from applicant group by 1 order by 1`
      ).map(row => [row.front_end, row.applicants])
    const [first, ...others] = exported
    const known = JSON.parse(first!).applicant_id as number
    await target.sql`insert into applicant (applicant_id, language, front_end) values (${known}, 'en', 'Kiosk')`
    expect(await load(['-', '--front-end', 'Portal'], exported.join('\n'))).toMatchObject({ code: 0 })
    const applicants = new Set(exported.map(line => JSON.parse(line).applicant_id)).size
    expect(await frontEnds()).toEqual([
      ['Kiosk', 1],
      ['Portal', applicants - 1],
    ])
    target = await useDatabase({}, endWithTest)
    await importProgram(target.sql, bundle, 'operator:test')
    expect(await load(['-'], others.join('\n'))).toMatchObject({ code: 0 })
    expect((await frontEnds()).map(([name]) => name)).toEqual([null])
    expect(await load(['-', '--front-end', ' '])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^--front-end .* scripts\/load --help\.\n$/),
    })
  })

  test('lists an unfinished load, which blocks other loads of its program and can be given up', async () => {
    expect((await load(['--unfinished'])).out).toMatch(noLoad)
    const { load_id } = await interrupted(exported, 1, 1)
    expect((await load(['--unfinished'])).out).toMatch(
      new RegExp(`^${load_id}: part.ndjson into ${slug}: 1 of 300 .* 20.*Z by operator:test\n$`),
    )
    const other = await load(['-'], exported.slice(1).join('\n'))
    expect(other.err).toContain(`load ${load_id} of part.ndjson into ${slug} `)
    const front = await load(['-', '--front-end', 'Portal'], exported.join('\n'))
    expect(front.err).toContain(' --front-end')
    expect((await load(['--give-up', String(load_id)])).out).toMatch(
      new RegExp(`^Load ${load_id} of part.ndjson .* 1 of 300 applications .*\n$`),
    )
    expect((await load(['--give-up', String(load_id)])).err).toContain('[load_ended]')
    expect(await load(['--give-up', '77'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/ 77\b.*\[not_found\]\n$/),
    })
    expect((await load(['-'], exported.join('\n'))).err).toContain(' 1 of its 300 applications ')
    expect(await exportLines(target.sql, slug)).toEqual(exported.slice(0, 1))
    expect(await eventsOfLoads()).toEqual(['load_begun', 'load_given_up'])
  })

  test('loads the rest of an unfinished load from another file', async () => {
    const { load_id } = await interrupted(exported.slice(0, 100), 90, 1)
    const option = ['-', '--instead-of', String(load_id)]
    expect((await load(option, exported.slice(80).join('\n'))).err).toMatch(/ line 1: \/submit_time .*\[too_early\]/)
    expect(await load(option, exported.slice(90).join('\n'))).toMatchObject({ code: 0 })
    expect(await exportLines(target.sql, slug)).toEqual(exported)
    expect((await load(['--unfinished'])).out).toMatch(noLoad)
    expect(await eventsOfLoads()).toEqual(['load_begun', 'load_given_up', 'load_begun', 'applications_loaded'])
  })

  test('continues an interrupted load where it stopped, and says so', async () => {
    const { stored } = await interrupted(exported, 1, 100_000)
    expect(stored).toBeWithin(1, 300)
    const { code, out } = await load([await file(exported.join('\n'))])
    const numbers = out.split('\n').map(line => Number(/\d+/.exec(line)?.[0]))
    expect({ code, numbers: numbers.slice(0, 2) }).toEqual({ code: 0, numbers: [stored, 300] })
    expect(await exportLines(target.sql, slug)).toEqual(exported)
  })
})

describe('scripts/intake', () => {
  const intake = (...args: string[]): Promise<Ended> => runScript('manage-intake', target.url, args)

  test('pauses, reports and resumes submissions', async () => {
    const open = (await intake('status', slug)).out
    expect(open).toContain(slug)
    expect((await intake('pause', slug, '--for', '30m')).out).toMatch(/utility-assistance .* until 20/)
    expect((await intake('status', slug)).out).toMatch(/ until 20/)
    const resumed = (await intake('resume', slug)).out
    expect((await intake('status', slug)).out).toBe(open)
    expect((await intake('resume', slug)).out).not.toBe(resumed)
    await intake('pause', slug)
    await setProgramIntake(target.sql, slug, { intake_state: 'CLOSED', intake_text: null, actor: 'admin:test' })
    const closed = (await intake('resume', slug)).out
    expect([open, resumed]).not.toContain(closed)
    expect((await intake('status', slug)).out).toBe(closed)
  })

  test.each([
    [[], 'scripts/intake --help'],
    [['stop', slug], '"stop"'],
    [['pause'], '<slug>'],
    [['pause', slug, '--for', '8d'], '--for'],
    [['pause', slug, '--for', 'long'], '--for'],
  ])('exits with 2 and an explanation for the arguments %p', async (args, message) => {
    expect(await intake(...args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(message) })
  })

  test('reports a program that does not exist in one sentence', async () => {
    for (const command of ['pause', 'resume', 'status'])
      expect(await intake(command, 'nowhere')).toEqual({ code: 1, out: '', err: noProgram })
  })
})
