// The state of a pull next to its output: its progress, and afterwards what the next pull needs. One SQLite file, for two properties:
// committed data survives any interruption, and the system releases its lock when the process ends, so two pulls never write the same
// output, and a dead pull never blocks another.

import { closeSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { packIds, unpackIds } from '../requests/id-digest.ts'
import { CommandError, fileError } from '../requests/pull-outcome.ts'
import { removeFile } from './place-files.ts'

/** SQLite's own result codes. */
const busy = 5
const unreadable = [11, 26]

export class PullState {
  /** Whether nothing was stored in it before. */
  readonly isNew: boolean

  private constructor(
    private readonly database: DatabaseSync,
    private readonly path: string,
  ) {
    this.isNew = database.prepare('select 1 from fact limit 1').get() === undefined
  }

  /** Throws if another pull has it open. */
  static open(path: string): PullState {
    for (;;) {
      const state = PullState.tryOpen(path)
      if (state !== undefined) return state
    }
  }

  /** Undefined if another pull removed the file before it was locked: its lock then excludes no process. */
  private static tryOpen(path: string): PullState | undefined {
    try {
      // Only the owner may read the files; SQLite itself would create them readable for all.
      closeSync(openSync(path, 'a', 0o600))
    } catch (error) {
      throw notKept(error, path)
    }
    const inode = inodeOf(path)
    const database = new DatabaseSync(path)
    try {
      for (const setting of ['busy_timeout = 0', 'locking_mode = exclusive', 'synchronous = extra'])
        database.exec(`pragma ${setting}`)
      database.exec('begin exclusive')
      if (inodeOf(path) !== inode) {
        database.close()
        return undefined
      }
      database.exec('create table if not exists fact (name text primary key, value text not null)')
      database.exec('create table if not exists pulled (part integer primary key, ids blob not null)')
      // The IDs in the output, unless the output itself shows whether it has one.
      database.exec('create table if not exists held (part integer primary key, ids blob not null)')
      database.exec('commit')
    } catch (error) {
      database.close()
      const { errcode = 0 } = error as { errcode?: number }
      // The lower byte is the kind of error.
      const code = errcode & 0xff
      if (code === busy) throw new CommandError('busy', `Another pull is writing this output: it has locked ${path}.`)
      if (unreadable.includes(code))
        throw new CommandError('failed', `${path} is not the state of a pull. Move it, or choose another output.`)
      throw notKept(error, path)
    }
    return new PullState(database, path)
  }

  /** A fact as last committed. */
  read<T>(name: string): T | undefined {
    const row = this.database.prepare('select value from fact where name = ?').get(name)
    return row === undefined ? undefined : (JSON.parse(row.value as string) as T)
  }

  /**
   * All or nothing, and on the disk when this returns. A fact that is undefined is removed. `ids` are added to those pulled by the current walk;
   * `forgetIds` removes all of them. `placed`: these are now in the output, replacing others or added.
   */
  commit(
    facts: Readonly<Record<string, unknown>>,
    change: { ids?: readonly number[]; forgetIds?: boolean; placed?: 'all' | 'more' | undefined } = {},
  ): void {
    // An error ends the pull, and closing rolls back.
    try {
      this.database.exec('begin')
      for (const [name, value] of Object.entries(facts)) {
        if (value === undefined) this.database.prepare('delete from fact where name = ?').run(name)
        else this.database.prepare('insert or replace into fact values (?, ?)').run(name, JSON.stringify(value))
      }
      if (change.placed === 'all') this.database.exec('delete from held')
      if (change.placed !== undefined) this.database.exec('insert into held (ids) select ids from pulled order by part')
      if (change.forgetIds) this.database.exec('delete from pulled')
      if (change.ids !== undefined && change.ids.length > 0)
        this.database.prepare('insert into pulled (ids) values (?)').run(packIds(change.ids))
      this.database.exec('commit')
    } catch (error) {
      throw notKept(error, this.path)
    }
  }

  /** The IDs pulled by the current walk, in order, in batches. */
  pulledIds(): Generator<number[], void, undefined> {
    return this.idsIn('pulled')
  }

  /** IDs of the applications in the output; none if it is not a file or was written by an older release. */
  heldIds(): Generator<number[], void, undefined> {
    return this.idsIn('held')
  }

  private *idsIn(table: 'pulled' | 'held'): Generator<number[], void, undefined> {
    const parts = this.database.prepare(`select ids from ${table} order by part`).iterate()
    for (const { ids } of parts) yield unpackIds(ids as Uint8Array)
  }

  close(): void {
    this.database.close()
  }

  /** Closes it and deletes the file, while it is locked, so that no other pull can have begun in it. */
  remove(): void {
    const files = [`${this.path}-journal`, this.path]
    if (this.database.isTransaction) this.database.exec('rollback')
    // From now on it doesn't touch a journal: the next one of that name may be another pull's.
    this.database.exec('pragma journal_mode = memory')
    // Windows doesn't remove open files, not even those that another pull has open.
    if (process.platform === 'win32') this.close()
    for (const file of files) removeFile(file)
    if (process.platform !== 'win32') this.close()
  }
}

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino

/** Explains why SQLite or the file system could not write. */
const notKept = (error: unknown, path: string): CommandError =>
  fileError(error, `Cannot write the state of the pull to ${path}`)
