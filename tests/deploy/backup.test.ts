// Backups as OPERATIONS.md has them made, and what a restore does to walks that were under way, to clients and to the audit log.

import { afterEach, describe, expect, test } from 'bun:test'
import { chmod, chown, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sealAuditLog } from '../../src/core/audit/seal-audit.ts'
import type { Sql } from '../../src/db/client.ts'
import { prepareDatabase } from '../../src/db/instance.ts'
import { runScript } from '../scripts/run-script.ts'
import { type ExportPage, walkIds } from '../support/export-client.ts'
import { useFolder, usePool } from '../support/fixtures.ts'
import { useInstalledPostgres } from '../support/installed-postgres.ts'
import { createTestKey, type TestKey } from '../support/keys.ts'
import { needs } from '../support/needs.ts'
import { endProcesses, startMain, type TestMain } from '../support/processes.ts'
import { insertRawApplications, insertRawProgram, type RawProgram } from '../support/raw-applications.ts'
import { until } from '../support/until.ts'

afterEach(endProcesses)

const slug = 'raw'
let key: TestKey

const ask = (main: TestMain, query: string): Promise<Response> =>
  fetch(`${main.url}/api/v1/admin/programs/${slug}/applications?${query}`, {
    headers: { Authorization: key.authorization },
  })

const page = async (main: TestMain, query: string): Promise<ExportPage> =>
  (await ask(main, query)).json() as Promise<ExportPage>

/** What is left of a walk after this token. */
const rest = (main: TestMain, token: string | null): Promise<number[]> =>
  walkIds(query => ask(main, query), `nextPageToken=${token}`)

const sealOf = (said: string): string => said.trim().split('\n').at(-1)!

describe.skipIf(!needs('postgresql15'))('backups', () => {
  /** An installation with a key, a program and 20 applications. */
  async function install(url: string): Promise<{ sql: Sql; program: RawProgram; ids: number[] }> {
    const sql = usePool({ url, connectionsMax: 4, applicationName: 'test' })
    await prepareDatabase(sql, 'UTC')
    const program = await insertRawProgram(sql, slug)
    const ids = await insertRawApplications(sql, program, 20)
    key = await createTestKey(sql, { programs: [slug] })
    return { sql, program, ids }
  }

  test('G13: after pg_dump and pg_restore, a walk from before the dump continues, a later one gets 503 and then 400, and the audit log verifies', async () => {
    const server = await useInstalledPostgres()
    const folder = await useFolder()
    await server.run('psql', server.url, '-qc', 'create database tributary')
    const { sql, program, ids } = await install(server.addressOf('tributary'))
    const main = await startMain({ url: server.addressOf('tributary') })
    const before = await page(main, 'pageSize=15')
    await until(
      'the line on the page',
      async () => (await sql`select from audit_event where action = 'applications_exported'`).length > 0,
    )

    await sealAuditLog(sql)
    const dump = join(folder, 'tributary.dump')
    await server.run('pg_dump', '--format=custom', `--file=${dump}`, server.addressOf('tributary'))
    const verified = await runScript('audit-log', server.addressOf('tributary'), ['verify'])
    expect(verified.code).toBe(0)
    const lost = await insertRawApplications(sql, program, 5)
    const after = await page(main, 'pageSize=15')
    main.child.kill('SIGTERM')
    await main.child.exited
    await sealAuditLog(sql)
    const later = sealOf((await runScript('audit-log', server.addressOf('tributary'), ['verify'])).out)

    await server.run('psql', server.url, '-qc', 'create database restored')
    await server.run('pg_restore', '--exit-on-error', `--dbname=${server.addressOf('restored')}`, dump)
    const restored = await startMain({ url: server.addressOf('restored') })
    expect(await rest(restored, before.nextPageToken)).toEqual(ids.slice(15))
    // The database is behind the walk, which could also be a standby that will catch up.
    const behind = await ask(restored, `nextPageToken=${after.nextPageToken}`)
    expect([behind.status, behind.headers.has('Retry-After')]).toEqual([503, true])
    // As many are submitted again, and it is plain that they are others.
    const again = usePool({ url: server.addressOf('restored'), connectionsMax: 2, applicationName: 'test' })
    const now = Date.now() * 1000
    await insertRawApplications(again, program, lost.length, undefined, i => now + i)
    const refused = await ask(restored, `nextPageToken=${after.nextPageToken}`)
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('walk_of_another_history')
    // A walk that is begun again has everything there is.
    const whole = await page(restored, 'pageSize=1000')
    expect(whole.payload).toHaveLength(ids.length + lost.length)

    const url = server.addressOf('restored')
    expect(await runScript('audit-log', url, ['verify', '--seal', sealOf(verified.out)])).toMatchObject({ code: 0 })
    // A seal from after the dump shows that the end of the audit log is not there.
    expect((await runScript('audit-log', url, ['verify', '--seal', later])).code).toBe(1)
  })

  test('G8: after a restore from a base backup and the write-ahead log, no commit is lost, and every walk continues', async () => {
    const archive = await useFolder()
    await chmod(archive, 0o777)
    const server = await useInstalledPostgres({
      archive_mode: 'on',
      archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
      synchronous_commit: 'on',
    })
    const { sql, program, ids } = await install(server.url)
    const base = join(await useFolder(), 'base')
    await mkdir(base)
    await server.run('pg_basebackup', `--dbname=${server.url}`, `--pgdata=${base}`, '--checkpoint=fast')
    const later = await insertRawApplications(sql, program, 5)
    const main = await startMain(server)
    const begun = await page(main, 'pageSize=15')
    main.child.kill('SIGTERM')
    await main.child.exited
    await sql.end({ timeout: 1 })
    // As when the machine is lost: what is left is the backup and the archive.
    const [wal] = (await server.run('psql', server.url, '-Atc', 'select pg_walfile_name(pg_switch_wal())')).split('\n')
    await until('the archive to have it', async () => await Bun.file(join(archive, wal!)).exists())
    await server.stop()

    const { uid, gid } = await stat(server.dataDirectory)
    for (const name of ['', ...new Bun.Glob('**').scanSync({ cwd: base, dot: true, onlyFiles: false })])
      await chown(join(base, name), uid, gid)
    await chmod(base, 0o700)
    await Bun.write(join(base, 'recovery.signal'), '')
    const restored = await useInstalledPostgres({ restore_command: `cp ${archive}/%f %p` }, base)
    const restoredSql = usePool({ url: restored.url, connectionsMax: 1, applicationName: 'test' })
    await until('recovery to end', async () => !(await restoredSql`select pg_is_in_recovery() as still`)[0]!.still)
    const again = await startMain(restored)
    expect([...begun.payload.map(a => a.application_id), ...(await rest(again, begun.nextPageToken))]).toEqual([
      ...ids,
      ...later,
    ])
    expect(await runScript('audit-log', restored.url, ['verify'])).toMatchObject({ code: 0 })
  })
})
