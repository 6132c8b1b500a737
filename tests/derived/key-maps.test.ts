// "Service processes hold key maps in memory, dropped by LISTEN/NOTIFY, correct also when a notification is lost."

import { expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/client.ts'
import { readWalkStart } from '../../src/db/walks.ts'
import { KeyMaps, type ProgramKeyMap, refreshKeyMap } from '../../src/derived/program-key-map.ts'
import { useDatabase } from '../support/fixtures.ts'
import { aProgram, q } from '../support/programs.ts'

const database = await useDatabase()

const keysOf = ({ keyMap }: ProgramKeyMap): string[] => keyMap.map(node => node.question_key)
const optional = { optional: true }

test('held in memory: read once, by however many ask at once', async () => {
  const maps = new KeyMaps()
  const { program_id } = await aProgram(database.sql, { questions: [q.text('held', optional)] })
  const all = await Promise.all(Array.from({ length: 20 }, () => maps.load(database.sql, program_id, 1)))
  for (const one of all) expect(one).toBe(all[0]!)
  expect(await maps.load(database.sql, program_id, 1)).toBe(all[0]!)
})

test('correct without any notification: what is held is not used for a program that has published since', async () => {
  const maps = new KeyMaps()
  const { sql } = database
  const { program_id, program_version_id, slug } = await aProgram(sql, {
    questions: [q.text('first of all', optional)],
  })
  // The worker's work is there, of the first version alone: it must not be taken for that of the second.
  await refreshKeyMap(sql, program_version_id)
  const before = await maps.load(sql, program_id, (await readWalkStart(sql, program_id)).published_versions)
  expect(keysOf(before)).toEqual(['first_of_all'])
  const second = await aProgram(sql, { slug, questions: [q.text('second of all', optional)] })
  const start = await readWalkStart(sql, program_id)
  const after = await maps.load(sql, program_id, start.published_versions)
  expect(keysOf(after)).toEqual(['first_of_all', 'second_of_all'])
  expect([...after.fills.keys()]).toEqual([program_version_id, second.program_version_id])
  // A request that began before the publication is served by what is newer, too.
  expect(await maps.load(sql, program_id, 1)).toBe(after)
  // As the worker keeps it, it is the same.
  await refreshKeyMap(sql, second.program_version_id)
  const kept = await new KeyMaps().load(sql, program_id, start.published_versions)
  expect(kept).toEqual(after)
})

test('dropped: the next request reads it anew', async () => {
  const maps = new KeyMaps()
  const { program_id } = await aProgram(database.sql, { questions: [q.text('dropped', optional)] })
  const first = await maps.load(database.sql, program_id, 1)
  maps.drop(program_id)
  const second = await maps.load(database.sql, program_id, 1)
  expect(second).not.toBe(first)
  expect(second).toEqual(first)
})

test('a failure is not held: the next request tries again', async () => {
  const maps = new KeyMaps()
  const { program_id } = await aProgram(database.sql, { questions: [q.text('failing', optional)] })
  const nowhere = openDatabase({ url: 'postgres://127.0.0.1:1/nowhere', connectionsMax: 1 })
  await expect(maps.load(nowhere, program_id, 1)).rejects.toThrow()
  await nowhere.end({ timeout: 0 })
  expect(keysOf(await maps.load(database.sql, program_id, 1))).toEqual(['failing'])
})

test('memory is bounded: of more programs than may be held, the one held longest goes', async () => {
  const maps = new KeyMaps(2)
  const ids: number[] = []
  for (const name of ['bound one', 'bound two', 'bound three'])
    ids.push((await aProgram(database.sql, { questions: [q.text(name, optional)] })).program_id)
  const held: ProgramKeyMap[] = []
  for (const id of ids) held.push(await maps.load(database.sql, id, 1))
  expect(await maps.load(database.sql, ids[2]!, 1)).toBe(held[2]!)
  expect(await maps.load(database.sql, ids[1]!, 1)).toBe(held[1]!)
  expect(await maps.load(database.sql, ids[0]!, 1)).not.toBe(held[0]!)
})
