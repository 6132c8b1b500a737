// The texts that people read, against the snapshot in which they are reviewed.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { checkout, readTexts, snapshotOf, snapshotPath } from '../scripts/testing/checkout-texts.ts'
import { textsOf } from '../scripts/testing/find-texts.ts'

test('tests/texts.snapshot.txt has every text: after a change, scripts/texts --update writes it', async () => {
  const kept = (await Bun.file(join(checkout, snapshotPath)).text()).split('\n')
  const found = snapshotOf(await readTexts()).split('\n')
  const [before, now] = [new Set(kept), new Set(found)]
  expect([
    ...kept.filter(line => !now.has(line)).map(line => `- ${line}`),
    ...found.filter(line => !before.has(line)).map(line => `+ ${line}`),
  ]).toEqual([])
  // A merge leaves both sides' lines, which may be twice or out of order.
  expect(kept).toEqual(found)
})

const found = (source: string, path = 'src/web/console/x.tsx') =>
  textsOf(path, source).map(({ kind, text }) => `${kind}: ${text}`)

test('a page: text with what stands in it as one text, labels of one word, attributes; no class and no code', () => {
  expect(
    found(
      'const x = <p class="two words">Used by <strong>{key.name}</strong>,{" "}\n {count} times. <Link to={a} /></p>',
    ),
  ).toEqual(['console: Used by {name}, {count} times. {Link}'])
  expect(found('<Field name="key_name" label="Name" hint={isNew ? "Say whose." : "Now set."} />')).toEqual([
    'console: Name',
    'console: Say whose.',
    'console: Now set.',
  ])
})

test('holes have the name of the value, choices their words, and a text within a hole is found by itself', () => {
  expect(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a template
    found('f(`${names.join(", ")} ${counted(rows)} ${n === 1 ? "row" : "rows"} came, ${g(`not a number here`)}`)'),
  ).toEqual(['console: {names} {rows} {row|rows} came, {g}', 'console: not a number here'])
})

test('kinds follow from what a text is given to', () => {
  const source = [
    '// What it does.',
    'import a from "a b"',
    'type A = "not a text"',
    'log.warn({ err }, "the relay waits")',
    'throw new Problem("conflict", { detail: "It has changed since.", errors: [{ code: "x", detail: "Too long here." }] })',
    'action({ summary: "List keys", run: () => "read the rest" })',
    'throw new Error("no such row there")',
    'sql`select a from b where c`',
    'if (a === "one thing more" || a.includes("one more thing")) b("text/html; charset=utf-8", "no-cache, no-store")',
  ]
  expect(found(source.join('\n'), 'src/core/keys/x.ts')).toEqual([
    'heads: What it does.',
    'logs: the relay waits',
    'problems: It has changed since.',
    'validation: Too long here.',
    'openapi: List keys',
    'other: read the rest',
    'errors: no such row there',
  ])
})
