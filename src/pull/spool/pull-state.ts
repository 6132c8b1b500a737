// The state of a pull next to its output: its progress, and afterwards what the next pull needs. One SQLite file, for two properties:
// committed data survives any interruption, and the system releases its lock when the process ends, so two pulls never write one output
// and a dead one blocks no other.

import { Database } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'
import { packIds, unpackIds } from '../requests/id-digest.ts'
import { CommandError, fileFault } from '../requests/pull-outcome.ts'

export class PullState {
  private constructor(private readonly database: Database) {}

  /** Throws when another pull has it open. */
  static open(path: string): PullState {
    try {
      // Only the owner may read the files; SQLite itself would create them readable for all.
      closeSync(openSync(path, 'a', 0o600))
    } catch (error) {
      throw fileFault(error, `The state of the pull cannot be kept in ${path}`)
    }
    const database = new Database(path)
    try {
      for (const setting of ['busy_timeout = 0', 'locking_mode = exclusive', 'synchronous = extra'])
        database.run(`pragma ${setting}`)
      database.run('begin exclusive')
      database.run('create table if not exists fact (name text primary key, value text not null)')
      database.run('create table if not exists pulled (part integer primary key, ids blob not null)')
      database.run('commit')
    } catch (error) {
      database.close()
      const { code = '' } = error as { code?: string }
      if (code.startsWith('SQLITE_BUSY'))
        throw new CommandError('busy', `Another pull is at work on this output: it holds ${path}.`)
      if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT'))
        throw new CommandError('failed', `${path} is not the state of a pull. Move it away, or choose another output.`)
      throw fileFault(error, `The state of the pull cannot be kept in ${path}`)
    }
    return new PullState(database)
  }

  /** A fact as it was committed last. */
  read<T>(name: string): T | undefined {
    const row = this.database.query<{ value: string }, [string]>('select value from fact where name = ?').get(name)
    return row === null ? undefined : (JSON.parse(row.value) as T)
  }

  /**
   * All of it or nothing, and on the disk when this returns. A fact that is undefined is forgotten. `ids` are added to those that the
   * walk under way has pulled; `forgetIds` forgets all of them.
   */
  commit(
    facts: Readonly<Record<string, unknown>>,
    change: { ids?: readonly number[]; forgetIds?: boolean } = {},
  ): void {
    this.database.transaction(() => {
      for (const [name, value] of Object.entries(facts)) {
        if (value === undefined) this.database.query('delete from fact where name = ?').run(name)
        else
          this.database
            .query('insert into fact values (?1, ?2) on conflict (name) do update set value = ?2')
            .run(name, JSON.stringify(value))
      }
      if (change.forgetIds) this.database.run('delete from pulled')
      if (change.ids !== undefined && change.ids.length > 0)
        this.database.query('insert into pulled (ids) values (?)').run(packIds(change.ids))
    })()
  }

  /** The ids that the walk under way has pulled, in order, many at a time. */
  *pulledIds(): Generator<number[], void, undefined> {
    for (const { ids } of this.database
      .query<{ ids: Uint8Array }, []>('select ids from pulled order by part')
      .iterate())
      yield unpackIds(ids)
  }

  close(): void {
    this.database.close()
  }
}
