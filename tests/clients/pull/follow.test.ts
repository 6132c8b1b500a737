// `tributary pull --follow`: a database and a folder that have what the service has, change by change.

import { describe, expect, test } from 'bun:test'
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { annotate } from '../../../src/core/applications/annotate.ts'
import { eraseApplication } from '../../../src/core/applications/erase.ts'
import { inTransaction } from '../../../src/db/client.ts'
import { tamper } from '../../support/audit-log.ts'
import { unlimited } from '../../support/config.ts'
import { ExportClient, type ExportedApplication } from '../../support/export-client.ts'
import { useFaultyProxy } from '../../support/faulty-proxy.ts'
import { endWithTest, useBareDatabase, useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { publish, q } from '../../support/programs.ts'
import { portOf, startProxy } from '../../support/proxy.ts'
import { endOf } from '../../support/run.ts'
import { callTool, runTool, startTool } from '../../support/tributary-tool.ts'
import { until } from '../../support/until.ts'

const { sql: source, ...database } = await useDatabase()
const service = await useService({ ...database, sql: source }, unlimited)
const { sql: target, url } = await useBareDatabase()
const folder = await useFolder()
const asked = { optional: true }
let programs = 0

async function aProgramToFollow() {
  const slug = `mirrored-${String.fromCharCode(97 + programs++)}`
  const questions = [q.text('words', asked), q.enumerator('child', [q.checkbox('toys', ['car', 'doll'], asked)], asked)]
  const { program_id } = await publish(source, { slug, statuses: ['Received'], questions })
  const key = await createTestKey(source, { programs: [slug], maySubmit: true })
  const frontEnd = new FrontEnd(service, key, slug)
  const client = new ExportClient(service, key, slug)
  const answers = (n: number) => ({
    words: { text: `“${n}”` },
    child: {
      entities: Array.from({ length: n % 3 }, (_, i) => ({ entity_name: `${i}`, toys: { selections: ['car'] } })),
    },
  })
  return {
    slug,
    program_id,
    key,
    questions,
    apply: async (n: number, applicant?: number) =>
      (await frontEnd.apply(applicant ?? (await frontEnd.register()), answers(n))).application_id,
    register: () => frontEnd.register(),
    annotate: (application_id: number, note: string) =>
      annotate(source, {
        program_id,
        application_id,
        note,
        actor: 'admin:test',
        now: Date.now() * 1000,
        timeZone: service.config.timeZone,
      }),
    erase: (application_id: number) =>
      eraseApplication(source, { program_id, application_id }, { actor: 'operator:test', reason: undefined }),
    walked: () => client.walkAll(),
    /** Of the last change. */
    cursor: async () => {
      const path = `/api/v1/admin/programs/${slug}/changes?after=latest`
      const answer = await service.get(path, { headers: { Authorization: key.authorization } })
      return ((await answer.json()) as { nextCursor: string }).nextCursor
    },
  }
}
type Followed = Awaited<ReturnType<typeof aProgramToFollow>>

const argsOf = ({ slug }: Followed, ...more: string[]): string[] => [
  ...['pull', service.baseUrl, '--program', slug, '--follow', ...more],
]

/** What an output has, by id, in one shape for all kinds of output. */
interface Output {
  args: (followed: Followed) => string[]
  read: (followed: Followed) => Promise<unknown[]>
  expected: (applications: readonly ExportedApplication[]) => unknown[]
  /** Takes a backup, and returns what restores it. */
  backUp: (followed: Followed) => Promise<() => Promise<void>>
}

const byId = <T extends { application_id: number }>(all: readonly T[]): T[] =>
  all.toSorted((a, b) => a.application_id - b.application_id)

const outputs: Record<string, Output> = {
  'a folder': {
    args: ({ slug }) => ['--out', `${join(folder, slug)}/`],
    read: async ({ slug }) =>
      byId(
        readdirSync(join(folder, slug))
          .filter(name => /^\d+\.json$/.test(name))
          .map(name => JSON.parse(readFileSync(join(folder, slug, name), 'utf8'))),
      ),
    expected: byId,
    backUp: async ({ slug, cursor }) => {
      const [from, to] = [join(folder, slug), await useFolder()]
      const record = join(from, '.tributary.json')
      // Its last file is there before its record, and that before what was only on the way is gone.
      const atRest = async () => {
        const last = await cursor()
        const isOnTheWay = () => /part|next|journal/.test(readdirSync(from).join())
        await until('it to be at rest', () => readFileSync(record, 'utf8').includes(last) && !isOnTheWay())
      }
      await atRest()
      cpSync(from, to, { recursive: true })
      return async () => {
        await atRest()
        for (const name of readdirSync(from)) rmSync(join(from, name))
        cpSync(to, from, { recursive: true })
      }
    },
  },
  'a database': {
    args: ({ slug }) => ['--to', url, '--state', join(folder, `${slug}-state`)],
    read: async ({ slug }) => {
      const schema = target(slug.replaceAll('-', '_'))
      const rows = await target`
        select a.application_id, a.words__text, a.application_note, a.revision_state, a.child__entities,
          (select coalesce(array_agg(c.toys__selections order by c.entity_path), '{}')::text from ${schema}.child c
          where c.application_id = a.application_id) as toys
        from ${schema}.applications a order by a.application_id`
      return rows.map(row => ({ ...row, application_id: Number(row.application_id) }))
    },
    expected: all =>
      byId(all).map(({ application_id, application_note, revision_state, application }) => {
        const { entities } = application.child as { entities: { toys: { selections: string[] } }[] }
        const toys = entities.map(({ toys: { selections } }) => `{${selections.join()}}`).join()
        return {
          application_id,
          words__text: application.words!.text,
          application_note,
          revision_state,
          child__entities: entities.length,
          toys: `{${toys}}`,
        }
      }),
    backUp: async ({ slug }) => {
      const schema = slug.replaceAll('-', '_')
      const tables = ['applications', 'child', 'tributary_pull']
      for (const table of tables)
        await target`create table ${target(`held_${table}`)} as select * from ${target(schema)}.${target(table)}`
      return () =>
        inTransaction(target, async tx => {
          await tx`truncate ${tx(schema)}.applications, ${tx(schema)}.child, ${tx(schema)}.tributary_pull`
          for (const table of tables)
            await tx`insert into ${tx(schema)}.${tx(table)} select * from ${tx(`held_${table}`)}`
        })
    },
  },
}

async function isAsTheService(output: Output, followed: Followed): Promise<void> {
  await until('the output to be as the service', async () => {
    const there = await output.read(followed).catch(() => undefined)
    return Bun.deepEquals(there, output.expected(await followed.walked()))
  })
}

describe.each(Object.keys(outputs))('%s', name => {
  const output = outputs[name]!

  test('has all applications, each change as it happens, and after a restart everything that happened meanwhile', async () => {
    const followed = await aProgramToFollow()
    const ada = await followed.register()
    const first = await followed.apply(1, ada)
    const other = await followed.apply(2)
    const args = argsOf(followed, ...output.args(followed))
    const start = () => startTool(followed.key, args)
    let running = start()
    await isAsTheService(output, followed)
    const restore = await output.backUp(followed)
    await followed.apply(3, ada)
    await followed.annotate(first, 'superseded since')
    await isAsTheService(output, followed)
    await followed.erase(other)
    await isAsTheService(output, followed)
    // Restored from a backup, it catches up.
    await restore()
    await followed.annotate(first, 'restored since')
    await isAsTheService(output, followed)
    running.kill('SIGKILL')
    await endOf(running)
    await followed.apply(5)
    await followed.erase(first)
    // The same service and the same database at other addresses.
    running = startTool(
      followed.key,
      args.map(arg => arg.replace('127.0.0.1', 'localhost')),
    )
    await isAsTheService(output, followed)
    running.kill('SIGTERM')
    const { code, err } = await endOf(running)
    expect([code, err.includes('again')]).toEqual([3, false])
  })

  test('has new questions in every application after a publication', async () => {
    const followed = await aProgramToFollow()
    await followed.apply(1)
    const running = startTool(followed.key, argsOf(followed, ...output.args(followed)))
    await isAsTheService(output, followed)
    await publish(source, {
      slug: followed.slug,
      statuses: ['Received'],
      questions: [...followed.questions, q.text('later', asked)],
    })
    await followed.apply(2)
    await isAsTheService(output, followed)
    running.kill('SIGTERM')
    await endOf(running)
  })

  test.each(['followed', 'being pulled'])(
    'is pulled again completely if the service has lost an application that was %s',
    async what => {
      const followed = await aProgramToFollow()
      await followed.apply(1)
      const lost = await followed.apply(2)
      const args = argsOf(followed, ...output.args(followed))
      if (what === 'followed') {
        const running = startTool(followed.key, args)
        await isAsTheService(output, followed)
        running.kill('SIGKILL')
        await endOf(running)
      } else {
        const isLater = (_: number, path: string) => (path.includes('nextPageToken') ? { status: 400 } : 'none')
        args[1] = (await useFaultyProxy(service.port, isLater)).baseUrl
        expect(await runTool(followed.key, [...args, '--page-size', '1'])).toMatchObject({ code: 1 })
        args[1] = service.baseUrl
      }
      await tamper(
        source,
        `delete from application where application_id = ${lost};
       update submission_counter set submit_seq = 1, submissions = 1 where program_id = ${followed.program_id}`,
      )
      await followed.apply(3)
      const again = startTool(followed.key, args)
      await isAsTheService(output, followed)
      again.kill('SIGTERM')
      await endOf(again)
    },
  )
})

test('a failure of the database is reported once and retried until it ends, and --restart pulls everything once', async () => {
  const followed = await aProgramToFollow()
  await followed.apply(1)
  const schema = followed.slug.replaceAll('-', '_')
  await target.unsafe(`
    create schema ${schema};
    create sequence ${schema}.attempts;
    create table ${schema}.applications (application_id bigint primary key);
    create function ${schema}.refuse() returns trigger language plpgsql as $$ begin
      if nextval('${schema}.attempts') % 3 = 1 then raise exception using errcode = '57P01'; end if;
      if currval('${schema}.attempts') % 3 = 2 then raise exception using errcode = '53300'; end if;
      return new;
    end $$;
    create trigger refuse before insert on ${schema}.applications for each row execute function ${schema}.refuse()`)
  const output = outputs['a database']!
  const running = startTool(followed.key, argsOf(followed, ...output.args(followed), '--restart'))
  const rows = (n: number) => until(`${n} rows`, async () => (await output.read(followed).catch(() => [])).length === n)
  await rows(1)
  await followed.apply(2)
  await rows(2)
  running.kill('SIGTERM')
  const said = (await endOf(running)).err.split('\n').map(line => /Retrying|again\.$/.exec(line)?.[0])
  const outage = ['Retrying', 'again.']
  expect(said.filter(item => item !== undefined)).toEqual([...outage, ...outage])
  const asked = `/api/v1/admin/programs/${followed.slug}/applications`
  expect(service.logLines.filter(({ path }) => path === asked)).toHaveLength(1)
})

test('each outage of the database and its end are reported once, and the tool waits meanwhile', async () => {
  const followed = await aProgramToFollow()
  let isAway = false
  const proxy = await startProxy(portOf(url), ({ client }) => {
    if (isAway) client.destroy()
    return {}
  })
  const output = outputs['a database']!
  const place = ['--to', proxy.through(url), '--state', join(folder, 'away')]
  const running = startTool(followed.key, argsOf(followed, ...place))
  await isAsTheService(output, followed)
  for (const n of [1, 2]) {
    isAway = true
    const before = proxy.made()
    await followed.apply(n)
    await until('it to be tried again', () => proxy.made() > before + 1)
    isAway = false
    await isAsTheService(output, followed)
    await followed.apply(n)
    await isAsTheService(output, followed)
  }
  running.kill('SIGTERM')
  const { err } = await endOf(running)
  const said = err.match(/Retrying|again\.$/gm) ?? []
  const eachTime = ['Retrying', 'again.']
  expect([...said]).toEqual([...eachTime, ...eachTime])
  await proxy.stop()
})

test('a folder followed with chosen questions has only those, refuses other choices, and stops at an invalid application', async () => {
  const followed = await aProgramToFollow()
  const output = outputs['a folder']!
  const args = argsOf(followed, ...output.args(followed))
  const chosen = [...args, '--fields', 'words']
  await followed.apply(1)
  const running = startTool(followed.key, chosen)
  const record = join(folder, followed.slug, '.tributary.json')
  await until('it to be followed', () => existsSync(record) && /"followsFrom"/.test(readFileSync(record, 'utf8')))
  await followed.apply(2)
  await until('the next one', async () => (await output.read(followed)).length === 2)
  for (const value of await output.read(followed))
    expect(Object.keys((value as ExportedApplication).application)).toEqual(['words'])
  running.kill('SIGTERM')
  await endOf(running)
  expect(await runTool(followed.key, args)).toMatchObject({
    code: 2,
    err: expect.stringContaining('with --fields words'),
  })
  const odd = await followed.apply(3)
  await tamper(
    source,
    `update application set snapshot = replace(snapshot, '"language":"en-US"', '"language":7') where application_id = ${odd}`,
  )
  expect(await runTool(followed.key, chosen)).toMatchObject({ code: 4, err: expect.stringContaining('/language') })
})

test('another pull into a followed folder is refused without disturbing it', async () => {
  const followed = await aProgramToFollow()
  const output = outputs['a folder']!
  await followed.apply(1)
  const args = argsOf(followed, ...output.args(followed))
  const running = startTool(followed.key, args)
  await isAsTheService(output, followed)
  // What was submitted since everything was pulled comes as a change.
  await followed.apply(2)
  await isAsTheService(output, followed)
  for (const other of [args, args.filter(arg => arg !== '--follow')])
    expect(await callTool(followed.key, other)).toMatchObject({
      code: 5,
      err: expect.any(String),
    })
  await followed.apply(3)
  await isAsTheService(output, followed)
  running.kill('SIGTERM')
  expect((await endOf(running)).code).toBe(3)
})

test('verify detects faults in a folder, even while it is followed, and following restores a lost file', async () => {
  const followed = await aProgramToFollow()
  const output = outputs['a folder']!
  const args = argsOf(followed, ...output.args(followed))
  const into = args[args.indexOf('--out') + 1]!
  const verify = () => callTool(followed.key, ['verify', into])
  const ids = [await followed.apply(1), await followed.apply(2)]
  const file = (id: number) => join(into, `${id}.json`)
  const running = startTool(followed.key, args)
  await isAsTheService(output, followed)
  ids.push(await followed.apply(3))
  await followed.erase(ids[0]!)
  await isAsTheService(output, followed)
  expect(await verify()).toMatchObject({ code: 0, out: expect.stringContaining('2 applications') })
  running.kill('SIGTERM')
  expect((await endOf(running)).code).toBe(3)
  expect(await verify()).toMatchObject({ code: 0, out: expect.stringContaining('2 applications') })
  const right = readFileSync(file(ids[1]!))
  for (const wrong of [
    () => rmSync(file(ids[1]!)),
    () => renameSync(file(ids[1]!), file(9_999_999)),
    () => writeFileSync(file(9_999_999), right),
    () => writeFileSync(file(ids[1]!), readFileSync(file(ids[2]!))),
    () => writeFileSync(file(ids[1]!), right.subarray(1)),
  ]) {
    wrong()
    expect(await verify()).toMatchObject({ code: 4, out: '' })
    rmSync(file(9_999_999), { force: true })
    writeFileSync(file(ids[1]!), right)
    expect(await verify()).toMatchObject({ code: 0 })
  }
  rmSync(file(ids[1]!))
  const again = startTool(followed.key, args)
  await isAsTheService(output, followed)
  again.kill('SIGTERM')
  await endOf(again)
  expect(await verify()).toMatchObject({ code: 0 })
})

test('an interrupted pull into a folder continues under another name of the same folder', async () => {
  const followed = await aProgramToFollow()
  for (const n of [1, 2, 3]) await followed.apply(n)
  const isThird = (n: number, path: string) => (path.includes('nextPageToken') && n > 3 ? { status: 400 } : 'none')
  const proxy = await useFaultyProxy(service.port, isThird)
  const pull = (address: string, name: string) =>
    callTool(followed.key, [
      'pull',
      address,
      '--program',
      followed.slug,
      '--page-size',
      '1',
      '--checkpoint',
      '0',
      '--out',
      name,
    ])
  expect(await pull(proxy.baseUrl, `${join(folder, followed.slug)}/`)).toMatchObject({ code: 1 })
  const whole = await useFaultyProxy(service.port, () => 'none')
  expect(await pull(whole.baseUrl, `${folder}/./${followed.slug}/`)).toMatchObject({ code: 0 })
  const pages = whole.requests.filter(({ target }) => /\/applications\?/.test(target))
  expect(pages.map(({ target }) => target.includes('nextPageToken'))).not.toContain(false)
  expect(pages).not.toEqual([])
  await isAsTheService(outputs['a folder']!, followed)
})

test('moving a followed folder away ends following with an explanation', async () => {
  const followed = await aProgramToFollow()
  const output = outputs['a folder']!
  await followed.apply(1)
  const running = startTool(followed.key, argsOf(followed, ...output.args(followed)))
  await isAsTheService(output, followed)
  // What was submitted since everything was pulled comes as a change.
  await followed.apply(2)
  await isAsTheService(output, followed)
  renameSync(join(folder, followed.slug), join(folder, 'moved'))
  await followed.apply(3)
  const { code, err } = await endOf(running)
  expect(code).toBe(1)
  expect(err).toContain(join(folder, followed.slug))
})

describe('invalid options and outputs', () => {
  test.each([
    [['--out', 'apps.csv'], '--out apps/'],
    [['--out', 'apps/', '--from', '2026-01-01'], '--from'],
    [['--out', 'apps/', '--since-last'], '--since-last'],
    [['--to', 'postgres://me@db/w', '--json'], '--json'],
  ])('%p is refused with an explanation', async (args, said) => {
    const followed = await aProgramToFollow()
    const { code, err } = await runTool(followed.key, argsOf(followed, ...args))
    expect([code, err]).toEqual([2, expect.stringContaining(said)])
  })

  test('a folder with other files or of another program is refused and stays unchanged', async () => {
    const followed = await aProgramToFollow()
    const own = await useFolder(endWithTest)
    writeFileSync(join(own, '1.json'), '{}')
    const args = ['--out', `${own}/`]
    expect(await runTool(followed.key, argsOf(followed, ...args))).toMatchObject({
      code: 2,
      err: expect.stringContaining(own),
    })
    expect(readFileSync(join(own, '1.json'), 'utf8')).toBe('{}')
    for (const text of ['{}', 'null', '{"origin":']) {
      writeFileSync(join(own, '.tributary.json'), text)
      expect(await runTool(followed.key, argsOf(followed, ...args))).toMatchObject({
        code: 1,
        err: expect.stringMatching(new RegExp(`^${own}/\\.tributary\\.json [^\n]+\n$`)),
      })
    }
    const other = await aProgramToFollow()
    const taken = ['--out', `${join(own, 'taken')}/`]
    const pulled = ['pull', service.baseUrl, '--program', other.slug, ...taken]
    expect(await callTool(other.key, pulled)).toMatchObject({ code: 0 })
    expect(await callTool(followed.key, argsOf(followed, ...taken))).toMatchObject({
      code: 2,
      err: expect.stringContaining(` ${other.slug}`),
    })
  })
})
