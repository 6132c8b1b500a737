// A real browser for tests of pages: a headless Chromium, driven by playwright-core; axe looks for errors of accessibility.

import { readFileSync } from 'node:fs'
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { endWithFile } from './fixtures.ts'
import { findNeeded } from './needs.ts'

interface TestBrowser {
  newContext(options: BrowserContextOptions): Promise<BrowserContext>
}

/** One browser for the file. Call it only if `needs('chromium')`. A crash fails the test it happens in, and not the next one. */
export async function useBrowser(): Promise<TestBrowser> {
  let browser = await launch()
  endWithFile(() => browser.close())
  return {
    newContext: async options => {
      if (!browser.isConnected()) browser = await launch()
      return browser.newContext(options)
    },
  }
}

const launch = () =>
  chromium.launch({
    executablePath: findNeeded('chromium'),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })

/** A separate page, signed in to the console unless no email address is given. The page's errors are collected in `complaints`. */
export async function openPage(
  browser: TestBrowser,
  baseUrl: string,
  options: BrowserContextOptions & { email?: string | undefined; password?: string } = {},
): Promise<{ page: Page; context: BrowserContext; complaints: string[] }> {
  const { email, password, ...rest } = options
  const context = await browser.newContext({ baseURL: baseUrl, viewport: { width: 1440, height: 900 }, ...rest })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
  if (email !== undefined) {
    await page.goto('/admin/sign-in')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password ?? '')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(url => !url.pathname.startsWith('/admin/sign-in'))
  }
  return { page, context, complaints }
}

/** The page's width in px: more than its viewport if something overflows. */
export const pageWidth = (page: Page): Promise<number> => page.evaluate('document.documentElement.scrollWidth')

const axeSource = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8')

/** What axe finds on a page, at any impact, as lines to read; expected to be none. By all rules or these. The page's scripts must be on. */
export async function accessibilityErrors(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Evaluated by the debugger, so that the page's own policy, which would block it as a script, stays in place. Once per page: it is half a megabyte.
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(axeSource)
  // Target sizes are measured, because axe accepts small ones with enough space around them.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as {
    violations: AxeViolation[]
  }
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 300)} ${failureSummary}`),
  )
}

interface AxeViolation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

/** Controls less than 24 px wide or high, except links in a sentence, and those that overflow. A checkbox counts with its label. */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(`
    const inSentence = one => getComputedStyle(one).display === 'inline'
      && [...one.parentNode.childNodes].some(node => node.nodeType === 3 && /\\p{L}{2}/u.test(node.textContent))
    const boxOf = one => {
      const all = [one, ...(one.labels ?? [])].map(each => each.getBoundingClientRect())
      const [left, right] = [Math.min(...all.map(box => box.left)), Math.max(...all.map(box => box.right))]
      const [top, bottom] = [Math.min(...all.map(box => box.top)), Math.max(...all.map(box => box.bottom))]
      return { width: right - left, height: bottom - top }
    }
    const small = []
    for (const one of document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')) {
      if (!one.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) || one.matches('.skip, [aria-hidden=true]')) continue
      const { width, height } = boxOf(one)
      if ((width < 23.9 || height < 23.9) && !inSentence(one))
        small.push('small, ' + width.toFixed(1) + ' x ' + height.toFixed(1) + ': ' + one.outerHTML.slice(0, 200))
    }
    for (const one of document.querySelectorAll('main :is(a, button)'))
      if (one.checkVisibility() && one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)
        small.push('narrower than its text: ' + one.outerHTML.slice(0, 200))
    small`)

/**
 * The lines of an indented text that wrap, and those that continue left of their beginning. Each line is an element. None of the latter are expected,
 * and some of the former.
 */
export const wrappedLines = (page: Page, within: string): Promise<{ wrapped: number; outdented: string[] }> =>
  page.evaluate(`
    const outdented = []
    let wrapped = 0
    for (const line of document.querySelectorAll(${JSON.stringify(`${within} [class^="d"]`)})) {
      if (!line.checkVisibility({ contentVisibilityAuto: true })) continue
      const signs = []
      const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
      while (texts.nextNode())
        for (let i = 0; i < texts.currentNode.length; i++) {
          const range = document.createRange()
          range.setStart(texts.currentNode, i)
          range.setEnd(texts.currentNode, i + 1)
          if (/\\S/.test(String(range))) signs.push(range.getBoundingClientRect())
        }
      const [first] = signs
      if (!signs.some(sign => sign.top > first.top + 4)) continue
      wrapped++
      if (signs.some(sign => sign.top > first.top + 4 && sign.left < first.left + 4)) outdented.push(line.textContent)
    }
    ;({ wrapped, outdented })`)

/** Places where right-to-left letters are visible outside an element that takes its direction from its text. */
export const undirected = (page: Page): Promise<string[]> =>
  page.evaluate(`
    const found = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const { textContent, parentElement } = texts.currentNode
      if (!/\\p{Script=Arabic}/u.test(textContent) || parentElement.closest('option, pre, textarea, bdi, .unseen, [aria-hidden]')) continue
      if (parentElement.closest('[dir]')?.dir !== 'auto') found.push('without dir: ' + parentElement.outerHTML.slice(0, 200))
    }
    found`)

/**
 * For each style sheet of a page, by file name, the selectors that match nothing on it in any state of its elements; and the page's classes. Parts
 * that depend on state are ignored: pseudo-classes, attributes that scripts and folds change, and a `:not()` with one of them.
 */
export const unmatchedSelectors = (page: Page): Promise<{ sheets: Record<string, string[]>; classes: string[] }> =>
  page.evaluate(`
    const state = /::[\\w-]+|:(hover|focus|focus-visible|focus-within|active|visited|target|checked|disabled|invalid|user-invalid|placeholder-shown|popover-open|open|indeterminate)(?![\\w-])|\\[(open|hidden|aria-\\w+)[^\\]]*\\]/g
    const endOf = (text, from) => {
      for (let depth = 0, i = from; i < text.length; i++) {
        if (text[i] === '(') depth++
        if (text[i] === ')' && --depth === 0) return i + 1
      }
    }
    const stateless = selector => {
      for (let at = selector.indexOf(':not('); at >= 0; at = selector.indexOf(':not(', at + 1)) {
        const end = endOf(selector, at + 4)
        if (selector.slice(at, end).search(state) >= 0) selector = selector.slice(0, at) + (/[\\w\\])*]/.test(selector[at - 1] ?? ' ') ? '' : '*') + selector.slice(end)
      }
      return selector.replace(state, (...found) => /[\\w\\])*]/.test(found.at(-1)[found.at(-2) - 1] ?? ' ') ? '' : '*')
    }
    const parts = text => {
      const found = ['']
      let depth = 0
      for (const sign of text) {
        if (sign === '(') depth++
        if (sign === ')') depth--
        if (sign === ',' && depth === 0) found.push('')
        else found[found.length - 1] += sign
      }
      return found.map(part => part.trim())
    }
    const read = rules => [...rules].flatMap(({ selectorText, cssRules }) => selectorText === undefined
      ? read(cssRules ?? [])
      : parts(selectorText).filter(selector => document.querySelector(stateless(selector) || '*') === null))
    const sheets = {}
    for (const { href, cssRules } of document.styleSheets)
      if (href !== null) sheets[new URL(href).pathname.split('/').at(-1)] = read(cssRules)
    ;({ sheets, classes: [...document.querySelectorAll('[class]')].flatMap(({ classList }) => [...classList]) })`)
