// The audit log moves into files by age, and nothing of it is lost, doubled or taken out in any other way.

import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { writeAuditFile } from '../../../src/core/audit/audit-file.ts'
import { pruneAuditLog } from '../../../src/core/audit/prune-audit.ts'
import { sealAuditLog } from '../../../src/core/audit/seal-audit.ts'
import { verifyAuditLog } from '../../../src/core/audit/verify-audit.ts'
import type { Sql } from '../../../src/db/client.ts'
import type { Micros } from '../../../src/domain/values/offset-time.ts'
import { append, tamper } from '../../support/audit-log.ts'
import type { TestDatabase } from '../../support/database.ts'
import { endWithTest, useDatabase, useFolder, usePool } from '../../support/fixtures.ts'
import { failureOf } from '../../support/refusal.ts'

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

  /** Events, sealed in segments of five by default. */
  async write(count: number, segment = 5): Promise<void> {
    await Promise.all(
      Array.from({ length: count }, () => {
        const subject = `subject ${this.written.length}`
        this.written.push(subject)
        return append(this.writers, subject)
      }),
    )
    await sealAuditLog(this.sql, { waitMs: 30_000, batchEvents: segment })
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

  errors = async (files: string[] = [], kept?: string) => (await verifyAuditLog(this.sql, kept, files)).errors

  tamper = (statement: string) => tamper(this.sql, statement)
}

const linesOf = async (file: string): Promise<string[]> => (await Bun.file(file).text()).trimEnd().split('\n')
const subjectsOf = async (file: string): Promise<string[]> =>
  (await linesOf(file)).flatMap(line => (JSON.parse(line) as { event?: string[] }).event?.[4] ?? [])

test('a file written in several batches contains each line once', async () => {
  const file = join(await useFolder(endWithTest), 'written')
  const lines = Array.from({ length: 25 }, (_, i) => `line ${i}`)
  await writeAuditFile(file, Readable.from(lines), 40)
  expect(await linesOf(file)).toEqual(lines)
  // Users of the machine who may not read the database may not read this.
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('while the log is pruned, written and sealed, every event is once in the file or the database, and verifies', () =>
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
    const name = basename(files[0]!)
    const { errors, pruned, events } = await verifyAuditLog(auditLog.sql, undefined, files)
    expect({ errors, pruned }).toEqual({ errors: [], pruned: [{ file: name, checked: true }] })
    expect(events).toBe(auditLog.written.length - 400 + 1)
    expect(await verifyAuditLog(auditLog.sql)).toMatchObject({ errors: [], pruned: [{ file: name, checked: false }] })
    const reported = await auditLog.sql`select actor, action, detail from audit_event where subject = ${name}`
    expect([...reported]).toMatchObject([{ actor: 'operator:kim', action: 'audit_pruned', detail: { events: 400 } }])
  }, 16))

test('an audit log of many batches is pruned completely, and continues afterwards', () =>
  AuditLog.open(async auditLog => {
    await auditLog.sql`
      insert into audit_event (actor, action, subject, detail)
      select 'key:x', 'tried', n, jsonb_build_object('text', repeat('🌊', 300)) from generate_series(1, 2500) n`
    await sealAuditLog(auditLog.sql, { batchEvents: 1200 })
    const files = await auditLog.prune()
    expect(await subjectsOf(files[0]!)).toEqual(Array.from({ length: 2500 }, (_, n) => String(n + 1)))
    expect(await auditLog.remaining()).toEqual([])
    await auditLog.write(3)
    expect(await verifyAuditLog(auditLog.sql, undefined, files)).toMatchObject({ errors: [], events: 4 })
  }))

