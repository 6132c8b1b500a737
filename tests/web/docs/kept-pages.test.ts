import { expect, test } from 'bun:test'
import { KeptPages } from '../../../src/web/docs/kept-pages.ts'

const pages = (max: number) => {
  const kept = new KeptPages(max)
  let made = 0
  const make = async () => new Response(`page ${++made}`, { headers: { 'Content-Type': 'text/html', Left: '9' } })
  const textOf = async (name: string) => (await kept.responseFor(name, make, {})).text()
  return { kept, make, textOf, made: () => made }
}

test('a page is generated once per name, even for concurrent requests, with the headers of each response', async () => {
  const { kept, make, made } = pages(2)
  const [item, other] = await Promise.all(['8', '7'].map(left => kept.responseFor('a', make, { Left: left })))
  expect([await item!.text(), await other!.text()]).toEqual(['page 1', 'page 1'])
  expect([item!.headers.get('Left'), other!.headers.get('Left')]).toEqual(['8', '7'])
  expect(item!.headers.get('Content-Type')).toBe('text/html')
  expect(made()).toBe(1)
})

test('a bounded number of pages is cached, and a failed one is generated again', async () => {
  const { kept, make, textOf, made } = pages(2)
  for (const name of ['a', 'b', 'a', 'c', 'b', 'c']) await textOf(name)
  expect(made()).toBe(3)
  expect(await textOf('a')).toBe('page 4')
  const fail = () => Promise.reject(new Error('no database'))
  await expect(kept.responseFor('d', fail, {})).rejects.toThrow('no database')
  expect(await (await kept.responseFor('d', make, {})).text()).toBe('page 5')
})
