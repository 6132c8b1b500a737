// What the console's API says before and while a draft is published that other programs' questions hang on.

import { describe, expect, test } from 'bun:test'
import { aPerson, ConsoleVisitor } from '../../support/console.ts'
import { ApiProgram, aToken } from '../../support/console-api.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { aDraft, aProgram, publish, q } from '../../support/programs.ts'

const database = await useDatabase()
const { sql } = database
const service = await useService(database)
const ada = await aPerson(sql)
const { token } = await aToken(sql, ada)
const api = ApiProgram.withToken(service, token)
const browser = await new ConsoleVisitor(service).signIn(ada.email)

const difference = async (slug: string) => (await api.ask('GET', `/programs/${slug}/difference`)).body

describe('before a draft is published, it is known whether that would be refused', () => {
  const send = (slug: string, based_on: number, move: string[] = []) =>
    api.ask('POST', `/programs/${slug}/publish`, { based_on, move })

  test('because another program changed a question that the draft changes', async () => {
    const asks = (slug: string, text?: string) => ({
      slug,
      questions: [q.text('asked twice', { ...(text && { text }) })],
    })
    await aProgram(sql, asks('twice-a'))
    await aProgram(sql, asks('twice-b'))
    await aDraft(sql, asks('twice-a', 'Draft?'))
    expect(await difference('twice-a')).toMatchObject({ outdated: false, refusal: null, moves: [{ slug: 'twice-b' }] })
    await publish(sql, asks('twice-b', 'Published?'))
    // The draft is another by now, on the version that it was moved to.
    const { draft, outdated, refusal } = await difference('twice-a')
    expect([outdated, refusal.errors.length > 0]).toEqual([true, true])
    // The same that publishing says; and the page offers no way to publish, but to keep the draft.
    const { status, body } = await send('twice-a', draft, ['twice-b'])
    expect([status, body.errors]).toEqual([409, refusal.errors])
    const page = await browser.page('/admin/programs/twice-a/publish')
    expect(page).toContain('action="/admin/programs/twice-a/keep"')
    expect(page).not.toContain('action="/admin/programs/twice-a/publish"')
  })

  test('because another program depends on an option that it removes', async () => {
    const asks = (...ids: string[]) => q.radio('pet kept', ids)
    await aProgram(sql, { slug: 'pet-a', questions: [asks('cat', 'dog')] })
    const isDog = { question: 'pet kept', field: 'selection', operator: 'equal', value: 'dog' } as const
    await aProgram(sql, { slug: 'pet-b', questions: [asks('cat', 'dog'), q.text('dog name', { visible_when: isDog })] })
    const draft = await aDraft(sql, { slug: 'pet-a', questions: [asks('cat')] })
    const { outdated, refusal } = await difference('pet-a')
    expect([outdated, refusal.errors.length]).toEqual([false, 1])
    const { status, body } = await send('pet-a', draft.program_version_id, ['pet-b'])
    expect([status, body.errors]).toEqual([409, refusal.errors])
    const page = await browser.page('/admin/programs/pet-a/publish')
    expect(page).not.toContain('action="/admin/programs/pet-a/publish"')
  })
})
