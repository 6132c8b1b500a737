import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { BodyBuffer } from '../../../src/clients/client/body-buffer.ts'
import { BrokenPage, readWholePage } from '../../../src/clients/client/whole-page.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The page given in pieces that end at these places, each of the kind of bytes that a fetch may give. */
async function read(
  text: string | Uint8Array,
  cuts: readonly number[] = [],
  kindOf = (bytes: Uint8Array): Uint8Array => bytes,
) {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text
  const places = [...new Set([0, ...cuts.map(cut => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
  const body = new BodyBuffer()
  for (const [i, at] of places.slice(1).entries()) body.add(kindOf(bytes.slice(places[i]!, at)))
  const { applications, end } = await readWholePage(body.view())
  return { applications: applications.map(application => JSON.parse(decoder.decode(application))), end }
}

const cutPlaces = fc.array(fc.nat({ max: 5000 }), { maxLength: 12 })
/** As JSON holds it: no -0, no NaN. */
const application = fc
  .dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())
  .map(value => JSON.parse(JSON.stringify(value)))

/** With the digest of its lines, unless `end` has one. */
function pageOf(applications: readonly unknown[], end: object): string {
  const lines = applications.map(line => `${JSON.stringify(line)}\n`).join('')
  const sha256 = createHash('sha256').update(lines).digest('hex')
  return `${lines}${JSON.stringify({ sha256, ...end })}\n`
}

describe('a page in pieces', () => {
  test('yields each application once, in order, and the content of its last line, wherever the pieces end', async () => {
    const token = fc.option(fc.stringMatching(/^[0-9A-Za-z]+$/))
    // `slice` of a Buffer copies nothing.
    const kind = fc.constantFrom<(bytes: Uint8Array) => Uint8Array>(bytes => bytes, Buffer.from)
    await fc.assert(
      fc.asyncProperty(fc.array(application), token, cutPlaces, kind, async (payload, nextPageToken, cuts, kindOf) => {
        const { applications, end } = await read(
          pageOf(payload, { nextPageToken, count: payload.length }),
          cuts,
          kindOf,
        )
        expect(applications).toEqual(payload)
        expect(end).toEqual({ nextPageToken, applications: payload.length })
      }),
    )
  })

  test('G9: "Never a partial 200 that parses": a page cut short anywhere, even between two lines, is broken', async () => {
    const page = pageOf([{ a: '}]"\\' }, { b: [[]] }], { nextPageToken: 'Zz9', count: 2 })
    for (let length = 0; length < page.length; length++)
      await expect(read(page.slice(0, length))).rejects.toThrow(BrokenPage)
  })

  test('a page with any flipped bit in its applications is broken, even if it still parses', async () => {
    const page = encoder.encode(pageOf([{ rent: 1200 }, { name: 'Ada' }], { nextPageToken: null, count: 2 }))
    const lines = page.indexOf(0x0a, page.indexOf(0x0a) + 1)
    for (let at = 0; at < lines; at++)
      for (let bit = 0; bit < 8; bit++) {
        const changed = page.slice()
        changed[at]! ^= 1 << bit
        await expect(read(changed)).rejects.toThrow(BrokenPage)
      }
  })

  test.each<[string, string | Uint8Array]>([
    ['only a line break', '\n'],
    ['text after its end', `${pageOf([], { nextPageToken: null, count: 0 })}x`],
    ['another page after its end', pageOf([], { nextPageToken: null, count: 0 }).repeat(2)],
    ['one application fewer than its count', pageOf([{ a: 1 }], { nextPageToken: null, count: 2 })],
    ['one application more than its count', pageOf([{ a: 1 }, { a: 1 }], { nextPageToken: null, count: 1 })],
    ['no token', pageOf([{ a: 1 }], { count: 1 })],
    ['an invalid token', pageOf([{ a: 1 }], { nextPageToken: 7, count: 1 })],
    ['no count', pageOf([], { nextPageToken: null })],
    ['the digest of another page', pageOf([{ a: 1 }], { nextPageToken: null, count: 1, sha256: '0'.repeat(64) })],
    ['a different document', 'null\n'],
    ['text that is not UTF-8', Buffer.from(pageOf([], { nextPageToken: null, count: 0, a: 'ÿ' }), 'latin1')],
  ])('a page with %s is broken', async (_, text) => {
    await expect(read(text, [3, 17])).rejects.toThrow(BrokenPage)
  })
})
