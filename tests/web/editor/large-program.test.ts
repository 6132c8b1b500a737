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

  test('no edit of 400 questions or 5,000 options takes a task of 50 ms of processor time, tracing included', async () => {
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
    // Found and pressed in the page: Playwright's own search takes tasks as long as the editor's.
    const on = (selector: string, act: string) =>
      page.evaluate(`(() => { const found = document.querySelector(${JSON.stringify(selector)}); ${act} })()`)
    const press = (selector: string) => on(selector, 'found.click()')
    const choose = (selector: string, value: string) =>
      on(selector, `found.value = '${value}'; found.dispatchEvent(new Event('change', { bubbles: true }))`)
    const type = (text: string) => page.keyboard.type(text, { delay: 60 })
    const entry = (name: string) => press(`[data-item="question ${name}"] .entry`)
    const saved = () => page.locator('.save-state[data-state=saved]').waitFor()
    const add = '.structure > .actions > button'
    let edits = 0
    const steps: Record<string, () => Promise<unknown>> = {
      selecting: () => entry('question c'),
      typing: async () => {
        await on('.panel textarea', 'found.focus()')
        await type('abcdefghijkl')
        await saved()
      },
      'selecting the long list': () => entry('long list'),
      'typing an option': async () => {
        await on('[aria-label="Text of option 7"]', 'found.focus()')
        await type('abcdefgh')
      },
      'the next options': () => press('.panel .rows > .actions > button:last-child'),
      'adding an option': async () => {
        await on('[aria-label="New option"]', 'found.focus()')
        await type(`option ${letters(edits)}`)
        await page.keyboard.press('Enter')
      },
      moving: async () => {
        await on('[id="handle question long list"]', 'found.focus()')
        for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowDown', { delay: 60 })
      },
      'adding a question': async () => {
        await press(add)
        await type('What else is there?')
      },
      'choosing its answer type': () => choose('.panel .trio select', 'RADIO'),
      'adding a condition': () => choose('.panel .condition select', 'if'),
      'adding another': () => press('.panel .condition > button.quiet'),
      'adding a screen': () => press(`${add}:last-child`),
      undoing: async () => {
        while (await on('.bar .actions > button', 'return !found.disabled'))
          await page.keyboard.press('Control+z', { delay: 60 })
        await saved()
      },
    }
    const repetitions = 3
    for (; edits < repetitions; edits++)
      for (const [name, edit] of Object.entries(steps)) {
        await step(`${name}, ${edits}`)
        await edit()
      }
    const longest = Map.groupBy(await tasks(), ({ at }) => at)
    // The best of the repetitions: what other processes do to the caches is not the editor's.
    const best = Object.keys(steps).map(name => {
      const all = Array.from({ length: repetitions }, (_, i) => longest.get(`${name}, ${i}`) ?? [])
      return { name, ms: Math.min(...all.map(found => Math.max(...found.map(({ ms }) => ms)))) }
    })
    if (process.env.EDITOR_FIGURES) for (const { name, ms } of best) console.log(name, Math.round(ms))
    expect(best.filter(({ ms }) => !(ms > 0))).toEqual([])
    expect(best.filter(({ ms }) => ms > 50)).toEqual([])
    await context.close()
  }, 300_000)
})
