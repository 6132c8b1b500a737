// A large program in the editor: four hundred questions, and a question of five thousand options, without a frame that anyone notices.

import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { openPage, useBrowser } from '../../support/browser.ts'
import { aPerson, testPassword } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { needs } from '../../support/needs.ts'
import { aProgram, q } from '../../support/programs.ts'

interface TraceEvent {
  name: string
  ts: number
  tdur?: number
  pid: number
  tid: number
  args?: { name?: string }
}

/**
 * What the page's thread is busy with from now on: processor time of each task, ms. The clock also counts what other processes do, which on a
 * busy machine is most.
 */
async function measure(page: Page) {
  const session = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  const marks: { at: string; ts: number }[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  const categories = '__metadata,toplevel,devtools.timeline,blink.user_timing,disabled-by-default-devtools.timeline'
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: categories.split(',') },
  })
  return {
    step: (name: string) => page.evaluate(`performance.mark('step ' + ${JSON.stringify(name)})`),
    async tasks() {
      const ended = new Promise(resolve => session.once('Tracing.tracingComplete', resolve))
      await session.send('Tracing.end')
      await ended
      for (const { name, ts } of events) if (name.startsWith('step ')) marks.push({ at: name.slice(5), ts })
      const mains = new Set(
        events
          .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
          .map(({ pid, tid }) => `${pid} ${tid}`),
      )
      return events
        .filter(({ name, pid, tid, tdur }) => tdur !== undefined && /RunTask$/.test(name) && mains.has(`${pid} ${tid}`))
        .map(({ ts, tdur }) => ({ at: marks.findLast(mark => mark.ts <= ts)?.at ?? 'start', ms: tdur! / 1000 }))
        .filter(({ at }) => at !== 'start')
    },
  }
}

describe.skipIf(!needs('chromium'))('in a browser', async () => {
  if (!needs('chromium')) return
  const database = await useDatabase()
  const service = await useService(database)
  const ada = await aPerson(database.sql)
  const browser = await useBrowser()
  const letters = (i: number): string => [...String(i)].map(digit => 'abcdefghij'[Number(digit)]).join('')

  test('typing, selecting, adding and moving in 400 questions and 5,000 options takes no task of 100 ms of processor time, tracing included', async () => {
    const options = Array.from({ length: 5000 }, (_, i) => `o${i}`)
    await aProgram(database.sql, {
      slug: 'large',
      screens: Array.from({ length: 20 }, (_, screen) => ({
        name: `Screen ${screen + 1}`,
        questions: Array.from({ length: 20 }, (_, i) =>
          screen === 0 && i === 1 ? q.checkbox('long list', options) : q.text(`question ${letters(screen * 20 + i)}`),
        ),
      })),
    })
    const { page, context } = await openPage(browser, service.baseUrl, { email: ada.email, password: testPassword })
    await page.goto('/admin/programs/large/edit')
    await page.locator('.panes').waitFor()
    const { step, tasks } = await measure(page)
    await step('typing')
    await page.getByLabel('Question', { exact: true }).pressSequentially('abcdefghijkl', { delay: 60 })
    await page.locator('.save-state[data-state=saved]').waitFor()
    await step('the long list')
    await page.locator('[data-item="question long list"] .entry').click()
    await page.getByLabel('Text of option 7', { exact: true }).pressSequentially('abcdefgh', { delay: 60 })
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    await page.getByLabel('Text of option 32', { exact: true }).pressSequentially('abcdefgh', { delay: 60 })
    await step('moving')
    await page.locator('[id="handle question long list"]').focus()
    for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowDown', { delay: 60 })
    await step('adding')
    // Found by its place: by role and name, Playwright computes the names of all buttons, in a task as long as the rest.
    await page.locator('.structure > .actions > button').first().click()
    await page.keyboard.type('What else is there?', { delay: 60 })
    await step('undoing')
    for (let i = 0; i < 5; i++) await page.keyboard.press('Control+z', { delay: 60 })
    await page.locator('.save-state[data-state=saved]').waitFor()
    const found = await tasks()
    expect(found.length).toBeGreaterThan(50)
    if (process.env.EDITOR_FIGURES) {
      for (const [name, all] of Map.groupBy(found, ({ at }) => at))
        console.log(
          name,
          ...all
            .map(({ ms }) => Math.round(ms))
            .sort((a, b) => b - a)
            .slice(0, 5),
        )
    }
    expect(found.filter(({ ms }) => ms > 100)).toEqual([])
    await context.close()
  }, 120_000)
})
