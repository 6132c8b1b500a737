import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { BrokenPage, type PageEnd, PageLines } from '../../src/client/page-lines.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The page given in pieces that end at these places, each of the kind of bytes that a fetch may give. */
function read(
  text: string,
  cuts: readonly number[],
  kindOf = (bytes: Uint8Array): Uint8Array => bytes,
): { applications: unknown[]; end: PageEnd } {
  const bytes = encoder.encode(text)
  const places = [...new Set([0, ...cuts.map(cut => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
  const lines = new PageLines()
  const applications: unknown[] = []
  for (const [i, at] of places.slice(1).entries()) {
    const chunk = kindOf(bytes.slice(places[i]!, at))
    for (const application of lines.push(chunk)) applications.push(JSON.parse(decoder.decode(application)))
    // Written over after it was pushed, as a buffer that is used again would be: what was kept of it must be a copy.
    chunk.fill(0x7d)
  }
  return { applications, end: lines.end() }
}

const cutPlaces = fc.array(fc.nat({ max: 5000 }), { maxLength: 12 })
/** As JSON holds it: no -0, no NaN. */
const application = fc
  .dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())
  .map(value => JSON.parse(JSON.stringify(value)))

const pageOf = (applications: readonly unknown[], end: unknown): string =>
  [...applications, end].map(line => `${JSON.stringify(line)}\n`).join('')

describe('a page in pieces', () => {
  test('gives each application once, in order, and what its last line says, wherever it is cut', () => {
    const token = fc.option(fc.stringMatching(/^[0-9A-Za-z]+$/))
    // `slice` of a Buffer copies nothing.
    const kind = fc.constantFrom<(bytes: Uint8Array) => Uint8Array>(bytes => bytes, Buffer.from)
    fc.assert(
      fc.property(fc.array(application), token, cutPlaces, kind, (payload, nextPageToken, cuts, kindOf) => {
        const { applications, end } = read(pageOf(payload, { nextPageToken, count: payload.length }), cuts, kindOf)
        expect(applications).toEqual(payload)
        expect(end).toEqual({ nextPageToken, applications: payload.length })
      }),
    )
  })

  test('G9: "Never a partial 200 that parses": a page that is cut short anywhere, between two lines too, is broken', () => {
    const page = pageOf([{ a: '}]"\\' }, { b: [[]] }], { nextPageToken: 'Zz9', count: 2 })
    for (let length = 0; length < page.length; length++) {
      expect(() => read(page.slice(0, length), [])).toThrow(BrokenPage)
    }
    expect(read(page, []).end).toEqual({ nextPageToken: 'Zz9', applications: 2 })
  })

  test.each([
    ['no line', ''],
    ['no end of its last line', '{"nextPageToken":null,"count":0}'],
    ['something after its end', '{"nextPageToken":null,"count":0}\nx'],
    ['another page after it', '{"nextPageToken":null,"count":0}\n{"nextPageToken":null,"count":0}\n'],
    ['an application less than it says', '{"a":1}\n{"nextPageToken":null,"count":2}\n'],
    ['an application more than it says', '{"a":1}\n{"a":1}\n{"nextPageToken":null,"count":1}\n'],
    ['no token', '{"a":1}\n{"count":1}\n'],
    ['a token that is none', '{"a":1}\n{"nextPageToken":7,"count":1}\n'],
    ['no count', '{"nextPageToken":null}\n'],
    ['an application last', '{"a":1}\n{"a":1}\n'],
    ['a JSON page', '{"payload":[],"nextPageToken":null}\n'],
    ['another document', 'null\n'],
    ['no JSON', '<html>\n'],
  ])('%s: it is broken', (_, text) => {
    expect(() => read(text, [3, 17])).toThrow(BrokenPage)
  })

  test('a last line that is not UTF-8 is broken', () => {
    const lines = new PageLines()
    lines.push(
      Uint8Array.from([...encoder.encode('{"nextPageToken":null,"count":0,"a":"'), 0xff, ...encoder.encode('"}\n')]),
    )
    expect(() => lines.end()).toThrow(BrokenPage)
  })
})
