// The docs as Markdown: the same content as the pages, for the same readers, and texts of programs stay words.

import { expect, test } from 'bun:test'
import { markdownOf } from '../../../src/web/docs/markdown/markdown-of.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { aDraft, aProgram, everyKind, q } from '../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database, { baseUrl: 'https://example.gov/apply' })
await aProgram(database.sql, { slug: 'shown', questions: everyKind })
await aDraft(database.sql, { slug: 'shown', questions: [...everyKind, q.text('brand new')] })
const key = await createTestKey(database.sql, { programs: ['shown'], maySubmit: true })
const get = (path: string, headers: Record<string, string> = { Authorization: key.authorization }) =>
  service.get(path, { headers: { Accept: 'text/html', ...headers } })

test.each([
  '/docs/api',
  '/docs/api/programs',
  '/docs/api/connect',
  '/docs/api/programs/shown',
  '/docs/api/programs/shown/versions/draft',
  '/docs/api/programs/shown/versions/active/questions',
  '/docs/api/programs/shown/versions/draft/changes',
])('%s has its headings in Markdown, only for its readers', async path => {
  const answer = await get(`${path}.md`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
  const markdown = await answer.text()
  const page = await (await get(path)).text()
  const headings: string[] = []
  await new HTMLRewriter()
    .on('main h2[id]', { text: ({ text }) => void headings.push(text) })
    .transform(new Response(page))
    .text()
  for (const heading of headings.filter(text => text !== '')) expect(markdown).toContain(`## ${heading}\n`)
  expect(page).toContain(`href="/apply${path.replace('/active/', '/1/').replace('/draft', '/2')}.md"`)
  expect((await get(`${path}.md`, {})).status).toBe(401)
  expect(
    (await get(`${path}.md`, { Authorization: key.authorization, Accept: 'application/json' })).headers.get(
      'content-type',
    ),
  ).toStartWith('text/markdown')
})

test('examples are JSON, and links lead below the path of the service', async () => {
  const [{ example }] = (
    (await (
      await get('/docs/api/programs/shown', { Authorization: key.authorization, Accept: 'application/json' })
    ).json()) as { versions: [{ example: unknown }] }
  ).versions
  const markdown = await (await get('/docs/api/programs/shown.md')).text()
  expect(JSON.parse(/```json\n([\s\S]*?)\n```/.exec(markdown)![1]!)).toEqual(example)
  expect(markdown).toContain('](https://example.gov/apply/docs/api/programs/shown/versions/1/openapi.json)')
})

test('texts that look like Markdown or HTML are plain text', () => {
  const html = '<main><p>*a* [b](c) &lt;i> `d`</p><p><code>x*y`z</code></p><p><a href="/e">f</a></p><nav>g</nav></main>'
  expect(markdownOf(html, 'https://h')).toBe("\\*a\\* \\[b\\](c) \\<i> \\`d\\`\n\n`x*y'z`\n\n[f](https://h/e)\n")
})

test('a long page in Markdown consists of its parts in order', () => {
  const part =
    '<h2>a</h2><p>b  <code>c</code> d</p><table><tr><th>e</th></tr><tr><td>f</td></tr></table><pre>g\n h</pre>'
  const count = 500
  const [short, long] = [1, count].map(n => markdownOf(`<main>${part.repeat(n)}</main>`, 'https://h'))
  expect(long).toBe(`${Array(count).fill(short!.trim()).join('\n\n')}\n`)
})

test('/llms.txt links to the docs without a key, and names no program', async () => {
  const answer = await get('/llms.txt', {})
  const text = await answer.text()
  expect(answer.status).toBe(200)
  expect([...text.matchAll(/\]\(https:\/\/example\.gov\/apply([^)]*)\)/g)].map(([, path]) => path)).toEqual([
    '/docs/api/programs.md',
    '/docs/api.md',
    '/docs/api/connect.md',
    '/docs/api/openapi.json',
  ])
  expect(text).not.toContain('shown')
})

test('a key that can submit sees how, with answers that are accepted, and other keys do not', async () => {
  const markdown = await (await get('/docs/api/programs/shown.md')).text()
  const commands = [...markdown.matchAll(/```\n(curl[\s\S]*?)\n```/g)].map(([, command]) => command!)
  const body = (of: string) => / -d '([\s\S]*?)' \\\n/.exec(commands.find(command => command.includes(of))!)![1]!
  const send = (path: string, method: string, text: string, more = {}) =>
    service.get(path, {
      method,
      body: text,
      headers: { Authorization: key.authorization, 'Content-Type': 'application/json', ...more },
    })
  const registered = await send('/intake/v1/applicants', 'POST', body('/intake/v1/applicants'))
  const { applicant_id } = (await registered.json()) as { applicant_id: number }
  const applicant = `/intake/v1/programs/shown/applicants/${applicant_id}`
  expect((await send(`${applicant}/answers`, 'PUT', body('/answers'))).status).toBe(200)
  expect(commands.some(command => command.includes('/submissions'))).toBe(true)
  const other = await createTestKey(database.sql, { programs: ['shown'] })
  expect(await (await get('/docs/api/programs/shown.md', { Authorization: other.authorization })).text()).not.toContain(
    '/intake/v1/',
  )
})

test.each([
  [400, '?revisionState=NEW', {}],
  [401, '', { Authorization: 'Basic d3Jvbmc6d3Jvbmc=' }],
  [406, '', { Accept: 'text/html' }],
  [412, '', { 'If-Match': '"x"' }],
])('the example of a %i is what the export returns', async (status, query, more) => {
  const headers = { Authorization: key.authorization, Accept: 'application/json', ...more }
  const answer = await service.get(`/api/v1/admin/programs/shown/applications${query}`, { headers })
  const { request_id: _, ...problem } = (await answer.json()) as Record<string, unknown>
  const markdown = await (await get('/docs/api/programs/shown.md')).text()
  const examples = [...markdown.matchAll(/```json\n([\s\S]*?)\n```/g)].map(([, text]) => JSON.parse(text!) as object)
  expect(examples).toContainEqual(expect.objectContaining({ ...problem, status }))
})

test('the table of questions has a row with the key of each question', async () => {
  const page = await (await get('/docs/api/programs/shown/versions/draft/questions')).text()
  expect(page.match(/<td class="comment"/g)!.length).toBe(page.match(/<tr>/g)!.length - 1)
  expect(page).toContain('<code>brand_new</code>')
  expect((await get('/docs/api/programs/shown/versions/7/questions')).status).toBe(404)
})
