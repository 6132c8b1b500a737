// The audit log moves into files by age, and nothing of it is lost, doubled or taken out in any other way.

import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { writeAuditFile } from '../../src/audit/audit-file.ts'
import { pruneAuditLog } from '../../src/audit/prune-audit.ts'
import { verifyAuditLog } from '../../src/audit/verify-audit.ts'
import type { Sql } from '../../src/db/client.ts'
import type { Micros } from '../../src/domain/values/offset-time.ts'
import { append, tamper } from '../support/audit-log.ts'
import type { TestDatabase } from '../support/database.ts'
import { endWithTest, useDatabase, useFolder, usePool } from '../support/fixtures.ts'
import { failureOf } from '../support/refusal.ts'

class AuditLog {
  private constructor(
    readonly database: TestDatabase,
    readonly folder: string,
    private readonly writers: Sql,
  ) {}

  static async open(act: (auditLog: AuditLog) => Promise<void>, connectionsMax = 1): Promise<void> {
    const database = await useDatabase({ connectionsMax: 4 }, endWithTest)
    const writers = usePool({ url: database.url, connectionsMax }, endWithTest)
    await act(new AuditLog(database, await useFolder(endWithTest), writers))
  }

  written: string[] = []

  get sql(): Sql {
    return this.database.sql
  }

  /** Events, each by the next free connection: with one connection they are in one chain. */
  async write(count: number): Promise<void> {
    await Promise.all(
      Array.from({ length: count }, () => {
        const subject = `subject ${this.written.length}`
        this.written.push(subject)
        return append(this.writers, subject)
      }),
    )
  }

  async now(): Promise<Micros> {
    const [row] = await this.sql<{ now: Micros }[]>`select clock_timestamp() as now`
    return row!.now
  }

  /** Everything that was written up to now. */
  async prune(before?: Micros): Promise<string[]> {
    const order = { before: before ?? (await this.now()), folder: this.folder, actor: 'operator:kim' }
    const pruned = await pruneAuditLog(this.sql, order)
    return pruned === undefined ? [] : [join(this.folder, pruned.file)]
  }

  async remaining(): Promise<string[]> {
    const rows = await this.sql<{ subject: string }[]>`
      select subject from audit_event where action = 'tried' order by audit_event_id`
    return rows.map(row => row.subject)
  }

  errors = async (files: string[] = [], noted?: string) => (await verifyAuditLog(this.sql, noted, files)).errors

  tamper = (statement: string) => tamper(this.sql, statement)
}

const linesOf = async (file: string): Promise<string[]> => (await Bun.file(file).text()).trimEnd().split('\n')
const subjectsOf = async (file: string): Promise<string[]> =>
  (await linesOf(file)).flatMap(line => (JSON.parse(line) as { event?: string[] }).event?.[4] ?? [])

