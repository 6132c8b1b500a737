// The docs of a program in each of its languages: texts change, and nothing that clients rely on does.

import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { aDraft, aProgram, q } from '../../support/programs.ts'
import { type Tag, textIn, trilingualProgram } from '../../support/trilingual-program.ts'

const slug = 'in-three-languages'
const database = await useDatabase()
const { sql } = database
await aProgram(sql, trilingualProgram(slug))
await aProgram(sql, { slug: 'english-only', questions: [q.text('why')] })
const service = await useService(database)
const key = await createTestKey(sql, { programs: [slug, 'english-only'] })
const hiding = await createTestKey(sql, { programs: [slug], hiddenQuestions: ['monthly rent'] })
const program = `/docs/api/programs/${slug}`

const get = (path: string, accept = 'text/html', { authorization } = key) =>
  service.get(path, { headers: { Authorization: authorization, Accept: accept } })

interface Docs {
  display_name: string
  language: string
  languages: string[]
  questions: {
    question_key: string
    text: string
    screen: string
    asked_when: string[]
    options: { id: string; text: string; earlier: { text: string }[] }[]
  }[]
}
const docsOf = async (path: string, reader = key): Promise<Docs> =>
  (await (await get(path, 'application/json', reader)).json()) as Docs

/** Without texts and languages. */
const withoutTexts = (docs: unknown): unknown =>
  JSON.parse(
    JSON.stringify(docs, (name, value: unknown) =>
      ['text', 'screen', 'asked_when', 'display_name', 'language', 'generated_at'].includes(name) ? undefined : value,
    ),
  )

const tags: Tag[] = ['en', 'es', 'ar']

test.each(tags)('in %s, JSON has the texts of the language, and the same keys, IDs and example', async tag => {
  const response = await get(`${program}/versions/active?language=${tag}`, 'application/json')
  expect(response.headers.get('content-language')).toBe(tag)
  const docs = (await response.json()) as Docs
  expect(docs).toMatchObject({ language: tag, languages: tags, display_name: textIn('name', tag) })
  const [owner, rent] = docs.questions
  expect(owner).toMatchObject({
    text: textIn('owner', tag),
    screen: textIn('screen', tag),
    options: [
      { id: 'owner', text: textIn('yes', tag), earlier: [] },
      { id: 'tenant', text: textIn('no', tag), earlier: [] },
    ],
  })
  expect(rent!.asked_when[0]).toContain(`“${textIn('owner', tag)}”`)
  expect(rent!.asked_when[0]).toContain(`“${textIn('no', tag)}”`)
  expect(withoutTexts(docs)).toEqual(withoutTexts(await docsOf(`${program}/versions/active`)))
})

test.each([
  ['', 'en'],
  ['?language=es-MX', 'es'],
  ['?language=ES', 'es'],
  ['?language=ar-EG-u-nu-latn', 'ar'],
  ['?language=fr', 'en'],
])('the language of %p is %s', async (query, tag) => {
  const shown = (await (await get(program + query, 'application/json')).json()) as { display_name: string }
  expect(shown.display_name).toBe(textIn('name', tag as Tag))
  for (const path of [program, `${program}.md`, `${program}/versions/active/questions`])
    expect((await get(path + query)).headers.get('content-language')).toBe(tag)
})

test('an invalid language tag and a language sent twice are refused', async () => {
  for (const query of ['?language=e', '?language=', '?language=es&language=ar'])
    for (const path of [program, `${program}/versions/active`, `${program}/versions/active/changes`])
      expect([query, (await get(path + query, 'application/json')).status]).toEqual([query, 400])
})

/** Texts of elements by the language they are marked with, links of the menu with their states, and links that keep the language. */
async function marksOf(path: string) {
  const marked = new Map<string, string[]>()
  const menu: [href: string | null, current: string | null][] = []
  const links: string[] = []
  let direction: (string | null)[] = []
  await new HTMLRewriter()
    .on('main [lang]', {
      element: element => {
        const tag = element.getAttribute('lang')!
        marked.set(tag, [...(marked.get(tag) ?? []), ''])
        if (element.tagName !== 'bdi') direction = [...direction, element.getAttribute('dir')]
      },
    })
    .on('main .languages a', {
      element: element => void menu.push([element.getAttribute('hreflang'), element.getAttribute('aria-current')]),
    })
    .on('main a[href*="/versions/"]:not([hreflang]), main a[href*=".md"]', {
      element: element => void links.push(element.getAttribute('href')!),
    })
    .transform(await get(path))
    .text()
  return { marked, menu, links, direction }
}

