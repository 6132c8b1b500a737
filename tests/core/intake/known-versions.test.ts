import { expect, test } from 'bun:test'
import { KnownVersions, knownActiveVersion, knownVersions } from '../../../src/core/intake/known-versions.ts'
import { findActiveVersionName, loadProgramVersion } from '../../../src/db/programs/programs.ts'
import { endWithTest, useDatabase } from '../../support/fixtures.ts'
import { aProgram, q } from '../../support/programs.ts'

const database = await useDatabase()

const nameOf = async (program_id: number) => (await findActiveVersionName(database.sql, program_id))!

test('a version is read once, and the next version of its program is read again', async () => {
  const { sql } = database
  const { program_id, slug } = await aProgram(sql, { questions: [q.number('n')] })
  const first = await knownActiveVersion(sql, program_id)
  expect(first.version).toEqual(await loadProgramVersion(sql, first.version.program_version_id))
  expect(first.shape.map(node => node.question_key)).toEqual(['n'])
  expect(await knownActiveVersion(sql, program_id)).toBe(first)
  const { program_version_id } = await aProgram(sql, { slug, questions: [q.number('n'), q.text('t')] })
  const second = await knownActiveVersion(sql, program_id)
  expect(second.version.program_version_id).toBe(program_version_id)
  expect(second.shape.map(node => node.question_key)).toEqual(['n', 't'])
})

test('a version with the ID of another, as after a restored backup, is not confused with it', async () => {
  const { sql } = database
  const { program_id } = await aProgram(sql, { questions: [q.number('n')] })
  const name = await nameOf(program_id)
  const known = new KnownVersions()
  const read = await known.load(sql, name)
  expect(await known.load(sql, { ...name, published_at: name.published_at - 1 })).not.toBe(read)
})

test('the least recently used version is evicted first', async () => {
  const { sql } = database
  const names = []
  for (let i = 0; i < 3; i++) names.push(await nameOf((await aProgram(sql, { questions: [q.number('n')] })).program_id))
  const [a, b, c] = names as [(typeof names)[0], (typeof names)[0], (typeof names)[0]]
  const known = new KnownVersions(2)
  const [readA, readB] = [await known.load(sql, a), await known.load(sql, b)]
  expect(await known.load(sql, a)).toBe(readA)
  await known.load(sql, c)
  expect(await known.load(sql, a)).toBe(readA)
  expect(await known.load(sql, b)).not.toBe(readB)
})

test('each database has its own versions, even with the same IDs', async () => {
  const other = await useDatabase({}, endWithTest)
  expect(knownVersions(other.sql)).not.toBe(knownVersions(database.sql))
  expect(knownVersions(other.sql)).toBe(knownVersions(other.sql))
})
