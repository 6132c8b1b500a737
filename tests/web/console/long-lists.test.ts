// A question of 5,000 options in the console: pages stay small.

import { expect, test } from 'bun:test'
import { aPerson, ConsoleVisitor } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { aDraft, aProgram, q } from '../../support/programs.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database)
const slug = 'long-list'
const path = `/admin/programs/${slug}`
const district = (word: string) => {
  const { question, ...asked } = q.dropdown('district', [])
  const options = Array.from({ length: 5000 }, (_, i) => ({ admin_id: `d${i}`, text: `${word} ${i} of the city` }))
  return { ...asked, question: { ...question, options } }
}
const asking = (word: string) => ({
  slug,
  questions: [district(word), q.text('why', { visible_when: { question: 'district', operator: 'answered' } })],
})
await aProgram(sql, asking('District'))
await aDraft(sql, asking('Ward'))
const browser = await new ConsoleVisitor(service).signIn((await aPerson(sql)).email)

test.each(['/versions/compare', '/publish', '/discard'])(
  'F10: %s shows the first of 5,000 changed options',
  async tab => {
    const html = await browser.page(path + tab)
    expect(html.match(/Ward \d+ of the city/g)!.length).toBeLessThanOrEqual(200)
    expect(html).toContain('and 4,900 more')
    expect(html.length).toBeLessThan(100_000)
  },
)

test('F10: of many questions with many changed options, each shows its first ones', async () => {
  const asks = (word: string) => ({
    slug: 'many-lists',
    questions: [...'abcdefghijklmnopqrst'].flatMap(a =>
      [...'abcde'].map(b => {
        const { question, ...asked } = q.dropdown(`list ${a}${b}`, [])
        const options = Array.from({ length: 100 }, (_, i) => ({
          admin_id: `${a}${b}${i}`,
          text: `${word} ${i} of it`,
        }))
        return { ...asked, question: { ...question, options } }
      }),
    ),
  })
  await aProgram(sql, asks('Old'))
  await aDraft(sql, asks('New'))
  const html = await browser.page('/admin/programs/many-lists/versions/compare')
  expect(html.match(/(?:Old|New) \d+ of it/g)).toHaveLength(100 * 2 * 20)
  expect(html.match(/and 80 more/g)).toHaveLength(100 * 2)
})