test.each(['', '/versions/active/questions', '/versions/active/changes'])(
  'the page %p marks its texts, offers each language, and its links keep the language',
  async page => {
    const { marked, menu, links, direction } = await marksOf(`${program}${page}?language=ar`)
    // One of each in the menu.
    expect([marked.get('es')?.length, marked.get('en')?.length]).toEqual([1, 1])
    expect(marked.get('ar')!.length).toBeGreaterThan(2)
    expect(new Set(direction)).toEqual(new Set(['auto']))
    expect(menu).toEqual([
      ['en', null],
      ['es', null],
      ['ar', 'page'],
    ])
    const files = /\.json$/
    for (const link of links.filter(href => !files.test(href))) expect(link).toEndWith('?language=ar')
    const html = await (await get(`${program}${page}?language=ar`)).text()
    expect(html).toStartWith('<!doctype html><html lang="en">')
    expect(html).toContain(textIn('owner', 'ar'))
    expect(html).not.toContain(textIn('owner', 'en'))
  },
)

test('Markdown and the printable table are in the language too', async () => {
  for (const page of ['.md', '/versions/active/questions.md', '/versions/active/questions']) {
    const text = await (await get(`${program}${page}?language=es`)).text()
    for (const name of ['name', 'owner', 'yes', 'no', 'rent'] as const) expect(text).toContain(textIn(name, 'es'))
    expect(text).not.toContain(textIn('owner', 'en'))
  }
})

test('a program in one language has no menu', async () => {
  const { menu } = await marksOf('/docs/api/programs/english-only')
  expect(menu).toEqual([])
})

test('hidden questions stay hidden in every language', async () => {
  for (const tag of tags) {
    const { questions } = await docsOf(`${program}/versions/active?language=${tag}`, hiding)
    expect(questions.map(({ question_key }) => question_key)).toEqual(['owns_home'])
    const page = await (await get(`${program}?language=${tag}`, 'text/html', hiding)).text()
    expect(page).not.toContain(textIn('rent', tag))
  }
})

test('texts of the program in breadcrumbs and in sentences of the page are marked with their language', async () => {
  for (const tag of ['es', 'ar'] as const)
    for (const page of ['', '/versions/active/questions', '/versions/active/changes']) {
      const html = await (await get(`${program}${page}?language=${tag}`)).text()
      const [, crumbs] = /<nav class="crumbs".*?>(.*?)<\/nav>/s.exec(html)!
      expect(crumbs).toMatch(new RegExp(`lang="${tag}"[^<]*>${textIn('name', tag)}<`))
      if (!page.endsWith('changes')) expect(html).toContain(`“<bdi lang="${tag}">${textIn('owner', tag)}</bdi>”`)
    }
})

test('files for clients are the same in every language', async () => {
  const digestOf = async (path: string) =>
    createHash('sha256')
      .update(await (await get(path, 'application/json')).text())
      .digest('hex')
  for (const file of ['response.schema.json', 'openapi.json'])
    expect(await digestOf(`${program}/versions/active/${file}?language=es`)).toBe(
      await digestOf(`${program}/versions/active/${file}`),
    )
})

test('a draft has its own languages', async () => {
  const { details, screens = [] } = trilingualProgram('growing')
  await aProgram(sql, { slug: 'growing', screens: [{ name: 'Your home', questions: [q.text('why')] }] })
  await aDraft(sql, { slug: 'growing', details: details!, screens })
  const reader = await createTestKey(sql, { programs: ['growing'] })
  const path = '/docs/api/programs/growing'
  const changes = await (await get(`${path}/versions/draft?language=es`, 'text/html', reader)).text()
  for (const [text, tag] of [
    [textIn('owner', 'en'), 'en'],
    [textIn('name', 'ar'), 'ar'],
  ])
    expect(changes).toContain(`“<bdi lang="${tag}">${text}</bdi>”`)
  const view = (await (await get(`${path}?language=es`, 'application/json', reader)).json()) as { versions: Docs[] }
  expect(view.versions.map(({ language, languages }) => [language, languages])).toEqual([
    ['en', ['en']],
    ['es', tags],
  ])
  for (const page of ['', '/questions', '/changes']) {
    const response = await get(`${path}/versions/draft${page}?language=es`, 'text/html', reader)
    expect(response.headers.get('content-language')).toBe('es')
    // The name is that of the active version.
    const named: (string | null)[] = []
    await new HTMLRewriter()
      .on('h1 bdi', { element: element => void named.push(element.getAttribute('lang')) })
      .transform(response)
      .text()
    expect(named).toEqual(['en'])
  }
})