test('only whole sealed segments are pruned, and those with an event at or after the given instant stay', () =>
  AuditLog.open(async auditLog => {
    await auditLog.write(15)
    await append(auditLog.sql, 'unsealed')
    const timeOf = async (subject: string): Promise<Micros> => {
      const [row] = await auditLog.sql<
        { at: Micros }[]
      >`select happened_at as at from audit_event where subject = ${subject}`
      return row!.at
    }
    const tenth = await timeOf(auditLog.written[9]!)
    const [file] = await auditLog.prune(tenth)
    expect(await subjectsOf(file!)).toEqual(auditLog.written.slice(0, 5))
    const [next] = await auditLog.prune(tenth + 1)
    expect(await subjectsOf(next!)).toEqual(auditLog.written.slice(5, 10))
    await auditLog.prune()
    expect(await auditLog.remaining()).toEqual(['unsealed'])
  }))

test('pruning too early or twice writes no file, pruning later continues in another file, and all files verify in any order', () =>
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
    expect(subjects.filter(subject => subject.startsWith('subject'))).toEqual(auditLog.written)
    expect(await auditLog.errors(files.toReversed())).toEqual([])
    for (const file of files) expect(await auditLog.errors([file])).toEqual([])
    expect((await readdir(auditLog.folder)).sort()).toEqual(files.map(file => basename(file)).sort())
  }))

test('of two concurrent prunes one waits for the other, and every event is in one file', () =>
  AuditLog.open(async auditLog => {
    await auditLog.write(30)
    const cut = await auditLog.now()
    const files = (await Promise.all([auditLog.prune(cut), auditLog.prune(cut)])).flat()
    expect(files).toHaveLength(1)
    expect(await subjectsOf(files[0]!)).toEqual(auditLog.written)
    expect(await auditLog.errors(files)).toEqual([])
  }))

test('a missing folder is reported before anything is done', () =>
  AuditLog.open(async auditLog => {
    await auditLog.write(3)
    const order = { before: await auditLog.now(), folder: join(auditLog.folder, 'none'), actor: 'operator:kim' }
    await expect(pruneAuditLog(auditLog.sql, order)).rejects.toMatchObject({ internal: 'ENOENT' })
    expect(await auditLog.remaining()).toHaveLength(3)
  }))

test.each([
  ['changed', `update audit_event set actor = 'key:y' where audit_event_id = 7`],
  ['removed', 'delete from audit_event where audit_event_id = 7'],
  ['removed with the rest of its segment', 'delete from audit_event where audit_event_id between 6 and 10'],
])('an audit log in which an event was %s is not pruned, and no file is left', (_, statement) =>
  AuditLog.open(async auditLog => {
    await auditLog.write(10)
    await auditLog.tamper(statement)
    const before = await auditLog.remaining()
    await expect(auditLog.prune()).rejects.toMatchObject({ internal: 'altered' })
    expect(await auditLog.errors()).toMatchObject([{ file: null, segment: 2, code: 'altered' }])
    expect(await readdir(auditLog.folder)).toEqual([])
    expect(await auditLog.remaining()).toEqual(before)
  }),
)

