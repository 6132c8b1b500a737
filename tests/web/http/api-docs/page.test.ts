import { beforeAll, describe, expect, test } from 'bun:test'
import { useDatabase, useService } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'
import { aDraft, aProgram, everyKind, q } from '../../../support/programs.ts'

const pages: Record<string, string> = {
  index: '/docs/api/programs',
  program: '/docs/api/programs/shown',
  draft: '/docs/api/programs/shown/versions/draft',
  questions: '/docs/api/programs/shown/versions/active/questions',
  changes: '/docs/api/programs/shown/versions/draft/changes',
  service: '/docs/api',
}

const database = await useDatabase()
const service = await useService(database)
await aProgram(database.sql, { slug: 'shown', questions: everyKind })
await aDraft(database.sql, { slug: 'shown', questions: [...everyKind, q.text('new')] })
const key = await createTestKey(database.sql, { programs: ['shown'] })

const get = (path: string): Promise<Response> =>
  service.get(path, { headers: { Authorization: key.authorization, Accept: 'text/html' } })

interface Element {
  name: string
  attributes: Map<string, string>
}

async function elementsOf(text: string): Promise<Element[]> {
  const elements: Element[] = []
  await new HTMLRewriter()
    .on('*', { element: found => void elements.push({ name: found.tagName, attributes: new Map(found.attributes) }) })
    .transform(new Response(text))
    .text()
  return elements
}

