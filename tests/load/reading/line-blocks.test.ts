import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { type LineBlock, lineBlocks } from '../../../src/load/reading/line-blocks.ts'

async function* inPieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0
  for (let i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!
    yield bytes.subarray(at, at + size)
    at += size
  }
}

const text = ({ bytes }: LineBlock): string => Buffer.from(bytes).toString()

describe('lineBlocks', () => {
  const input = fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }).map(line => line.replaceAll('\n', ' ')))
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 })

  test('gives every line once, whole and in order, however the bytes come', async () => {
    await fc.assert(
      fc.asyncProperty(
        input,
        fc.boolean(),
        sizes,
        fc.integer({ min: 1, max: 60 }),
        async (lines, endsLine, pieces, blockBytes) => {
          const all = lines.join('\n') + (endsLine ? '\n' : '')
          const blocks: LineBlock[] = []
          for await (const block of lineBlocks(inPieces(Buffer.from(all), pieces), {
            lineBytesMax: 1000,
            blockBytes,
          })) {
            if ('tooLongLine' in block) throw new Error('no line is too long')
            blocks.push(block)
          }
          expect(blocks.map(text).join('')).toBe(all)
          let line = 1
          for (const [i, block] of blocks.entries()) {
            expect(block.firstLine).toBe(line)
            line += text(block).split('\n').length - 1
            if (i < blocks.length - 1) expect(text(block).endsWith('\n') && block.bytes.length >= blockBytes).toBe(true)
          }
        },
      ),
    )
  })

  test('leaves out a line that is too long, names its number, and goes on after it', async () => {
    const long = 'x'.repeat(30)
    const limits = { lineBytesMax: 20, blockBytes: 1000 }
    for (const size of [1, 7, 1000]) {
      const told: unknown[] = []
      for await (const block of lineBlocks(inPieces(Buffer.from(`a\nb\n${long}\nc\n${long}`), [size]), limits))
        told.push('tooLongLine' in block ? block : [block.firstLine, text(block)])
      expect(told).toEqual([[1, 'a\nb\n'], { tooLongLine: 3 }, [4, 'c\n'], { tooLongLine: 5 }])
    }
  })

  test('does not hold more of a line than is taken', async () => {
    const file = join(import.meta.dir, '../../../src/load/reading/line-blocks.ts')
    const script = `
      import { lineBlocks } from '${file}'
      let peak = 0
      async function* endless() {
        for (let made = 0; made < 20_000; made++) {
          // What is let go of is collected now and then, so that only what is held counts.
          if (made % 500 === 0) Bun.gc(true)
          peak = Math.max(peak, process.memoryUsage.rss())
          yield new Uint8Array(64 * 1024).fill(120)
        }
      }
      for await (const block of lineBlocks(endless(), { lineBytesMax: 1024 * 1024, blockBytes: 1024 }))
        console.log(JSON.stringify({ block, peak }))`
    // In a process of its own, whose memory is this work's alone.
    const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
    const { block, peak } = (await child.stdout.json()) as { block: unknown; peak: number }
    expect(block).toEqual({ tooLongLine: 1 })
    // 1.3 GB went through; the runtime and what it has not collected yet take up to 200 MB.
    expect(peak).toBeLessThan(300 * 1024 * 1024)
  })
})
