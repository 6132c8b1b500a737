// What a file system or a database cannot take of a program is found before the walk, with what to do about it, and nothing of it is
// taken for a failure that passes.

import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { unlimited } from '../../support/config.ts'
import { useBareDatabase, useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { publish, type QuestionSpec, q } from '../../support/programs.ts'
import { callTool } from '../../support/tributary-tool.ts'

const { sql: source, ...database } = await useDatabase()
const service = await useService({ ...database, sql: source }, unlimited)
const { sql: target, url } = await useBareDatabase()
const folder = await useFolder()
const key = await createTestKey(source, { programs: ['long', 'wide', 'talkative', 'small'], maySubmit: true })
const asked = { optional: true }
let outputs = 0

/** `aa`, `ab` and so on: keys have letters alone. */
const letters = (n: number): string => String.fromCharCode(97 + Math.floor(n / 26), 97 + (n % 26))
const named = (count: number, make: (name: string) => QuestionSpec) =>
  Array.from({ length: count }, (_, n) => make(`q ${letters(n)}`))

await publish(source, { slug: 'small', questions: [q.text('words', asked)] })
const apply = async (slug: string, answers: Record<string, unknown>) => {
  const frontEnd = new FrontEnd(service, key, slug)
  await frontEnd.apply(await frontEnd.register(), answers)
}
await apply('small', { words: { text: 'Ωμέγα' } })

const pages = () => service.logLines.filter(line => String(line.path).endsWith('/applications')).length
/** What the pull ended with, and whether it asked for applications. */
async function pull(slug: string, to: readonly string[]) {
  const before = pages()
  const ended = await callTool(key, ['pull', service.baseUrl, '--program', slug, ...to])
  return { ...ended, walked: pages() > before }
}
const intoSchema = (schema: string, to = url) => [
  '--to',
  to,
  '--schema',
  schema,
  '--state',
  join(folder, String(++outputs)),
]

test('lists of entities with long names have files too, with the same names each time, and --since-last adds to them', async () => {
  const [value, two, three] = ['a', '字', 'c'].map(letter => letter.repeat(120)) as [string, string, string]
  const questions = [q.enumerator(value, [q.enumerator(two, [q.enumerator(three, [], asked)], asked)], asked)]
  await publish(source, { slug: 'long', questions })
  const entities = (inner: object) => ({ entities: [{ entity_name: 'x', ...inner }] })
  const answers = { [value]: entities({ [two]: entities({ [three]: entities({}) }) }) }
  await apply('long', answers)
  for (const ending of ['.csv', '.parquet']) {
    const out = join(folder, `apps${ending}`)
    expect(await pull('long', ['--out', out])).toMatchObject({ code: 0 })
    const names = () =>
      readdirSync(folder)
        .filter(name => name.startsWith('apps.') && name.endsWith(ending))
        .sort()
    const before = names()
    expect(before).toHaveLength(4)
    for (const name of before) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
    await apply('long', answers)
    expect(await pull('long', ['--out', out, '--since-last'])).toMatchObject({ code: 0 })
    expect(names()).toEqual(before)
    expect(await callTool(key, ['verify', out])).toMatchObject({ code: 0 })
  }
  const tables = readdirSync(folder).filter(name => name.endsWith('.csv'))
  for (const table of tables) expect(parse(readFileSync(join(folder, table), 'utf8'), { bom: true }).length).toBe(1 + 2)
})

describe('limits of a database', () => {
  test('a table with too many columns is refused before the walk, and the error names --fields', async () => {
    await publish(source, { slug: 'wide', questions: named(170, name => q.address(name, asked)) })
    const { code, err, walked } = await pull('wide', intoSchema('wide'))
    expect({ code, walked }).toEqual({ code: 1, walked: false })
    expect(err).toContain('1600')
    expect(err).toContain('--fields')
    expect(await pull('wide', [...intoSchema('wide'), '--fields', 'q_aa,q_ab'])).toMatchObject({ code: 0 })
  })

  test('an application too large for a row ends the pull permanently, after a warning', async () => {
    const questions = named(600, name => q.text(`said ${name}`, asked))
    await publish(source, { slug: 'talkative', questions })
    const text = 'x'.repeat(45)
    await apply('talkative', Object.fromEntries(questions.map((_, n) => [`said_q_${letters(n)}`, { text }])))
    const { code, err } = await pull('talkative', intoSchema('talkative'))
    expect(code).toBe(1)
    expect(err.match(/--fields/g)).toHaveLength(2)
    expect(err).not.toContain('tries again')
  })

  test('an encoding without all letters or a role that cannot create tables is refused before the walk, with the missing grant', async () => {
    const name = (await target<{ name: string }[]>`select current_database() as name`)[0]!.name
    const role = `${name}_role`
    const at = (change: (place: URL) => void): string => {
      const place = new URL(url)
      change(place)
      return place.href
    }
    const latin = `${name}_latin`
    await target.unsafe(
      `create database ${latin} encoding 'LATIN1' locale_provider libc lc_collate 'C' lc_ctype 'C' template template0`,
    )
    const narrow = await pull(
      'small',
      intoSchema(
        'small',
        at(place => Object.assign(place, { pathname: `/${latin}` })),
      ),
    )
    expect(narrow).toMatchObject({ code: 1, walked: false, err: expect.stringContaining('UTF8') })
    await target.unsafe(`drop database ${latin}`)

    await target.unsafe(`create role ${role} login`)
    await target.unsafe(`revoke create, temporary on database ${name} from public`)
    const asRole = at(place => Object.assign(place, { username: role }))
    const tried = async () => pull('small', intoSchema('small', asRole))
    for (const grant of [
      `grant temporary on database ${name} to ${role}`,
      'create schema small',
      `grant usage, create on schema small to ${role}`,
    ]) {
      const { code, walked, err } = await tried()
      expect({ code, walked, err }).toMatchObject({
        code: 1,
        walked: false,
        err: expect.stringMatching(/grant|create/i),
      })
      await target.unsafe(grant)
    }
    expect(await tried()).toMatchObject({ code: 0 })
    await target.unsafe(`alter table small.applications owner to current_user`)
    expect(await tried()).toMatchObject({ code: 1, walked: false })
    await target.unsafe(`drop owned by ${role}`)
    await target.unsafe(`drop role ${role}`)
  })
})