describe.each(Object.keys(pages))('the page %s', name => {
  let response: Response
  let text: string
  let elements: Element[]
  beforeAll(async () => {
    response = await get(pages[name]!)
    text = await response.text()
    elements = await elementsOf(text)
  })
  const all = (wanted: string): Element[] => elements.filter(element => element.name === wanted)

  test('loads only files of its own origin, and nothing inline', () => {
    const policy = response.headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
    expect(policy).not.toMatch(/https?:/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('referrer-policy')).toBe('same-origin')
    expect(all('style')).toEqual([])
    for (const element of elements) {
      expect(element.attributes.has('style')).toBe(false)
      for (const attribute of element.attributes.keys()) expect(attribute).not.toStartWith('on')
      const source =
        element.attributes.get('src') ?? (element.name === 'link' ? element.attributes.get('href') : undefined)
      if (source !== undefined && source !== 'data:,') expect(source).toStartWith('/assets/')
    }
    for (const script of text.matchAll(/<script[^>]*>([^<]*)</g)) expect(script[1]).toBe('')
  })

  test('requests only files that every reader of the page can load', async () => {
    for (const element of elements.filter(({ name }) => name === 'link' || name === 'script')) {
      const path = element.attributes.get('href') ?? element.attributes.get('src')!
      if (path === 'data:,') continue
      const file = await service.get(path)
      expect(file.status).toBe(200)
      const again = await service.get(path, { headers: { 'If-None-Match': file.headers.get('etag')! } })
      expect(again.status).toBe(304)
    }
  })

  test('has landmarks and headings, and a link to its content', () => {
    expect(all('html')[0]!.attributes.get('lang')).toBe('en')
    for (const landmark of ['header', 'main', 'title']) expect(all(landmark)).toHaveLength(1)
    for (const nav of all('nav')) expect(nav.attributes.get('aria-label')).toBeString()
    const links = all('a')
    expect(links[0]!.attributes.get('href')).toBe('#content')
    expect(all('main')[0]!.attributes.get('id')).toBe('content')
    // The lists alongside the content have headings of their own.
    const levels = elements
      .slice(elements.indexOf(all('main')[0]!))
      .filter(({ name }) => /^h[1-6]$/.test(name))
      .map(({ name }) => Number(name[1]))
    expect(levels.filter(level => level === 1)).toHaveLength(1)
    for (const [i, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[i - 1] ?? 0) + 1)
    expect(all('meta').some(meta => meta.attributes.get('content')?.includes('width=device-width'))).toBe(true)
  })

  test('has unique IDs, and every reference to one finds it', () => {
    const ids = elements.flatMap(({ attributes }) => attributes.get('id') ?? [])
    expect(new Set(ids).size).toBe(ids.length)
    for (const { attributes } of elements) {
      const to = attributes.get('aria-labelledby') ?? attributes.get('href')?.match(/^#(.*)/)?.[1]
      if (to !== undefined) expect(ids).toContain(to)
    }
  })

  test('has tables with a caption and scoped headers, and wide content in boxes that scroll by keyboard', () => {
    expect(all('caption')).toHaveLength(all('table').length)
    for (const header of all('th')) expect(['col', 'row']).toContain(header.attributes.get('scope')!)
    const boxes = elements.filter(({ attributes }) => attributes.get('class')?.split(' ').includes('scroll'))
    const trees = elements.filter(({ attributes }) => attributes.get('class') === 'json')
    const wide = elements.filter(({ attributes }) => attributes.get('class')?.split(' ').includes('reference'))
    expect(boxes).toHaveLength(all('pre').length + trees.length + wide.length)
    for (const box of boxes) {
      expect(box.name).toBe('section')
      expect(box.attributes.get('tabindex')).toBe('0')
      expect(box.attributes.get('aria-label')).toBeString()
    }
  })
})

describe('the style sheets', () => {
  const read = async (name: string): Promise<string> => (await service.get(`/assets/${name}`)).text()

  /** Custom properties that are colours, light or dark. */
  async function colours(mode: 'light' | 'dark'): Promise<Map<string, string>> {
    const css = (await read('console.css')) + (await read('docs.css'))
    const declared = css.matchAll(/--([\w-]+):\s*(?:light-dark\((#\w{6}), (#\w{6})\)|(#\w{6}))/g)
    return new Map(
      [...declared].map(([, name, light, dark, both]) => [name!, both ?? (mode === 'light' ? light! : dark!)]),
    )
  }

  // WCAG 2.2, 1.4.3 and 1.4.11: 4.5 for text, 3 for what shows the focus.
  test.each(['light', 'dark'] as const)('have enough contrast when %s', async mode => {
    const all = await colours(mode)
    const contrast = (a: string, b: string): number => {
      const [high, low] = [luminance(all.get(a)!), luminance(all.get(b)!)].sort((x, y) => y - x) as [number, number]
      return (high + 0.05) / (low + 0.05)
    }
    for (const ground of ['paper', 'card', 'sunken'])
      for (const ink of ['ink', 'soft', 'river'])
        expect([ink, ground, contrast(ink, ground) > 4.5]).toEqual([ink, ground, true])
    for (const ground of ['code', 'code-deep', 'code-line'])
      for (const ink of ['on-code', 'code-soft', 'code-key', 'code-text', 'code-number', 'code-word'])
        expect([ink, ground, contrast(ink, ground) > 4.5]).toEqual([ink, ground, true])
    for (const tone of ['amber', 'green', 'red']) expect(contrast(tone, `${tone}-wash`)).toBeGreaterThan(4.5)
    for (const ground of ['code', 'code-deep']) expect(contrast('amber-mark', ground)).toBeGreaterThan(3)
  })

  test('load nothing from other origins', async () => {
    for (const name of ['console.css', 'docs.css']) {
      const css = await read(name)
      expect(css).not.toContain('@import')
      for (const [, url] of css.matchAll(/url\("?([^")]*)/g)) expect(url).toMatch(/^[\w-]+\.woff2$/)
    }
  })
})

/** Relative luminance of `#rrggbb`, as WCAG defines it. */
function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map(at => {
    const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

test('the field `status` of a program has its statuses in order', async () => {
  await aProgram(database.sql, { slug: 'decides', statuses: ['Received', 'In review'] })
  await aProgram(database.sql, { slug: 'undecided', statuses: [] })
  const granted = await createTestKey(database.sql, { programs: ['decides', 'undecided'] })
  const statusesOn = async (slug: string) => {
    const headers = { Authorization: granted.authorization, Accept: 'text/html' }
    const page = await (await service.get(`/docs/api/programs/${slug}`, { headers })).text()
    const [, field] = /<dt><code>status<\/code>.*?<dd>(.*?)<\/dd>/s.exec(page)!
    return [...field!.matchAll(/<code[^>]*>([^<]*)</g)].map(([, status]) => status)
  }
  expect(await statusesOn('decides')).toEqual(['Received', 'In review'])
  expect(await statusesOn('undecided')).toEqual([])
})
