// scripts/civiform as an operator of a city runs it, before and after it follows; and the process that follows.

import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { freePort } from '../../scripts/processes/free-port.ts'
import { useCiviFormApi } from '../support/civiform/civiform-api.ts'
import { useCiviForm } from '../support/civiform/civiform-database.ts'
import { startFollowerProcess } from '../support/civiform/follower-process.ts'
import { SimulatedCiviForm } from '../support/civiform/simulated-civiform.ts'
import type { TestDatabase } from '../support/database.ts'
import { endWithFile, endWithTest, useDatabase, useService } from '../support/fixtures.ts'
import { until } from '../support/until.ts'
import { runScript } from './run-script.ts'

const salt = 'unit-test-pepper'
const civiform = new SimulatedCiviForm(await useCiviForm())
const api = useCiviFormApi(civiform)
const environment = {
  CIVIFORM_DATABASE_URL: civiform.database.readerUrl,
  CIVIFORM_BASE_URL: api.baseUrl,
  CIVIFORM_API_KEY: `${Buffer.alloc(16, 1).toString('base64')}:secret`,
  CIVIFORM_API_SECRET_SALT: salt,
}
const runOn =
  ({ url }: TestDatabase) =>
  (...args: string[]) =>
    runScript('civiform', url, args, '', environment)
const program = 'rent relief'
await civiform.publish({
  [program]: [
    { name: 'job', type: 'TEXT' },
    {
      name: 'housing',
      type: 'DROPDOWN',
      options: [
        [1, 'rent'],
        [2, 'own'],
      ],
    },
    { name: 'unit 1', type: 'NUMBER' },
    { name: 'unit 2', type: 'TEXT' },
  ],
})
for (let i = 0; i < 30; i++)
  await civiform.submit({
    applicant: await civiform.applicant(),
    program,
    answers: { job: { text: `job ${i}` }, housing: { selection: String(1 + (i % 2)) } },
    time: new Date(Date.now() - 600_000 + i * 1000).toISOString(),
  })
await civiform.app`
  insert into api_keys (name, key_id, salted_key_secret, subnet, expiration, grants)
  values ('city', ${Buffer.alloc(16, 1).toString('base64')}, ${createHmac('sha256', salt).update('secret').digest('base64')}, '0.0.0.0/0',
    '2200-01-01', '{"programGrants": {"rent-relief": ["READ"]}}')`

await civiform.app`update programs set uses_scoring = true`

/** A database of its own that has everything, the command on it, and what the process that followed said until it was ended as a platform ends it. */
async function aFollowing() {
  const database = await useDatabase({}, endWithTest)
  const follower = startFollowerProcess({ url: database.url, readerUrl: civiform.database.readerUrl }, environment)
  await until('everything is copied', async () => {
    const [row] = await database.sql<{ kept: number }[]>`select count(*) as kept from civiform_application`
    const [there] = await civiform.app<
      { submitted: number }[]
    >`select count(*) as submitted from applications where submit_time is not null`
    return row!.kept === there!.submitted
  })
  return { database, run: runOn(database), ...(await follower.stop()) }
}

