// `tributary pull` killed while it makes its output of what was pulled: tables in files, and in a database.

import { describe, expect, test } from 'bun:test'
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { annotate } from '../../../src/core/applications/annotate.ts'
import { eraseApplication } from '../../../src/core/applications/erase.ts'
import { integerFrom, seededRandom } from '../../../src/domain/random/seeded-random.ts'
import { unlimited } from '../../support/config.ts'
import { useFaultyProxy } from '../../support/faulty-proxy.ts'
import { endWithFile, useBareDatabase, useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { publish, q } from '../../support/programs.ts'
import { endOf } from '../../support/run.ts'
import { type RunningTool, runTool, startTool } from '../../support/tributary-tool.ts'

/** PULL_INTERRUPTIONS=50 is for those who change how output is made; each costs the start of a process. */
const kills = Number(process.env.PULL_INTERRUPTIONS ?? 12)
const next = seededRandom(815)
const slug = 'killed'
const { sql: source, ...database } = await useDatabase()
const asked = { optional: true }
await publish(source, {
  slug,
  statuses: ['Received'],
  questions: [
    q.text('words', asked),
    q.checkbox('pets', ['cat', 'dog'], asked),
    q.enumerator('child', [q.date('born', asked), q.enumerator('toy', [], asked)], asked),
  ],
})
const service = await useService({ ...database, sql: source }, unlimited)
const key = await createTestKey(source, { programs: [slug], maySubmit: true })
const frontEnd = new FrontEnd(service, key, slug)
const ids: number[] = []
async function apply(count: number): Promise<void> {
  const applyOnce = async (n: number) => {
    const toy = { entities: Array.from({ length: n % 3 }, (_, i) => ({ entity_name: `toy ${i}` })) }
    const child = { entity_name: `child of ${n}`, born: { date: '2020-02-29' }, toy }
    const answers = {
      words: { text: `“${n}” `.repeat(1 + (n % 90)) },
      pets: { selections: ['dog'] },
      child: { entities: [child] },
    }
    ids.push((await frontEnd.apply(await frontEnd.register(), answers)).application_id)
  }
  for (let n = 0; n < count; n += 10) await Promise.all(Array.from({ length: 10 }, (_, i) => applyOnce(n + i)))
}

let onRequest = (_target: string): void => {}
const proxy = await useFaultyProxy(service.port, n => {
  queueMicrotask(() => onRequest(proxy.requests[n]!.target))
  return 'none'
})

const argsOf = (...to: string[]): string[] => ['pull', proxy.baseUrl, '--program', slug, '--since-last', ...to]

/** Runs it until it is done; kills it as long as `mayKill`, at a random moment after its walk is over. Returns how often. */
async function runKilled(
  args: string[],
  { mayKill, spanMs, afterKill }: { mayKill: number; spanMs: number; afterKill: () => unknown },
): Promise<number> {
  let killed = 0
  for (;;) {
    let running: RunningTool | undefined
    let armed = killed < mayKill
    onRequest = target => {
      if (!armed || !target.includes('/receipt')) return
      armed = false
      setTimeout(() => running?.kill('SIGKILL'), integerFrom(next, 0, spanMs))
    }
    running = startTool(key, args)
    const { code, err } = await endOf(running)
    if (running.signalCode !== 'SIGKILL') {
      expect({ code, err }).toMatchObject({ code: 0 })
      return killed
    }
    killed++
    await afterKill()
  }
}

/** How long it takes from the end of the walk to its own. */
async function spanOf(args: string[]): Promise<number> {
  let sinceMs = 0
  onRequest = target => {
    if (target.includes('/receipt')) sinceMs = performance.now()
  }
  expect(await runTool(key, args)).toMatchObject({ code: 0 })
  return Math.ceil(performance.now() - sinceMs)
}

const formats = ['csv', 'parquet'] as const
const base = await useFolder()
const { sql, url } = await useBareDatabase()
const databaseUrl = (name: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href
await sql`create database pulled_base`
endWithFile(async () => void (await sql`drop database pulled_base`))
await apply(300)
for (const format of formats)
  expect(await runTool(key, argsOf('--out', join(base, `apps.${format}`)))).toMatchObject({ code: 0 })
expect(await runTool(key, argsOf('--to', databaseUrl('pulled_base'), '--state', join(base, 'state')))).toMatchObject({
  code: 0,
})
await apply(60)
const [{ program_id }] = (await source`select program_id from program where slug = ${slug}`) as unknown as [
  { program_id: number },
]
const now = Date.UTC(2030, 0, 1) * 1000
for (const application_id of ids.slice(0, 40))
  await annotate(source, {
    program_id,
    application_id,
    status: 'Received',
    actor: 'operator:test',
    now,
    timeZone: 'UTC',
  })
for (const application_id of ids.slice(40, 50))
  await eraseApplication(source, { program_id, application_id }, { actor: 'operator:test', reason: undefined })

describe(`killed ${kills} times at random while writing its output, a pull completes it in the next run as if never interrupted`, () => {
  test.each([...formats])(
    '.%s tables are unchanged or complete in between',
    async format => {
      const whole = await useFolder()
      cpSync(base, whole, { recursive: true })
      const spanMs = await spanOf(argsOf('--out', join(whole, `apps.${format}`)))
      const tables = readdirSync(whole).filter(name => name.endsWith(`.${format}`))
      expect(tables).toHaveLength(3)
      const isAs = (folder: string, other: string, name: string): boolean =>
        readFileSync(join(folder, name)).equals(readFileSync(join(other, name)))
      expect(tables.filter(name => isAs(whole, base, name))).toEqual([])
      for (let done = 0; done < kills; ) {
        const folder = await useFolder()
        cpSync(base, folder, { recursive: true })
        const out = join(folder, `apps.${format}`)
        const afterKill = () => {
          const renewed = tables.filter(name => isAs(folder, whole, name))
          expect(tables.filter(name => !renewed.includes(name) && !isAs(folder, base, name))).toEqual([])
          // The applications come last.
          if (renewed.includes(`apps.${format}`)) expect(renewed).toEqual(tables)
        }
        done += await runKilled(argsOf('--out', out), { mayKill: kills - done, spanMs, afterKill })
        expect(tables.filter(name => !isAs(folder, whole, name))).toEqual([])
        expect(readdirSync(folder).filter(name => name.startsWith('apps.'))).toEqual(
          readdirSync(whole).filter(name => name.startsWith('apps.')),
        )
        expect(await runTool(key, ['verify', out])).toMatchObject({ code: 0 })
      }
    },
    240_000,
  )

  test('a folder has only complete applications in between', async () => {
    const argsInto = (out: string): string[] => ['pull', proxy.baseUrl, '--program', slug, '--out', `${out}/`]
    const filesIn = (folder: string): string[] => readdirSync(folder).filter(name => /^[0-9]+\.json$/.test(name))
    const whole = join(await useFolder(), 'apps')
    const spanMs = await spanOf(argsInto(whole))
    expect(filesIn(whole)).toHaveLength(350)
    for (let done = 0; done < kills; ) {
      const folder = join(await useFolder(), 'apps')
      const isWhole = (name: string): boolean =>
        readFileSync(join(folder, name)).equals(readFileSync(join(whole, name)))
      const afterKill = () => {
        if (existsSync(folder)) expect(filesIn(folder).filter(name => !isWhole(name))).toEqual([])
      }
      done += await runKilled(argsInto(folder), { mayKill: kills - done, spanMs, afterKill })
      expect(readdirSync(folder).sort()).toEqual(readdirSync(whole).sort())
      expect(filesIn(folder).filter(name => !isWhole(name))).toEqual([])
    }
  }, 240_000)

  test('the tables of a database are unchanged or complete in between', async () => {
    const contentsOf = async (name: string): Promise<unknown> => {
      const reading = postgres(databaseUrl(name), { max: 1 })
      try {
        const rows = await reading`
          select to_jsonb(a) as application, c.words as children, t.words as toys
          from killed.applications a
          left join lateral (select string_agg(to_jsonb(c)::text, ' ' order by entity_path) as words from killed.child c where c.application_id = a.application_id) c on true
          left join lateral (select string_agg(to_jsonb(t)::text, ' ' order by entity_path) as words from killed.child__toy t where t.application_id = a.application_id) t on true
          order by a.application_id`
        return rows.map(row => ({ ...row }))
      } finally {
        await reading.end()
      }
    }
    let copies = 0
    const aCopy = async (): Promise<string> => {
      const name = `pulled_${++copies}`
      await sql`create database ${sql(name)} template pulled_base`
      endWithFile(async () => void (await sql`drop database ${sql(name)} with (force)`))
      return name
    }
    const to = (name: string): string[] => argsOf('--to', databaseUrl(name), '--state', join(base, name))
    const [before, wholeName] = [await contentsOf('pulled_base'), await aCopy()]
    const spanMs = await spanOf(to(wholeName))
    const whole = await contentsOf(wholeName)
    expect(whole).toHaveLength(350)
    for (let done = 0; done < kills; ) {
      const name = await aCopy()
      const afterKill = async () => {
        const contents = await contentsOf(name)
        const known = (contents as unknown[]).length === 300 ? before : whole
        expect(Bun.deepEquals(contents, known)).toBe(true)
      }
      done += await runKilled(to(name), { mayKill: kills - done, spanMs, afterKill })
      expect(await contentsOf(name)).toEqual(whole)
    }
  }, 240_000)
})
