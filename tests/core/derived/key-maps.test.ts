// Key maps as of a publication (contract D34), held in memory by each process.

import { expect, test } from 'bun:test'
import {
  isLostPublication,
  KeyMaps,
  type ProgramKeyMap,
  refreshKeyMap,
} from '../../../src/core/derived/program-key-map.ts'
import { openDatabase } from '../../../src/db/client.ts'
import { readWalkStart } from '../../../src/db/walks/walk-start.ts'
import { earliest } from '../../../src/domain/values/offset-time.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { ensureTestProgram } from '../../support/keys.ts'
import { aDraft, aComputedProgram as aProgram, q } from '../../support/programs.ts'
import { rejection } from '../../support/refusal.ts'

const database = await useDatabase()

const keysOf = ({ keyMap }: ProgramKeyMap): string[] => keyMap.map(node => node.question_key)
const optional = { optional: true }

/** When the program last published. */
const publishedAt = async (programId: number): Promise<number> =>
  (await readWalkStart(database.sql, programId)).last_published_at!

test('a key map is kept in memory and read once, however many requests need it at once', async () => {
  const maps = new KeyMaps()
  const { program_id } = await aProgram(database.sql, { questions: [q.text('held', optional)] })
  const asOf = await publishedAt(program_id)
  const all = await Promise.all(Array.from({ length: 20 }, () => maps.load(database.sql, program_id, asOf)))
  for (const map of all) expect(map).toBe(all[0]!)
  expect(await maps.load(database.sql, program_id, asOf)).toBe(all[0]!)
})

test('D34: key maps from before and after a publication are both served, in either order and whatever the worker has stored', async () => {
  const { sql } = database
  const first = await aProgram(sql, { questions: [q.text('first of all', optional)] })
  const { program_id, slug } = first
  const before = await publishedAt(program_id)
  const second = await aProgram(sql, { slug, questions: [q.text('second of all', optional)] })
  const after = await publishedAt(program_id)
  const sets = { [before]: ['first_of_all'], [after]: ['first_of_all', 'second_of_all'] }
  const versions = { [before]: 1, [after]: 2 }
  const computed = new Map<number, ProgramKeyMap>()
  for (const kept of [undefined, second.program_version_id, first.program_version_id]) {
    if (kept !== undefined) await refreshKeyMap(sql, kept)
    for (const order of [
      [before, after],
      [after, before],
    ]) {
      const maps = new KeyMaps()
      for (const asOf of [...order, ...order]) {
        const map = await maps.load(sql, program_id, asOf)
        expect(keysOf(map)).toEqual(sets[asOf]!)
        expect([...map.fills.keys()]).toEqual(
          [first.program_version_id, second.program_version_id].slice(0, versions[asOf]!),
        )
        // As the worker keeps it, it is the same.
        expect(map).toEqual(computed.get(asOf) ?? map)
        computed.set(asOf, map)
      }
    }
  }
})

test('a draft is in no key map, neither before its publication nor at the start of a walk (D21)', async () => {
  const { program_id, slug } = await aProgram(database.sql, { questions: [q.text('published', optional)] })
  const before = await publishedAt(program_id)
  await aDraft(database.sql, { slug, questions: [q.text('drafted', optional)] })
  expect(await publishedAt(program_id)).toBe(before)
  expect(keysOf(await new KeyMaps().load(database.sql, program_id, before))).toEqual(['published'])
})

test('G13: a publication that the database lacks is refused, not replaced by an older one, and not waited for if a later one exists', async () => {
  const { program_id } = await aProgram(database.sql, { questions: [q.text('restored', optional)] })
  const asOf = await publishedAt(program_id)
  for (const [missing, isLost] of [
    [asOf + 1, false],
    [asOf + 86_400_000_000, false],
    // A later one is there.
    [asOf - 1, true],
  ] as const) {
    const refused = await rejection(new KeyMaps().load(database.sql, program_id, missing))
    expect(refused.kind).toBe('unavailable')
    expect(isLostPublication(refused)).toBe(isLost)
  }
  const unpublished = await ensureTestProgram(database.sql, 'never-published')
  expect(keysOf(await new KeyMaps().load(database.sql, unpublished, earliest))).toEqual([])
})

test('within a process, a publication changes a view for later walks and not for earlier ones', async () => {
  const maps = new KeyMaps()
  const { sql } = database
  const { program_id, slug, question } = await aProgram(sql, {
    questions: [q.text('viewed', optional), q.text('unviewed', optional)],
  })
  const views = [
    { hidden: new Set([question('unviewed').question_id]), chosen: undefined },
    { hidden: new Set<number>(), chosen: [question('viewed').question_id] },
  ]
  const shown = async (asOf: number) => {
    const all: [string[], number[]][] = []
    for (const view of views) {
      const seen = await maps.loadVisible(sql, program_id, asOf, view)
      all.push([keysOf(seen), [...seen.shapes.keys()]])
    }
    return all
  }
  const before = await publishedAt(program_id)
  const shownBefore = await shown(before)
  const [first] = shownBefore[0]![1]
  expect(shownBefore).toEqual([
    [['viewed'], [first!]],
    [['viewed'], [first!]],
  ])
  const { program_version_id } = await aProgram(sql, {
    slug,
    questions: [q.text('viewed later', optional), q.text('viewed', optional)],
  })
  expect(await shown(await publishedAt(program_id))).toEqual([
    [
      ['viewed', 'viewed_later'],
      [first!, program_version_id],
    ],
    [['viewed'], [first!, program_version_id]],
  ])
  expect(await shown(before)).toEqual(shownBefore)
})

test('a failure is not cached, and the next request tries again', async () => {
  const maps = new KeyMaps()
  const { program_id } = await aProgram(database.sql, { questions: [q.text('failing', optional)] })
  const asOf = await publishedAt(program_id)
  const nowhere = openDatabase({ url: 'postgres://127.0.0.1:1/nowhere', connectionsMax: 1 })
  await expect(maps.load(nowhere, program_id, asOf)).rejects.toThrow()
  await nowhere.end({ timeout: 0 })
  expect(keysOf(await maps.load(database.sql, program_id, asOf))).toEqual(['failing'])
})

test('the key maps in memory are bounded, and the least recently used one is evicted', async () => {
  const maps = new KeyMaps(2)
  const asked: [number, number][] = []
  for (const name of ['bound one', 'bound two', 'bound three']) {
    const { program_id } = await aProgram(database.sql, { questions: [q.text(name, optional)] })
    asked.push([program_id, await publishedAt(program_id)])
  }
  const load = (i: number): Promise<ProgramKeyMap> => maps.load(database.sql, ...asked[i]!)
  const held = [await load(0), await load(1)]
  expect(await load(0)).toBe(held[0]!)
  held.push(await load(2))
  expect(await load(2)).toBe(held[2]!)
  expect(await load(0)).toBe(held[0]!)
  expect(await load(1)).not.toBe(held[1]!)
})
