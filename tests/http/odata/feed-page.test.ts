// A page of the feed under what pages meet: rows that are larger than every buffer, a client that is slow, and an application that is damaged.

import { describe, expect, test } from 'bun:test'
import type { KeyNode } from '../../../src/domain/questions/key-map.ts'
import { feedFraming } from '../../../src/export/odata/feed-page.ts'
import { feedTables } from '../../../src/export/odata/feed-tables.ts'
import { Exports } from '../../../src/export/servers/exports.ts'
import { planOf, Reader, small, write } from '../../export/page-reader.ts'
import { unlimited } from '../../support/config.ts'
import { useExport } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { type FeedPage, walkFeed } from '../../support/odata-feed.ts'
import { damageApplications, insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'

const count = 40
const textOf = (i: number): string => `${i} "${'\\'.repeat(i * 3000)}`
const config = { ...unlimited, maxPageSize: 15 }
const { database, sql, program, service, ids } = await useExport({ applications: count, textOf, config })

describe('a page of the feed', () => {
  test('has every row once, also where rows are larger than a buffer, and where a slow client gives the connection back in between', async () => {
    const exports = new Exports(database.sql, 20)
    const [table] = feedTables(program.shape)
    const shapes = new Map(program.versions.map(({ program_version_id, shape }) => [program_version_id, shape]))
    for (const rowsMax of [undefined, 3, count]) {
      const page = {
        table: table!,
        columns: table!.columns,
        rowsMax,
        context: 'c',
        count: undefined,
        linkTo: () => 'next',
      }
      const framing = feedFraming(page, { keyMap: program.shape, shapes })
      const released = exports.released
      const reader = new Reader(() => Bun.sleep(15).then(() => true))
      const limits = { ...small, releaseAfterMs: 5 }
      await write({ plan: planOf(program, count, count), fills: program.fills, exports, sink: reader, framing, limits })
      expect(exports.released).toBeGreaterThan(released)
      const { value, ...rest } = JSON.parse(reader.text) as FeedPage
      expect(rest).toEqual({ '@odata.context': 'c' })
      expect(value.map(row => row.application_id)).toEqual(ids.slice(0, rowsMax))
      const column = `${program.shape[0]!.question_key}__text`
      expect(value.findIndex((row, i) => row[column] !== textOf(i))).toBe(-1)
    }
  })

  test('is never a part that parses: with a damaged application its connection is broken', async () => {
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

  test('are those of questions, and stay what they are when others are published', () => {
    const [inner, other] = [node(2, 'b', [node(3, 'words')]), node(4, 'a__b', [node(5, 'words')])]
    expect(namesOf(node(1, 'a', [inner]))).toEqual(['Applications', 'a', 'a__b'])
    expect(namesOf(other)).toEqual(['Applications', '_a__b4'])
    expect(namesOf(node(1, 'a', [inner]), other)).toEqual(['Applications', 'a', 'a__b', '_a__b4'])
    expect(namesOf(node(1, 'applications', [node(2, 'words')]))).toEqual(['Applications', '_applications1'])
    expect(feedTables([node(1, 'Straße_é')])[0]!.columns.at(-1)!.name).toBe('Straße_é__text')
  })

  test('are identifiers, however long keys are, and no two are one', () => {
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
