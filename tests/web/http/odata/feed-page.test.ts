// A page of the feed with an application that is damaged, and the names of its tables. What is on a page, however it is
// written: tests/core/export/framings/any-page.test.ts.

import { describe, expect, test } from 'bun:test'
import { feedTables } from '../../../../src/core/export/odata/feed-tables.ts'
import type { KeyNode } from '../../../../src/domain/questions/key-map.ts'
import { unlimited } from '../../../support/config.ts'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'
import { walkFeed } from '../../../support/odata-feed.ts'
import { damageApplications, insertRawApplications, insertRawProgram } from '../../../support/raw-applications.ts'

const count = 40
const textOf = (i: number): string => `${i} "${'\\'.repeat(i * 3000)}`
const database = await useDatabase()
const { sql } = database
const service = await useService(database, { ...unlimited, maxPageSize: 15 })

describe('a page of the feed', () => {
  test('is never a part that parses, and breaks off at a damaged application', async () => {
    const slug = 'damaged'
    const damaged = await insertRawProgram(sql, slug)
    await insertRawApplications(sql, damaged, count, textOf)
    const { authorization } = await createTestKey(sql, { programs: [slug] })
    const headers = { Authorization: authorization, 'Accept-Encoding': 'identity' }
    const ask = (path: string) => service.get(path, { headers })
    const readable = async (path: string): Promise<string> => (await ask(path)).text()
    expect(await walkFeed(readable, `/odata/v1/${slug}/Applications`)).toHaveLength(count)
    await damageApplications(sql, damaged, 14)
    const response = await ask(`/odata/v1/${slug}/Applications`)
    expect(response.status).toBe(200)
    expect(await response.text().catch(() => 'broken')).toBe('broken')
  })
})

const node = (question_id: number, question_key: string, children: KeyNode[] = []): KeyNode => ({
  question_id,
  question_key,
  type: children.length > 0 ? 'ENUMERATOR' : 'TEXT',
  option_ids: [],
  children,
})

describe('names of tables and columns', () => {
  const namesOf = (...nodes: KeyNode[]): string[] => feedTables(nodes).map(({ name }) => name)

  test('are those of questions, and stay the same when others are published', () => {
    const [inner, other] = [node(2, 'b', [node(3, 'words')]), node(4, 'a__b', [node(5, 'words')])]
    expect(namesOf(node(1, 'a', [inner]))).toEqual(['Applications', 'a', 'a__b'])
    expect(namesOf(other)).toEqual(['Applications', '_a__b4'])
    expect(namesOf(node(1, 'a', [inner]), other)).toEqual(['Applications', 'a', 'a__b', '_a__b4'])
    expect(namesOf(node(1, 'applications', [node(2, 'words')]))).toEqual(['Applications', '_applications1'])
    expect(feedTables([node(1, 'Straße_é')])[0]!.columns.at(-1)!.name).toBe('Straße_é__text')
  })

  test('are unique identifiers, however long the keys are', () => {
    const long = 'x'.repeat(300)
    const tables = feedTables([
      node(1, long),
      node(2, `${long}y`),
      node(3, `${long}z`, [node(4, long), node(5, `${long}y`)]),
      node(6, `𠀀${long}`, [node(7, 'w')]),
    ])
    for (const names of [
      tables.map(({ name }) => name),
      ...tables.map(({ columns }) => columns.map(({ name }) => name)),
    ]) {
      expect(new Set(names.map(name => name.toLowerCase())).size).toBe(names.length)
      for (const name of names) expect(name).toMatch(/^[\p{L}_][\p{L}\p{N}_]{0,127}$/u)
    }
  })
})
