// The history of a large program: what it takes of the service, and that nothing is left out unsaid.

import { expect, test } from 'bun:test'
import { aPerson, ConsoleVisitor } from '../../support/console.ts'
import { ApiProgram, aToken } from '../../support/console-api.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../../support/held-transaction.ts'
import { aDraft, aProgram, q } from '../../support/programs.ts'
import { until } from '../../support/until.ts'

const database = await useDatabase()
const service = await useService(database)
const { sql } = database
const ada = await aPerson(sql)
const browser = await new ConsoleVisitor(service).signIn(ada.email)
const api = ApiProgram.withToken(service, (await aToken(sql, ada)).token)

const slug = 'long-history'
const letters = (n: number): string => [...String(n)].map(digit => 'abcdefghij'[Number(digit)]).join('')
const questionsOf = (version: number) =>
  Array.from({ length: 25 }, (_, n) => q.text(`history ${letters(n)}`, { text: `As of version ${version}` }))
const ids: number[] = []
for (let version = 1; version <= 12; version++)
  ids.unshift((await aProgram(sql, { slug, questions: questionsOf(version) })).program_version_id)

interface Listed {
  items: { program_version_id: number; version_number: number; changes: { detail: string }[]; more_changes: number }[]
  next: number | null
}

test('versions are listed page by page, each compared with the previous one, even across pages', async () => {
  const first: Listed = (await api.ask('GET', `/programs/${slug}/versions`)).body
  expect(first.items.map(item => item.program_version_id)).toEqual(ids.slice(0, 10))
  const second: Listed = (await api.ask('GET', `/programs/${slug}/versions?before=${first.next}`)).body
  expect(second.items.map(item => item.program_version_id)).toEqual(ids.slice(10))
  expect(second.next).toBeNull()
  const all = [...first.items, ...second.items]
  // Contract D40: "1, 2, 3 within each program, drafts have none; `program_version_id` stays what it is …".
  expect(all.map(item => item.version_number)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  const page = await browser.page(`/admin/programs/${slug}/versions`)
  expect(page).toMatch(new RegExp(`Version 12</a> .*? <code>program_version_id</code> ${ids[0]}<`))
  for (const [i, { changes, more_changes }] of all.entries()) {
    const version = 12 - i
    const texts = [...changes[0]!.detail.matchAll(/“(.*?)”/g)].map(([, text]) => text)
    const versions = texts.map(text => Number(text!.match(/\d+$/)![0]))
    expect(versions).toEqual(version === 1 ? [] : [version, version - 1])
    expect([changes.length, more_changes]).toEqual([20, version === 1 ? 6 : 5])
  }
})

test('changes beyond the list are counted, and shown with the version', async () => {
  expect(await browser.page(`/admin/programs/${slug}/versions`)).toContain('and 19 more')
  expect((await api.ask('GET', `/programs/${slug}/versions/${ids[0]}`)).body.changes).toHaveLength(25)
  await aProgram(sql, { slug: 'short-history', questions: [q.text('history short')] })
  expect((await api.ask('GET', '/programs/short-history/versions')).body.items[0].more_changes).toBe(0)
  // A first version has no effect on those who pull.
  await aDraft(sql, { slug: 'no-history', questions: [q.text('history to come')] })
  expect((await api.ask('GET', '/programs/no-history/difference')).body).toMatchObject({ active: null, effects: [] })
  // Nor does a draft say which programs it moves before it is brought up to date.
  await aProgram(sql, { slug: 'shares-history', questions: [q.text('history short')] })
  await aDraft(sql, { slug: 'short-history', questions: [q.text('history short', { text: 'Moves?' })] })
  await aProgram(sql, { slug: 'short-history', display_name: 'Past the draft', questions: [q.text('history short')] })
  const overtaken = (await api.ask('GET', '/programs/short-history/difference')).body
  expect(overtaken).toMatchObject({ outdated: true, moves: [] })
})

test('versions are read one at a time, so a page of them does not block the console', async () => {
  // Versions cannot be read for as long as their questions cannot be.
  const release = await holdTransaction(sql, tx => tx`lock table program_version_question`)
  const listing = api.ask('GET', `/programs/${slug}/versions`)
  await until('a version to be read', async () => (await waitingForLocks(sql)) > 0)
  expect((await api.ask('GET', '/keys')).status).toBe(200)
  expect(await waitingForLocks(sql)).toBe(1)
  await release()
  expect((await listing).status).toBe(200)
})
