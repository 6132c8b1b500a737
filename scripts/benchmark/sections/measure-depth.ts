// Whether a page far into a walk costs what the first one costs.

import { type BenchContext, withService } from '../bench-context.ts'
import { atMost, digits, type SectionReport } from '../findings.ts'
import { fetchToNowhere, type HttpSubject, warmUp } from '../http-subject.ts'
import { readPageBody } from '../page-body.ts'
import { inRounds } from '../rounds.ts'
import { median, pairedRatio } from '../statistics.ts'

const pageRows = 1000
const repeats = 60

export async function measureDepth(context: BenchContext): Promise<SectionReport> {
  const { children, data } = context
  // The last full page that another follows, so that all three have as many rows and as much to do.
  const lastPage = Math.floor((data.program.applications - 1) / pageRows) - 1
  const middlePage = Math.floor(lastPage / 2)
  const rounds = await withService(context, {}, async service => {
    await warmUp(children, service)
    const urls = await pageUrls(service, lastPage)
    const page = (index: number) => async (): Promise<number> => {
      const transfers = await fetchToNowhere(children, urls[index]!, service.headers, repeats)
      return median(transfers.map(transfer => transfer.wallMs))
    }
    return inRounds(context, { first: page(0), middle: page(middlePage), end: page(lastPage) })
  })
  const page = (place: string): string =>
    `a page of 1,000 in the ${place} of ${data.program.applications.toLocaleString('en')} against the first`
  return {
    findings: [
      atMost(1.15, page('middle'), pairedRatio(rounds.middle, rounds.first)),
      atMost(1.15, page('end'), pairedRatio(rounds.end, rounds.first)),
    ],
    tables: [
      {
        title: 'Pages of 1,000 along a walk',
        head: ['page', 'ms'],
        rows: [
          ['1', digits(median(rounds.first))],
          [(middlePage + 1).toLocaleString('en'), digits(median(rounds.middle))],
          [(lastPage + 1).toLocaleString('en'), digits(median(rounds.end))],
        ],
      },
    ],
    raw: rounds,
  }
}

/** The addresses of the pages of a walk, up to the one with the index `last`. */
async function pageUrls(service: HttpSubject, last: number): Promise<string[]> {
  const first = service.pageUrl(pageRows)
  const urls = [first]
  while (urls.length <= last) {
    const { nextPageToken } = await readPageBody(urls.at(-1)!, service.headers)
    if (nextPageToken === null) throw new Error(`the walk ended after ${urls.length} pages`)
    urls.push(`${first}&nextPageToken=${nextPageToken}`)
  }
  return urls
}
