// Whether the first byte of a large page comes as soon as that of a small one.

import { type BenchContext, withService } from '../bench-context.ts'
import { atMost, digits, type SectionReport } from '../findings.ts'
import { fetchPages, warmUp } from '../http-subject.ts'
import { inRounds } from '../rounds.ts'
import { median, pairedRatio } from '../statistics.ts'

const smallRows = 1000
const repeats = { small: 15, large: 3 }

export async function measureFirstByte(context: BenchContext): Promise<SectionReport> {
  const { children, options } = context
  const largeRows = Math.min(100_000, options.applications)
  const rounds = await withService(context, {}, async service => {
    await warmUp(children, service)
    const firstByte = async (rows: number, count: number): Promise<number> =>
      median((await fetchPages(children, service, rows, count)).map(transfer => transfer.firstByteMs))
    return inRounds(context, {
      small: () => firstByte(smallRows, repeats.small),
      large: () => firstByte(largeRows, repeats.large),
    })
  })
  return {
    findings: [
      atMost(
        1.5,
        `first byte of ${largeRows.toLocaleString('en')} against that of 1,000`,
        pairedRatio(rounds.large, rounds.small),
      ),
    ],
    tables: [
      {
        title: 'First byte',
        head: ['applications', 'ms'],
        rows: [
          [smallRows.toLocaleString('en'), digits(median(rounds.small))],
          [largeRows.toLocaleString('en'), digits(median(rounds.large))],
        ],
      },
    ],
    raw: rounds,
  }
}