test('a file that is written in several batches has each line once', async () => {
  const file = join(await useFolder(endWithTest), 'written')
  const lines = Array.from({ length: 25 }, (_, i) => `line ${i}`)
  await writeAuditFile(file, Readable.from(lines), 40)
  expect(await linesOf(file)).toEqual(lines)
  // Users of the machine who may not read the database may not read this.
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('several chains are pruned while others write: every event is in the file or in the database, once, and verifies', () =>
  AuditLog.open(async auditLog => {
    await auditLog.write(400)
    const cut = await auditLog.now()
    let done = false
    const writing = (async () => {
      while (!done) await auditLog.write(20)
    })()
    const files = await auditLog.prune(cut).finally(() => {
      done = true
    })
    await writing
    expect(files).toHaveLength(1)
    const inFile = await subjectsOf(files[0]!)
    expect(inFile).toHaveLength(400)
    expect([...inFile, ...(await auditLog.remaining())].sort()).toEqual([...auditLog.written].sort())
    const [row] = await auditLog.sql`select count(*) as chains from audit_pruned`
    expect(row!.chains).toBeGreaterThan(1)
    const name = basename(files[0]!)
    const { errors, pruned, events } = await verifyAuditLog(auditLog.sql, undefined, files)
    expect(errors).toEqual([])
    expect(pruned).toEqual([{ file: name, checked: true }])
    expect(events).toBe(auditLog.written.length - 400 + 1)
    expect(await verifyAuditLog(auditLog.sql)).toMatchObject({ errors: [], pruned: [{ file: name, checked: false }] })
    const reported = await auditLog.sql`select actor, action, detail from audit_event where subject = ${name}`
    expect([...reported]).toMatchObject([{ actor: 'operator:kim', action: 'audit_pruned', detail: { events: 400 } }])
  }, 16))

test('a whole audit log of many batches is pruned, and continues after it', () =>
  AuditLog.open(async auditLog => {
    await auditLog.sql`
      insert into audit_event (actor, action, subject, detail)
      select 'key:x', 'tried', n, jsonb_build_object('text', repeat('🌊', 300)) from generate_series(1, 2500) n`
    const files = await auditLog.prune()
    expect(await subjectsOf(files[0]!)).toEqual(Array.from({ length: 2500 }, (_, n) => String(n + 1)))
    expect(await auditLog.remaining()).toEqual([])
    await auditLog.write(3)
    expect(await verifyAuditLog(auditLog.sql, undefined, files)).toMatchObject({ errors: [], events: 4 })
  }))

test('only what is old enough goes: of an event at the instant itself on, all stays', () =>
  AuditLog.open(async auditLog => {
    await auditLog.write(10)
    const [sixth] = await auditLog.sql<{ cut: Micros }[]>`
      select happened_at as cut from audit_event where subject = ${auditLog.written[5]!}`
    const files = await auditLog.prune(sixth!.cut)
    expect(await subjectsOf(files[0]!)).toEqual(auditLog.written.slice(0, 5))
    expect(await auditLog.remaining()).toEqual(auditLog.written.slice(5))
  }))

test('what is linked after something newer, since its transaction was long, stays with that', () =>
  AuditLog.open(async auditLog => {
    const pool = usePool({ url: auditLog.database.url, connectionsMax: 9 }, endWithTest)
    // Of nine connections two share one of eight chains.
    const byChain = new Map<number, Sql>()
    let pair: [Sql, Sql] | undefined
    for (const connection of await Promise.all(Array.from({ length: 9 }, () => pool.reserve()))) {
      const sql = connection as unknown as Sql
      const [row] = await sql`select pg_backend_pid() % 8 as chain`
      pair ??= byChain.has(row!.chain) ? [byChain.get(row!.chain)!, sql] : undefined
      byChain.set(row!.chain, sql)
    }
    const [long, short] = pair!
    await long`begin`
    await append(long, 'long')
    const cut = await auditLog.now()
    await append(short, 'short')
    await long`commit`
    expect(await auditLog.prune(cut)).toEqual([])
    const [file] = await auditLog.prune()
    expect(await subjectsOf(file!)).toEqual(['short', 'long'])
    expect(await auditLog.errors([file!])).toEqual([])
  }))

test('asked too early or twice it makes no file; asked later it continues in another file, and all verify in any order', () =>
  AuditLog.open(async auditLog => {
    const start = await auditLog.now()
    expect(await auditLog.prune()).toEqual([])
    await auditLog.write(10)
    expect(await auditLog.prune(start)).toEqual([])
    expect(await verifyAuditLog(auditLog.sql)).toMatchObject({ errors: [], events: 10, pruned: [] })
    const cut = await auditLog.now()
    const files = await auditLog.prune(cut)
    expect(await auditLog.prune(cut)).toEqual([])
    for (const _ of ['second', 'third']) {
      await auditLog.write(10)
      files.push(...(await auditLog.prune()))
    }
    const subjects = (await Promise.all(files.map(subjectsOf))).flat()
    expect(subjects.filter(one => one.startsWith('subject'))).toEqual(auditLog.written)
    expect(await auditLog.errors(files.toReversed())).toEqual([])
    for (const file of files) expect(await auditLog.errors([file])).toEqual([])
    expect((await readdir(auditLog.folder)).sort()).toEqual(files.map(file => basename(file)).sort())
  }))

test('two prunes at once: one waits for the other, and every event is in one file', () =>
  AuditLog.open(async auditLog => {
    await auditLog.write(30)
    const cut = await auditLog.now()
    const files = (await Promise.all([auditLog.prune(cut), auditLog.prune(cut)])).flat()
    expect(files).toHaveLength(1)
    expect(await subjectsOf(files[0]!)).toEqual(auditLog.written)
    expect(await auditLog.errors(files)).toEqual([])
  }))

test('a folder that is not there is named before anything is done', () =>
  AuditLog.open(async auditLog => {
    await auditLog.write(3)
    const order = { before: await auditLog.now(), folder: join(auditLog.folder, 'none'), actor: 'operator:kim' }
    await expect(pruneAuditLog(auditLog.sql, order)).rejects.toThrow('cannot be written (ENOENT)')
    expect(await auditLog.remaining()).toHaveLength(3)
  }))

test.each([
  ['changed', `update audit_event set actor = 'key:y' where audit_event_id = 7`],
  ['removed', 'delete from audit_event where audit_event_id = 7'],
  ['removed with its link', 'delete from audit_event where audit_event_id = 7; delete from audit_link where link = 7'],
])('an audit log in which an event was %s is not pruned, and leaves no file', (_, statement) =>
  AuditLog.open(async auditLog => {
    await auditLog.write(10)
    await auditLog.tamper(statement)
    const before = await auditLog.remaining()
    await expect(auditLog.prune()).rejects.toThrow('The audit log is not as it was written')
    expect(await auditLog.errors()).toEqual([expect.stringMatching(/link 7/)])
    expect(await readdir(auditLog.folder)).toEqual([])
    expect(await auditLog.remaining()).toEqual(before)
  }),
)

describe('a file that is not as it was written is named, with the place', () => {
  const rehash = ([start, ...lines]: string[]): string[] => {
    let hash = Buffer.from((JSON.parse(start!) as { hash: string }).hash, 'hex')
    const events = lines.map(line => {
      const content = line.slice(line.indexOf('"event":') + 8, -1)
      hash = createHash('sha256').update(hash).update(content).digest()
      return line.replace(/"hash":"\w+"/, `"hash":"${hash.toString('hex')}"`)
    })
    return [start!, ...events]
  }
  const changed = (lines: string[]) => lines.with(4, lines[4]!.replace('key:x', 'key:y'))
  test.each<[string, (lines: string[]) => string[], RegExp]>([
    ['an event changed', changed, /: line 5: chain \d, link 4 is not as it was written$/],
    [
      'an event changed, and all hashes made to fit',
      lines => rehash(changed(lines)),
      /links 1 to 10 are not what was pruned/,
    ],
    ['an event removed', lines => lines.toSpliced(4, 1), /: line 5 is not the next link of chain \d: that is missing$/],
    [
      'an event doubled',
      lines => lines.toSpliced(4, 0, lines[4]!),
      /: line 6 is not the next link of chain \d: that is missing$/,
    ],
    [
      'two exchanged',
      lines => lines.with(4, lines[5]!).with(5, lines[4]!),
      /: line 5 is not the next link of chain \d: that is/,
    ],
    ['an event added at the end', lines => [...lines, lines[10]!], /: line 12 is not the next link of chain \d/],
    ['the end cut off', lines => lines.slice(0, 8), /: chain \d: links 1 to 7 are not what was pruned/],
    ['a line cut off', lines => lines.with(10, lines[10]!.slice(0, 60)), /: line 11 is not one of an audit log$/],
    ['no events', lines => lines.slice(0, 1), /: chain \d: links 1 to 0 are not what was pruned/],
    ['nothing', () => [], /: line 1 is not one of an audit log$/],
    [
      'another start, whose hash fits',
      ([, first, ...rest]) => [first!.replace(/,"event".*/s, '}'), ...rest],
      /: chain \d: links 2 to 10 are not what was pruned/,
    ],
    ['no start', lines => lines.slice(1), /: line 1 is not the next link of chain \d/],
  ])('%s', (_, change, error) =>
    AuditLog.open(async auditLog => {
      await auditLog.write(10)
      const [file] = await auditLog.prune()
      // As an editor may leave it: without the last line feed.
      await Bun.write(file!, (await linesOf(file!)).join('\n'))
      expect(await auditLog.errors([file!])).toEqual([])
      await Bun.write(file!, `${change(await linesOf(file!)).join('\n')}\n`)
      expect(await auditLog.errors([file!])).toEqual([expect.stringMatching(error)])
      expect(await auditLog.errors()).toEqual([])
    }),
  )

  test('a file of another database', () =>
    AuditLog.open(auditLog =>
      AuditLog.open(async other => {
        for (const one of [auditLog, other]) await one.write(10)
        const [file] = await other.prune()
        const foreign = [expect.stringMatching(/: chain \d: links 1 to 10 are not what was pruned from this database/)]
        expect(await auditLog.errors([file!])).toEqual(foreign)
        await auditLog.prune()
        expect(await auditLog.errors([file!])).toEqual(foreign)
      }),
    ))

  test('one that cannot be read', () =>
    AuditLog.open(async auditLog => {
      await expect(auditLog.errors([join(auditLog.folder, 'none.ndjson')])).rejects.toMatchObject({
        errors: [{ parameter: '--with', detail: expect.stringContaining('none.ndjson cannot be read (ENOENT)') }],
      })
    }))
})

describe('a database that is not as it was left is named', () => {
  test.each<[string, string, RegExp]>([
    [
      'more removed than was pruned, with its links',
      'delete from audit_link where link = 11; delete from audit_event where audit_event_id = 11',
      /: link 11 is missing$/,
    ],
    ['what was pruned recorded as less', 'update audit_pruned set link = 5', /: link 6 is missing$/],
    [
      'what was pruned recorded with another hash',
      'update audit_pruned set hash = sha256(hash)',
      /: link 11: event \d+ is not as it was written$/,
    ],
    ['no record of what was pruned', 'delete from audit_pruned', /: link 1 is missing$/],
    [
      'an event slipped in where others were pruned',
      `insert into audit_event (actor, action, subject) values ('key:x', 'x', 'x');
       insert into audit_link select chain, 3, (select max(audit_event_id) from audit_event), hash from audit_pruned`,
      /: link 3 was there before: it was slipped in$/,
    ],
    [
      'more removed than was pruned, and recorded as pruned: by the file',
      `update audit_pruned p set link = 11, hash = l.hash from audit_link l where l.chain = p.chain and l.link = 11;
       delete from audit_link where link = 11; delete from audit_event where audit_event_id = 11`,
      /: chain \d: links 1 to 10 are not what was pruned/,
    ],
  ])('%s', (what, statement, error) =>
    AuditLog.open(async auditLog => {
      await auditLog.write(10)
      const cut = await auditLog.now()
      await auditLog.write(10)
      const pruned = await auditLog.prune(cut)
      const files = what.endsWith(': by the file') ? pruned : []
      expect(await auditLog.errors(files)).toEqual([])
      await auditLog.tamper(statement)
      expect(await auditLog.errors(files)).toEqual([expect.stringMatching(error)])
    }),
  )
})

test('what was noted before it was pruned is held against the file: pruning is no way to rewrite the audit log', () =>
  AuditLog.open(async auditLog => {
    const note = async () => (await verifyAuditLog(auditLog.sql)).note
    await auditLog.write(5)
    const within = await note()
    await auditLog.write(5)
    const atEnd = await note()
    const files = await auditLog.prune()
    expect(await auditLog.errors([], atEnd)).toEqual([])
    expect(await auditLog.errors([], within)).toEqual([
      expect.stringMatching(
        /: was noted at link 5, which was pruned into audit-.*\.ndjson since: give that file with --with$/,
      ),
    ])
    expect(await auditLog.errors(files, within)).toEqual([])
    const other = within.replace(/:5:./, found => (found.endsWith('A') ? ':5:B' : ':5:A'))
    expect(await auditLog.errors(files, other)).toEqual([
      expect.stringMatching(/: up to link 5, it is not what it was when it was noted$/),
    ])
    // What another chain has lost is in no file.
    const lost = within.replace(/\b([0-7]):0:/, '$1:3:')
    expect(await auditLog.errors(files, lost)).toEqual([
      expect.stringMatching(/: ends at link [01], and had 3 when it was noted: its end was cut off$/),
    ])
  }))

describe('"An audit log, append-only" (contract section 3): beyond what is in a file the database refuses to remove, to the owner too', () => {
  const refusal = async (statement: PromiseLike<unknown>) => (await failureOf(statement))?.message
  const kept = (table: string) => `${table} rows are never changed or removed`
  const wrongPlace = 'this is not the next part of the chain'

  test.each<[string, (sql: Sql) => PromiseLike<unknown>, string]>([
    ['an event', sql => sql`delete from audit_event where audit_event_id = 15`, kept('audit_event')],
    ['events', sql => sql`truncate audit_event`, kept('audit_event')],
    ['an event changed', sql => sql`update audit_event set actor = 'mallory'`, kept('audit_event')],
    ['a link', sql => sql`delete from audit_link where link = 15`, kept('audit_link')],
    ['links', sql => sql`truncate audit_link`, kept('audit_link')],
    ['a record of what was pruned', sql => sql`delete from audit_pruned`, kept('audit_pruned')],
    ['all of them', sql => sql`truncate audit_pruned`, kept('audit_pruned')],
    ['one of them changed', sql => sql`update audit_pruned set file = 'x'`, kept('audit_pruned')],
    [
      'up to another hash',
      sql => sql`insert into audit_pruned select chain, 15, sha256(hash), 'x' from audit_pruned`,
      wrongPlace,
    ],
    [
      'what was pruned before',
      sql => sql`insert into audit_pruned select chain, 5, hash, 'x' from audit_pruned`,
      wrongPlace,
    ],
  ])('%s', (_, statement, message) =>
    AuditLog.open(async auditLog => {
      await auditLog.write(10)
      const cut = await auditLog.now()
      await auditLog.write(10)
      await auditLog.prune(cut)
      expect(await refusal(statement(auditLog.sql))).toBe(message)
      expect(await auditLog.errors()).toEqual([])
    }),
  )

  test('a role that was given the right to remove is refused what the owner may', () =>
    AuditLog.open(async auditLog => {
      await auditLog.write(10)
      const role = `remover_${process.pid}`
      const undone = auditLog.sql.begin(async tx => {
        await tx.unsafe(`create role ${role}`)
        await tx.unsafe(`grant select, insert, update, delete on all tables in schema public to ${role}`)
        await tx.unsafe(`set local role ${role}`)
        const record = `insert into audit_pruned select chain, 10, hash, 'x' from audit_link where link = 10`
        for (const [statement, message] of [
          ['delete from audit_event', kept('audit_event')],
          ['delete from audit_link', kept('audit_link')],
          [record, wrongPlace],
        ] as const)
          expect(await refusal(tx.savepoint(point => point.unsafe(statement)))).toBe(message)
        await tx`reset role`
        await tx.unsafe(record)
        expect(await tx`select from audit_event`).toHaveLength(0)
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
    }))
})
