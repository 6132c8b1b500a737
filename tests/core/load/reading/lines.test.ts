import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { linesOf } from '../../../../src/core/load/reading/lines.ts'

async function* inPieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0
  for (let i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!
    yield bytes.subarray(at, at + size)
    at += size
  }
}

/** The texts of the lines in their order; undefined for one that is too long. */
async function textsOf(text: string, sizes: readonly number[], bytesMax: number): Promise<(string | undefined)[]> {
  const texts: (string | undefined)[] = []
  for await (const { number, bytes } of linesOf(inPieces(Buffer.from(text), sizes), bytesMax)) {
    expect(number).toBe(texts.length + 1)
    texts.push(bytes && Buffer.from(bytes).toString())
  }
  return texts
}

describe('linesOf', () => {
  const input = fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }).map(line => line.replaceAll('\n', ' ')))
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 })

  test('returns every line once, complete and in order, however the bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(input, fc.boolean(), sizes, async (lines, endsLine, pieces) => {
        const text = lines.join('\n') + (endsLine ? '\n' : '')
        const expected = text.split('\n')
        // What follows the last line end is a line only if there is something.
        if (expected.at(-1) === '') expected.pop()
        expect(await textsOf(text, pieces, 1000)).toEqual(expected)
      }),
    )
  })

  test('skips a line that is too long, reports its number, and continues after it', async () => {
    const long = 'x'.repeat(30)
    for (const size of [1, 7, 1000])
      expect(await textsOf(`a\nb\n${long}\nc\n${long}`, [size], 20)).toEqual(['a', 'b', undefined, 'c', undefined])
  })

  test('holds no more of a line than may be accepted', async () => {
    const file = join(import.meta.dir, '../../../../src/core/load/reading/lines.ts')
    const script = `
      import { linesOf } from '${file}'
      let peak = 0
      async function* endless() {
        for (let made = 0; made < 20_000; made++) {
          // What is let go of is collected now and then, so that only what is held counts.
          if (made % 500 === 0) Bun.gc(true)
          peak = Math.max(peak, process.memoryUsage.rss())
          yield new Uint8Array(64 * 1024).fill(120)
        }
      }
      for await (const { number, bytes } of linesOf(endless(), 1024 * 1024))
        console.log(JSON.stringify({ number, left: bytes === undefined, peak }))`
    // In a process of its own, whose memory is this work's alone.
    const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
    const { number, left, peak } = (await child.stdout.json()) as { number: number; left: boolean; peak: number }
    expect({ number, left }).toEqual({ number: 1, left: true })
    // 1.3 GB went through; the runtime and what it has not collected yet take up to 200 MB.
    expect(peak).toBeLessThan(300 * 1024 * 1024)
  })
})
