// A question of 5,000 options in the console: pages stay small, and nothing but what was changed is changed.

import { expect, test } from 'bun:test'
import { findDraftVersion, findProgram } from '../../../src/db/programs/programs.ts'
import { describeVersion } from '../../../src/domain/definitions/version-definition.ts'
import { aPerson, ConsoleVisitor, fieldsOf } from '../../support/console.ts'
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

const drafted = async () => {
  const { program_id } = (await findProgram(sql, slug))!
  return describeVersion((await findDraftVersion(sql, program_id))!).questions[0]!.options!
}

test('F10: its form has a field for all options together, and saving it changes the line that was changed', async () => {
  const html = await browser.page(`${path}/question?name=district`)
  expect(html.match(/ name="/g)!.length).toBeLessThan(50)
  expect(html.length).toBeLessThan(300_000)
  const fields = fieldsOf(html, `${path}/question`)
  const before = await drafted()
  const lines = fields.option_lines!.replace('d4999 | Ward 4999 of the city', 'd4999 | The last ward')
  const saved = await browser.post(`${path}/question`, { ...fields, option_lines: lines })
  expect(saved.status).toBe(303)
  expect(await drafted()).toEqual([...before.slice(0, -1), { admin_id: 'd4999', text: 'The last ward' }])
})

test('F10: what is wrong in a line is said at the field, with the option', async () => {
  const fields = fieldsOf(await browser.page(`${path}/question?name=district`), `${path}/question`)
  const lines = fields.option_lines!.replace('d17 | ', 'D 17 | ')
  const html = await browser.refused(400, `${path}/question`, { ...fields, option_lines: lines })
  expect(html).toContain('href="#option_lines"')
  expect(html).toContain('Option 18: ')
})

test.each(['/versions/compare', '/publish', '/discard'])(
  'F10: %s shows the first of 5,000 changed options',
  async tab => {
    const html = await browser.page(path + tab)
    expect(html.match(/Ward \d+ of the city/g)!.length).toBeLessThanOrEqual(200)
    expect(html).toContain('and 4,900 more')
    expect(html.length).toBeLessThan(100_000)
  },
)

test('F10: a condition on it takes ids, and has no box for each option', async () => {
  const html = await browser.page(`${path}/question?name=why`)
  const fields = { ...fieldsOf(html, `${path}/question`), when: 'all', when_what_0: '["district","selection"]' }
  const looked = await browser.post(`${path}/question`, { ...fields, when_operator_0: 'in', edit: 'when-look' })
  expect((await looked.text()).length).toBeLessThan(100_000)
  const chosen = { when_operator_0: 'in', when_value_0: 'd1, d4000' }
  expect((await browser.post(`${path}/question`, { ...fields, ...chosen })).status).toBe(303)
  expect(await browser.page(`${path}/question?name=why`)).toContain('value="d1, d4000"')
  const wrong = { ...fields, when_operator_0: 'equal', when_value_0: 'd5000' }
  const draft = fieldsOf(await browser.page(`${path}/question?name=why`), `${path}/question`)
  expect(await browser.refused(400, `${path}/question`, { ...wrong, based_on: draft.based_on! })).toContain('d5000')
})

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
