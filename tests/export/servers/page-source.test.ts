// Which server each cursor of a page is opened on, after what became of the cursors before it.

import { expect, spyOn, test } from 'bun:test'
import { openDatabase } from '../../../src/db/client.ts'
import { strangenessOfStandby, type WalPosition } from '../../../src/db/walks/wal-position.ts'
import { Exports } from '../../../src/export/servers/exports.ts'
import { Standby, Standbys } from '../../../src/export/servers/standbys.ts'
import { createLog } from '../../../src/log.ts'
import { endWithTest, useDatabase, usePool } from '../../support/fixtures.ts'
import { portOf, startProxy } from '../../support/proxy.ts'
import { useSilentProxy } from '../../support/silent-proxy.ts'

const database = await useDatabase()
const { sql } = database

const settings = { primary: sql, isDistributed: false, lagMaxMs: 60_000, log: createLog('silent') }

/** The source of a page with two standbys that have just answered. No cursor is opened. */
function aSource(lagMs = 0) {
  const pools = ['one', 'other'].map(name => ({ name, sql, watch: sql }))
  const standbys = new Standbys(pools, settings)
  for (const standby of standbys.all) standby.noteAnswer(performance.now(), performance.now() - lagMs, 0)
  return new Exports(sql, 1, standbys).pageSource()
}

test.each<[Partial<WalPosition>, Partial<WalPosition>, string | undefined]>([
  [{}, {}, undefined],
  [{}, { noted_place: '1/old' }, 'a failover has yet to be noticed'],
  [{ position: 101 }, {}, 'has replayed more than'],
])(
  'D37: a standby that is %p, of a primary that is %p, is read only where nothing is strange',
  (standby, primary, why) => {
    const known = { position: 100, in_recovery: true, system: 's', history: 'h', place: null, noted_place: null }
    const writing = { ...known, place: '1/now', noted_place: '1/now', ...primary }
    const strange = strangenessOfStandby({ ...known, ...standby }, writing, 100)
    if (why === undefined) expect(strange).toBeUndefined()
    else expect(strange).toContain(why)
  },
)

const failure = (code: string) => Object.assign(new Error(code), { code })
const withdrawn = failure('40001')
const behind = failure('TB001')

test('a page goes from one standby to the other and to the primary; once applications came, to a standby again', () => {
  const source = aSource()
  for (const error of [failure('57014'), failure('40P01'), failure('CONNECTION_BUSY'), withdrawn]) {
    const tried = [source.next().name]
    while (tried.at(-1) !== 'primary' && tried.length < 5) {
      expect(source.turnFrom(error)).toBe(0)
      tried.push(source.next().name)
    }
    expect(tried.toSorted()).toEqual(['one', 'other', 'primary'])
    source.noteProgress()
  }
})

test('what the primary failed of too is refused; where it may pass, the standbys are tried again', () => {
  const source = aSource()
  for (const _ of ['first', 'second']) {
    while (source.next().name !== 'primary') expect(source.turnFrom(withdrawn)).toBe(0)
    expect(source.turnFrom(withdrawn)).toBeUndefined()
  }
  expect(source.next().name).not.toBe('primary')
})

test('a standby that lacks the last moments is asked three times more, then the other one as often; again once applications came', () => {
  const source = aSource()
  const { name } = source.next()
  expect(source.turnFrom(behind)).toBe(5)
  expect(source.next().name).toBe(name)
  source.noteProgress()
  for (const pauseMs of [5, 15, 30]) {
    expect(source.turnFrom(behind)).toBe(pauseMs)
    expect(source.next().name).toBe(name)
  }
  expect(source.turnFrom(behind)).toBe(0)
  const other = name === 'one' ? 'other' : 'one'
  expect(source.next().name).toBe(other)
  for (const pauseMs of [5, 15, 30]) {
    expect(source.turnFrom(behind)).toBe(pauseMs)
    expect(source.next().name).toBe(other)
  }
  expect(source.turnFrom(behind)).toBe(0)
  expect(source.next().name).toBe('primary')
  const late = aSource(3000)
  late.next()
  expect(late.turnFrom(behind)).toBe(0)
})

test('a standby that failed is used again after an answer it was asked for since, and not after one that was on its way', () => {
  let nowMs = 1000
  const clock = spyOn(performance, 'now').mockImplementation(() => nowMs)
  endWithTest(() => clock.mockRestore())
  const standby = new Standby({ name: 'one', sql, watch: sql })
  standby.noteAnswer(1000, 1000, 0)
  expect(standby.isUsable(60_000)).toBe(true)
  nowMs = 2000
  standby.noteFailure()
  standby.noteAnswer(1999, 1999, 0)
  nowMs = 9000
  expect(standby.isUsable(60_000)).toBe(false)
  standby.noteAnswer(8999, 8999, 0)
  // An answer that places it before all that is kept takes back nothing of what it was known to have.
  standby.noteAnswer(8999, Number.NEGATIVE_INFINITY, 7)
  const state = { name: 'one', isUsed: true, lagSeconds: 0.001, lagBytes: 7, reads: 0, strangeness: undefined }
  expect(standby.state(60_000)).toEqual(state)
  standby.noteSilence(new Error('no answer'))
  expect(standby.state(60_000)).toEqual({ ...state, isUsed: false, lagBytes: undefined })
})

test('a standby that has what the primary has written since it was asked follows no other one', async () => {
  const proxy = await startProxy(portOf(database.url), ({ upstream }) => ({
    fromClient: bytes =>
      void sql`select pg_logical_emit_message(true, 'test', 'since'), pg_switch_wal()`.then(() =>
        upstream.write(bytes),
      ),
  }))
  endWithTest(proxy.stop)
  const watch = usePool({ url: proxy.through(database.url), connectionsMax: 1 }, endWithTest)
  const standbys = new Standbys([{ name: 'one', sql, watch }], settings)
  await standbys.look()
  expect(standbys.states()).toMatchObject([{ isUsed: true, strangeness: undefined }])
})

test('standbys stay in use while the primary says nothing, and not once it is gone', async () => {
  const proxy = await useSilentProxy(database.url)
  const primary = openDatabase({ url: proxy.url, connectionsMax: 1, silenceTimeoutMs: 200 })
  endWithTest(() => primary.end({ timeout: 0 }))
  const standbys = new Standbys([{ name: 'one', sql, watch: sql }], { ...settings, primary })
  standbys.all[0]!.noteAnswer(performance.now(), performance.now(), 0)
  proxy.fallSilent()
  await standbys.look()
  expect(standbys.usable()).toHaveLength(1)
  await proxy.stop()
  await standbys.look()
  expect(standbys.usable()).toHaveLength(0)
})

test('an error in the handling of rows is neither of a standby nor passed to another server', () => {
  const source = aSource()
  source.next()
  expect(source.turnFrom(new Error('a stored text is not as its program version says'))).toBeUndefined()
})
