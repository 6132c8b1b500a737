// JSON that is coloured and folds: its text stays what JSON.stringify writes, whatever the value.

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { renderToString } from 'preact-render-to-string'
import { JsonTree } from '../../../../src/web/docs/components/json-tree.tsx'
import { decoded } from '../../../support/console.ts'

/** The text of the element, as a browser has it: of its markup, every sign stands for itself. */
async function textOf(value: unknown): Promise<string> {
  let text = ''
  await new HTMLRewriter()
    .on('#tree', {
      text: piece => {
        text += piece.text
      },
    })
    .transform(new Response(renderToString(JsonTree({ value, id: 'tree' }))))
    .text()
  return decoded(text)
}

test('the text of a JSON tree is the exact JSON of any value', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), async value => {
      // As it comes out of a response: -0 is 0 there.
      const parsed: unknown = JSON.parse(JSON.stringify(value))
      expect(await textOf(parsed)).toBe(JSON.stringify(parsed, null, 2))
    }),
  )
})

test.each([
  ['markup in keys and texts', { '</details><script>': '<img src=x onerror=alert(1)>', '&lt;': '&amp;' }],
  ['objects of very many members', Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`key ${i}`, { a: [i] }]))],
  ['lists within lists', Array.from({ length: 15 }, () => [[], {}, [[null, true, 1.5]]])],
  ['what is too long for colours', Array.from({ length: 30_000 }, (_, i) => `<${i}>`)],
])('the text of a JSON tree is the exact JSON of %s', async (_, value) => {
  expect(await textOf(value)).toBe(JSON.stringify(value, null, 2))
})

test('the first item of a list is open and the others are folded, as are members after the first of very many', () => {
  const long = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`key_${i}`, i]))
  const shown = renderToString(JsonTree({ value: [long, long], id: 'tree' }))
  // The list and its first are open; its second, and the rest of the members of each, are not.
  expect(shown.match(/<details open/g)).toHaveLength(2)
  expect(shown.match(/<details>/g)).toHaveLength(3)
  expect(shown).toContain('aria-label="28 more"')
})