describe('a modified file is reported with the place', () => {
  const altered = (segment: number) => ({ segment, code: 'altered' })
  const foreign = (segment: number) => ({ segment, code: 'foreign' })
  const notALine = (line: number) => ({
    segment: null,
    code: 'malformed',
    detail: expect.stringMatching(new RegExp(`\\b${line}\\b`)),
  })
  /** All hashes made to fit. */
  const rehash = (lines: string[]): string[] => {
    const text = lines.map(line => line.replace(/^\{"event":(.*)\}$/s, '$1'))
    let previous = '0'.repeat(64)
    return lines.map((line, at) => {
      if (!line.startsWith('{"segment"')) return line
      const end = lines.findIndex((line, i) => i > at && line.startsWith('{"segment"'))
      const hash = createHash('sha256').update(Buffer.from(previous, 'hex'))
      for (const event of text.slice(at + 1, end < 0 ? undefined : end)) hash.update(`${event}\n`)
      const made = hash.digest('hex')
      const opening = line.replace(/"previous":"\w+","hash":"\w+"/, `"previous":"${previous}","hash":"${made}"`)
      previous = made
      return opening
    })
  }
  const changed = (lines: string[]) => lines.with(4, lines[4]!.replace('key:x', 'key:y'))
  // Two segments of five: lines 0 and 6 open them.
  test.each<[string, (lines: string[]) => string[], object]>([
    ['an event changed', changed, altered(1)],
    ['an event changed, and all hashes made to fit', lines => rehash(changed(lines)), foreign(1)],
    ['an event removed', lines => lines.toSpliced(4, 1), altered(1)],
    ['an event doubled', lines => lines.toSpliced(4, 0, lines[4]!), altered(1)],
    ['two exchanged', lines => lines.with(4, lines[5]!).with(5, lines[4]!), altered(1)],
    ['an event added at the end', lines => [...lines, lines[11]!], altered(2)],
    ['the end cut off', lines => lines.slice(0, 10), altered(2)],
    ['a line cut off', lines => lines.with(11, lines[11]!.slice(0, 60)), notALine(12)],
    ['a segment without its opening', lines => lines.toSpliced(6, 1), altered(1)],
    ['no opening', lines => lines.slice(1), notALine(1)],
    ['another opening', lines => lines.with(6, lines[0]!), altered(1)],
  ])('%s', (_, change, error) =>
    AuditLog.open(async auditLog => {
      await auditLog.write(10)
      const [file] = await auditLog.prune()
      // As an editor may leave it: without the last line feed.
      await Bun.write(file!, (await linesOf(file!)).join('\n'))
      expect(await auditLog.errors([file!])).toEqual([])
      await Bun.write(file!, `${change(await linesOf(file!)).join('\n')}\n`)
      expect(await auditLog.errors([file!])).toMatchObject([{ file: basename(file!), ...error }])
      expect(await auditLog.errors()).toEqual([])
    }),
  )

  test.each([
    ['its last segment', (lines: string[]) => lines.slice(0, 6)],
    ['its first segment', (lines: string[]) => lines.slice(6)],
    ['everything', () => []],
  ])('a file without %s is not checked', (_, change) =>
    AuditLog.open(async auditLog => {
      await auditLog.write(10)
      const [file] = await auditLog.prune()
      await Bun.write(file!, `${change(await linesOf(file!)).join('\n')}\n`.replace(/^\n$/, ''))
      expect(await verifyAuditLog(auditLog.sql, undefined, [file!])).toMatchObject({
        errors: [],
        pruned: [{ file: basename(file!), checked: false }],
      })
    }),
  )

  test('a file of another database is refused', () =>
    AuditLog.open(auditLog =>
      AuditLog.open(async other => {
        for (const item of [auditLog, other]) await item.write(10)
        const [file] = await other.prune()
        const named = [{ file: basename(file!), ...foreign(1) }]
        expect(await auditLog.errors([file!])).toMatchObject(named)
        await auditLog.prune()
        expect(await auditLog.errors([file!])).toMatchObject(named)
      }),
    ))

  test('an unreadable file is refused', () =>
    AuditLog.open(async auditLog => {
      await expect(auditLog.errors([join(auditLog.folder, 'none.ndjson')])).rejects.toMatchObject({
        errors: [{ parameter: '--with', code: 'unreadable', detail: expect.stringMatching(/none\.ndjson.*ENOENT/) }],
      })
    }))
})

