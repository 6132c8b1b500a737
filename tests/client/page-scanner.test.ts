import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { BrokenPage, type PageEnd, PageScanner } from '../../src/client/page-scanner.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The page given in pieces that end at these places. */
function scan(text: string, cuts: readonly number[]): { applications: unknown[]; end: PageEnd } {
  const bytes = encoder.encode(text)
  const places = [...new Set([0, ...cuts.map(cut => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
  const scanner = new PageScanner()
  // Written over after it was pushed, as a buffer that is used again would be: what was kept of it must be a copy.
  const applications: unknown[] = []
  for (const [i, at] of places.slice(1).entries()) {
    const chunk = bytes.slice(places[i]!, at)
    for (const application of scanner.push(chunk)) applications.push(JSON.parse(decoder.decode(application)))
    chunk.fill(0x7d)
  }
  return { applications, end: scanner.end() }
}

const cutPlaces = fc.array(fc.nat({ max: 5000 }), { maxLength: 12 })
/** As JSON holds it: no -0, no NaN. */
const application = fc
  .dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())
  .map(value => JSON.parse(JSON.stringify(value)))
const layouts = fc.constantFrom(undefined, 1, '\t')

describe('a page in pieces', () => {
  test('gives each application once, in order, and what stands around them, wherever it is cut and however it is laid out', () => {
    fc.assert(
      fc.property(
        fc.array(application),
        fc.option(fc.stringMatching(/^[0-9A-Za-z]+$/)),
        cutPlaces,
        layouts,
        (payload, nextPageToken, cuts, layout) => {
          for (const page of [
            { payload, nextPageToken },
            { other: [1, { payload: [2] }], nextPageToken, receipt: { text: '"payload":[' }, payload },
          ]) {
            const { applications, end } = scan(JSON.stringify(page, null, layout), cuts)
            const { payload: _, ...members } = page
            expect(applications).toEqual(payload)
            expect(end).toEqual({ nextPageToken, applications: payload.length, members })
          }
        },
      ),
    )
  })

  test('G9: "Never a partial 200 that parses": a page that is cut short anywhere is broken', () => {
    const page = JSON.stringify({ payload: [{ a: '}]"\\' }, { b: [[]] }], nextPageToken: 'Zz9' })
    for (let length = 0; length < page.length; length++) {
      const scanner = new PageScanner()
      scanner.push(encoder.encode(page.slice(0, length)))
      expect(() => scanner.end()).toThrow(BrokenPage)
    }
  })

  test.each([
    ['something after its end', '{"payload":[],"nextPageToken":null}x'],
    ['another page after it', '{"payload":[],"nextPageToken":null}{"payload":[],"nextPageToken":null}'],
    ['a comma too many', '{"payload":[{},],"nextPageToken":null}'],
    ['a comma too few', '{"payload":[{} {}],"nextPageToken":null}'],
    ['a bracket of the wrong kind', '{"payload":[{}},"nextPageToken":null]'],
    ['no token', '{"payload":[]}'],
    ['a token that is none', '{"payload":[],"nextPageToken":7}'],
    ['no applications', '{"nextPageToken":null}'],
    ['applications that are no list', '{"payload":{"a":[]},"nextPageToken":null}'],
    ['another document', '"payload"'],
  ])('%s: it is broken', (_, text) => {
    expect(() => scan(text, [3, 17])).toThrow(BrokenPage)
  })

  test('bytes that are not UTF-8 are broken', () => {
    const scanner = new PageScanner()
    expect(() => scanner.push(Uint8Array.of(0x7b, 0xff, 0x7d))).toThrow(BrokenPage)
  })
})