describe('scripts/civiform', () => {
  test('check reports what cannot be mapped and the size of the first copy, and changes nothing', async () => {
    const database = await useDatabase({}, endWithTest)
    const { code, out } = await runOn(database)('check')
    expect(code).toBe(0)
    expect(out).toMatch(/^notice .*rent relief.*\[scores\]$/m)
    expect(out).toMatch(/^good .*\[read_only\]$/m)
    expect(out).toMatch(/^notice .*"unit 1".*"unit 2".*\bunit_.*\[key_collision\]$/m)
    expect(out).toMatch(/^good .*\b30 .*\[first_copy\]$/m)
    expect(await database.sql`select from civiform_source`).toHaveLength(0)
  })

  test.each(['contract', 'origin'] as const)(
    'a role created with the statements of CIVIFORM.md is sufficient for check and the follower, in the profile %s',
    async profile => {
      const text = await Bun.file(join(import.meta.dir, '../../src/civiform/CIVIFORM.md')).text()
      const [, statements] = /```sql\n([^`]+)```/.exec(text)!
      const role = `as_written_${profile}_${process.pid}`
      const { admin, readerUrl } = civiform.database
      const own = await useDatabase()
      await admin.unsafe(
        statements!
          .replace(/DATABASE postgres/, `DATABASE "${new URL(readerUrl).pathname.slice(1)}"`)
          .replace(/\btributary\b/g, role)
          .replace('…', 'reader'),
      )
      endWithFile(() => admin.unsafe(`drop owned by ${role}; drop role ${role}`).simple())
      const url = new URL(readerUrl)
      url.username = role
      const settings = { ...environment, CIVIFORM_DATABASE_URL: url.href, CIVIFORM_PROFILE: profile }
      const checked = await runScript('civiform', own.url, ['check'], '', settings)
      expect([checked.code, checked.out]).toEqual([0, expect.stringContaining('[read_only]')])
      expect(checked.out).toContain('[transactions_seen]')
      const follower = startFollowerProcess({ url: own.url, readerUrl: url.href }, settings)
      await until('everything is copied', async () => {
        const [row] = await own.sql<{ kept: number }[]>`select count(*) as kept from civiform_application`
        return row!.kept === 30
      })
      expect((await follower.stop()).code).toBe(0)
    },
  )

  test('check names what prevents following, such as columns without permission or clocks that are ahead', async () => {
    await civiform.app.unsafe(`revoke select on ti_organizations from ${civiform.database.reader}`)
    const database = await useDatabase({}, endWithTest)
    const refused = await runOn(database)('check')
    await civiform.app.unsafe(`grant select on ti_organizations to ${civiform.database.reader}`)
    expect(refused.code).toBe(1)
    expect(refused.out).toMatch(/^ERROR .*ti_organizations\.id, ti_organizations\.name.*\[not_granted\]$/m)
    const shifted = await runScript('civiform', database.url, ['check'], '', {
      ...environment,
      CIVIFORM_DATABASE_URL: `${civiform.database.readerUrl}?timezone=America/New_York`,
    })
    expect([shifted.code, shifted.out]).toEqual([
      1,
      expect.stringMatching(/^ERROR .*America\/New_York.*\?timezone=.*CIVIFORM_DATABASE_URL.*\[clock\]$/m),
    ])
  })

  test('the follower copies everything, and stops on request', async () => {
    const { lines, code, run } = await aFollowing()
    expect(code).toBe(0)
    expect(lines.map(line => line.msg)).toEqual(expect.arrayContaining(['following CiviForm', 'followed', 'stopped']))
    expect((await run('check')).code).toBe(0)
    const { out } = await run('status')
    expect(out).toMatch(/: +30$/m)
    expect(out).toMatch(/: +2000 ms$/m)
    expect(out).toMatch(/^key_collision: /m)
    expect(out).toMatch(/^scores: rent relief: /m)
  })

  test('compare fetches the same applications from both with one key, and reports where they differ', async () => {
    const { database, run } = await aFollowing()
    const service = await useService(database, { originApiSalt: salt }, {}, endWithTest)
    const compare = (...more: string[]) =>
      run('compare', '--program', 'rent-relief', '--sample', '20', '--at', service.baseUrl, ...more)
    const first = await compare()
    const numbers = (out: string): number[] => (out.split('\n')[0]!.match(/\d+/g) ?? []).map(Number)
    expect(first.code).toBe(0)
    expect(numbers(first.out)).toEqual([20, 20, 0, 0, 0])
    expect(first.out.split('\n').slice(1)).toEqual([expect.stringMatching(/: program_name\b.* 20$/), ''])
    const [row] = await database.sql<{ id: number }[]>`select max(application_id) as id from civiform_application`
    await civiform.rewrite(row!.id, { job: { text: 'another' } })
    const second = await compare('--values')
    expect([second.code, numbers(second.out)]).toEqual([1, [20, 19, 1, 0, 0]])
    expect(second.out).toMatch(
      new RegExp(`^application\\.job\\.text: 1 .*\\b${row!.id}\\n {2}CiviForm: "another"\\n {2}\\w+: +"job 29"$`, 'm'),
    )
    expect(api.requests()).toBeGreaterThan(0)
    await database.sql`delete from application where application_id = ${row!.id}`
    const missing = await compare()
    expect([missing.code, numbers(missing.out)]).toEqual([1, [20, 19, 0, 1, 0]])
    expect(missing.out).toMatch(new RegExp(`: ${row!.id}$`, 'm'))
    await civiform.app`update applications set lifecycle_stage = 'deleted' where id = ${row!.id - 2}`
    const deleted = await compare()
    await civiform.app`update applications set lifecycle_stage = 'active' where id = ${row!.id - 2}`
    expect([deleted.code, numbers(deleted.out).at(-1)]).toEqual([1, 1])
    expect(deleted.out).toMatch(new RegExp(`: ${row!.id - 2}$`, 'm'))
  })

  test('a follower is ready while it follows or waits for another, and has metrics on its health port', async () => {
    const [database, port, other] = [await useDatabase({}, endWithTest), await freePort(), await freePort()]
    const followers = [port, other].map(own =>
      startFollowerProcess(
        { url: database.url, readerUrl: civiform.database.readerUrl },
        { ...environment, HEALTH_PORT: String(own) },
      ),
    )
    for (const own of [port, other])
      await until('it is ready', () =>
        fetch(`http://127.0.0.1:${own}/readyz`).then(
          answer => answer.ok,
          () => false,
        ),
      )
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    expect(metrics).toContain('tributary_civiform_clock_allowance_seconds 2\n')
    for (const follower of followers) await follower.stop()
  })

  test('an operator sets the clock allowance for a day', async () => {
    const { run } = await aFollowing()
    expect(await run('allowance', '--set', '30s')).toMatchObject({ code: 0 })
    expect((await run('status')).out).toMatch(/: +30000 ms, .* 20\d\d-/)
    expect(await run('allowance', '--set', '1h')).toMatchObject({ code: 2 })
    expect(await run('allowance', '--set', '0s')).toMatchObject({ code: 0 })
  })

  test('an operator confirms that the database has moved, and accepts many deletions', async () => {
    const { database, run } = await aFollowing()
    await database.sql`update civiform_source set identity = 'elsewhere'`
    expect(await run('moved')).toMatchObject({ code: 0, out: expect.stringContaining('elsewhere') })
    const [moved] = await database.sql`
      select timeline, written, incarnation, application_ids, event_ids from civiform_source`
    expect(Object.values(moved!)).toEqual([null, null, null, null, null])
    expect(await run('accept-deletions')).toMatchObject({ code: 0 })
    expect(await database.sql`select from civiform_source where deletions_accepted_until > now()`).toHaveLength(1)
  })
})