describe('a modified database is reported', () => {
  test.each<[string, string, object]>([
    [
      'more removed than was pruned',
      'delete from audit_event where audit_event_id = 11',
      { segment: 3, code: 'altered' },
    ],
    [
      'a pruned seal changed',
      'update audit_seal set hash = sha256(hash) where segment = 2',
      { segment: 3, code: 'altered' },
    ],
    [
      'what was pruned recorded as less',
      'update audit_seal set file = null where segment = 2',
      { segment: 2, code: 'altered', detail: expect.stringMatching(/\b0\b.*\b5\b/) },
    ],
    [
      'an event inserted where others were pruned',
      `insert into audit_event (audit_event_id, actor, action, subject) values (7, 'key:x', 'x', 'x')`,
      { segment: null, code: 'inserted', detail: expect.stringMatching(/\b7\b/) },
    ],
  ])('%s', (_, statement, error) =>
    AuditLog.open(async auditLog => {
      await auditLog.write(10)
      const cut = await auditLog.now()
      await auditLog.write(10)
      await auditLog.prune(cut)
      expect(await auditLog.errors()).toEqual([])
      await auditLog.tamper(statement)
      expect(await auditLog.errors()).toMatchObject([{ file: null, ...error }])
    }),
  )

  test('if more was removed than pruned and recorded as pruned, the file is not checked', () =>
    AuditLog.open(async auditLog => {
      await auditLog.write(10)
      const cut = await auditLog.now()
      await auditLog.write(10)
      const [file] = await auditLog.prune(cut)
      await auditLog.tamper(
        `delete from audit_event where audit_event_id between 11 and 15;
         update audit_seal set file = '${basename(file!)}' where segment = 3`,
      )
      expect((await verifyAuditLog(auditLog.sql, undefined, [file!])).pruned).toEqual([
        { file: basename(file!), checked: false },
      ])
    }))
})

test('a seal kept elsewhere still verifies after its segment was pruned, so pruning cannot hide a rewritten log', () =>
  AuditLog.open(async auditLog => {
    await auditLog.write(5)
    const kept = (await verifyAuditLog(auditLog.sql)).seal!
    await auditLog.write(5)
    await auditLog.prune()
    expect(await auditLog.errors([], kept)).toEqual([])
    const other = kept.replace(/:./, found => (found === ':A' ? ':B' : ':A'))
    expect(await auditLog.errors([], other)).toMatchObject([{ segment: 1, code: 'other_seal' }])
  }))

describe('"An audit log, append-only" (contract section 3): the database refuses to remove what is in no file, even for the owner', () => {
  const refusal = async (statement: PromiseLike<unknown>) => (await failureOf(statement))?.message
  const kept = (table: string) => `${table} rows are never changed or removed`
  const onlyPruned = 'audit_seal rows are added in order, and only pruned'

  test.each<[string, (sql: Sql) => PromiseLike<unknown>, string]>([
    ['an event', sql => sql`delete from audit_event where audit_event_id = 15`, kept('audit_event')],
    ['events', sql => sql`truncate audit_event`, kept('audit_event')],
    ['an event changed', sql => sql`update audit_event set actor = 'mallory'`, kept('audit_event')],
    ['a seal', sql => sql`delete from audit_seal where segment = 4`, kept('audit_seal')],
    ['all of them', sql => sql`truncate audit_seal`, kept('audit_seal')],
    ['the file of a seal changed', sql => sql`update audit_seal set file = 'x' where segment = 1`, onlyPruned],
    ['another hash', sql => sql`update audit_seal set file = 'x', hash = sha256(hash) where segment = 3`, onlyPruned],
    [
      'a segment before an older one',
      sql => sql`update audit_seal set file = 'x' where segment = 4`,
      'segments are pruned from the oldest on',
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

  test('a role with the right to delete is refused what the owner may remove', () =>
    AuditLog.open(async auditLog => {
      await auditLog.write(10)
      const role = `remover_${process.pid}`
      const undone = auditLog.sql.begin(async tx => {
        await tx.unsafe(`create role ${role}`)
        await tx.unsafe(`grant select, insert, update, delete on all tables in schema public to ${role}`)
        await tx.unsafe(`set local role ${role}`)
        const record = `update audit_seal set file = 'x'`
        for (const [statement, message] of [
          ['delete from audit_event', kept('audit_event')],
          [record, onlyPruned],
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
