// Writers who submit and resubmit, and readers who walk and keep what they saw, while servers come and go; and, at the end, whether
// each walk was exact.

import { expect } from 'bun:test'
import type { Sql } from '../../../../src/db/client.ts'
import type { ExportPage } from '../../../support/export-client.ts'
import { FrontEnd } from '../../../support/front-end.ts'
import { createTestKey, type TestKey } from '../../../support/keys.ts'
import { aProgram, q } from '../../../support/programs.ts'
import { seededRandom } from '../../../support/random.ts'
import type { Node } from '../../../support/replication.ts'
import type { TestService } from '../../../support/service.ts'

const random = seededRandom(import.meta.file)

const slug = 'story'
const pageSizes = [7, 40, 1000]
/** The time in which a walk must continue after an error, before it counts as stuck. */
const patienceMs = 40_000

/** As it was acknowledged. After a failover that loses submissions, ids of theirs can be given again, at another time. */
interface Submission {
  id: number
  /** In whole seconds, as times are sent. */
  timeMs: number
}

interface Walk {
  /** Acknowledged when its first page was asked for. */
  committedBefore: Submission[]
  ids: number[]
  /** Of the same applications. */
  timesMs: number[]
  applicants: { applicant: number; isCurrent: boolean }[]
  watermark: string
  /** `whole`, or the code of the 400 that ended it. */
  end: string
}

export class StandbyStory {
  readonly #walks: Walk[] = []
  readonly #committed: Submission[] = []
  readonly #applicants: number[] = []
  readonly #frontEnd: FrontEnd
  #writers: Promise<void>[] = []
  #stopped = false
  #walkNumber = 0

  private constructor(
    private readonly service: TestService,
    private readonly sql: Sql,
    private readonly key: TestKey,
  ) {
    this.#frontEnd = new FrontEnd(service, key, slug)
  }

  static async begin(service: TestService, sql: Sql, writers: number): Promise<StandbyStory> {
    await aProgram(sql, { slug, questions: [q.text('words')] })
    const key = await createTestKey(sql, { programs: [slug], mayExport: true, maySubmit: true })
    const story = new StandbyStory(service, sql, key)
    story.#writers = Array.from({ length: writers }, (_, i) => story.#write(i))
    await story.submissions(60)
    return story
  }

  /** Resolves when so many more submissions have been acknowledged. */
  async submissions(more: number): Promise<void> {
    const goal = this.#committed.length + more
    await this.#patiently(`${more} submissions`, async () => this.#committed.length >= goal)
  }

  /** Resolves when so many walks have ended, one after the other. */
  async walks(count: number): Promise<void> {
    for (let n = 0; n < count; n++) await this.#walk()
  }

  /** Pauses and resumes replay at random, until stopped. */
  shake(nodes: readonly Node[]): { stop(): Promise<void> } {
    let stopped = false
    const shaking = nodes.map(async node => {
      while (!stopped) {
        if (random() < 0.6) await node.pause()
        await Bun.sleep(random() * 150)
        await node.resume()
        await Bun.sleep(random() * 60)
      }
    })
    return {
      stop: async () => {
        stopped = true
        await Promise.all(shaking)
      },
    }
  }

  async end(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#writers)
  }

  /** Against the database as it is in the end. */
  async check({ synchronous }: { synchronous: boolean }): Promise<void> {
    const rows = await this.sql<{ application_id: number; submit_time: number }[]>`
      select application_id, submit_time from application`
    const there = new Map(rows.map(row => [row.application_id, Math.floor(row.submit_time / 1e6) * 1000]))
    const acknowledged = Map.groupBy(this.#committed, ({ id }) => id)
    const isThere = ({ id, timeMs }: Submission): boolean =>
      there.get(id) === timeMs && acknowledged.get(id)!.length === 1
    if (synchronous) expect(this.#committed.filter(submission => !isThere(submission))).toEqual([])
    const lost = new Set(this.#committed.filter(submission => !isThere(submission)).map(({ id }) => id))
    const wasLost = (id: number, timeMs: number): boolean => !synchronous && (lost.has(id) || there.get(id) !== timeMs)
    for (const walk of this.#walks) {
      if (walk.end !== 'whole') {
        expect(walk.end).toBe('walk_of_another_history')
        continue
      }
      const seen = new Set(walk.ids)
      expect(seen.size).toBe(walk.ids.length)
      // Whatever is there from before the watermark was in the walk, and so was all that was acknowledged before it, lost or not,
      // unless it was lost before it began.
      const before = await this.sql<{ application_id: number }[]>`
        select application_id from application where submit_time < ${walk.watermark}::timestamptz`
      expect(before.filter(row => !seen.has(row.application_id))).toEqual([])
      expect(walk.committedBefore.filter(submission => isThere(submission) && !seen.has(submission.id))).toEqual([])
      // And nothing later was; a walk may have seen what a failover lost.
      const early = new Set(before.map(row => row.application_id))
      expect(walk.ids.filter((id, i) => !early.has(id) && !wasLost(id, walk.timesMs[i]!))).toEqual([])
      const newest = new Map(walk.applicants.map(({ applicant }, i) => [applicant, i]))
      for (const [i, { applicant, isCurrent }] of walk.applicants.entries())
        expect(isCurrent).toBe(newest.get(applicant) === i)
    }
    expect(this.#walks.filter(walk => walk.end === 'whole').length).toBeGreaterThan(this.#walks.length / 2)
  }

  async #write(writer: number): Promise<void> {
    for (let n = 0; !this.#stopped; n++) {
      try {
        const fresh = n % 2 === 0 || this.#applicants.length === 0
        const applicant = fresh
          ? await this.#frontEnd.register()
          : this.#applicants[Math.floor(random() * this.#applicants.length)]!
        if (fresh) this.#applicants.push(applicant)
        const { application_id: id, submit_time } = await this.#frontEnd.apply(applicant, {
          words: { text: `writer ${writer}, ${n}` },
        })
        this.#committed.push({ id, timeMs: Date.parse(submit_time) })
      } catch (error) {
        // Two writers for one applicant; an applicant that a failover lost; or no database just now.
        if (!/answered (400|404|409|503)/.test(String(error))) throw error
        await Bun.sleep(5)
      }
      await Bun.sleep(random() * 10)
    }
  }

  async #walk(): Promise<void> {
    const pageSize = pageSizes[this.#walkNumber++ % pageSizes.length]!
    const walk: Walk = {
      committedBefore: [...this.#committed],
      ids: [],
      timesMs: [],
      applicants: [],
      watermark: '',
      end: '',
    }
    let query = `pageSize=${pageSize}`
    await this.#patiently('a walk to end', async () => {
      const page = await this.#page(query)
      if (page === undefined) return false
      if (typeof page === 'string') {
        walk.end = page
        return true
      }
      walk.watermark ||= page.watermark
      for (const application of page.payload) {
        walk.ids.push(application.application_id)
        walk.timesMs.push(Date.parse(application.submit_time))
        walk.applicants.push({
          applicant: application.applicant_id,
          isCurrent: application.revision_state === 'CURRENT',
        })
      }
      if (page.nextPageToken === null) {
        walk.end = 'whole'
        return true
      }
      query = `nextPageToken=${page.nextPageToken}`
      return false
    })
    this.#walks.push(walk)
  }

  /** A page; undefined when it is to be asked for again (503, or broken off); or the code of the 400 that ends the walk. */
  async #page(query: string): Promise<(ExportPage & { watermark: string }) | string | undefined> {
    try {
      const response = await this.service.get(`/api/v1/admin/programs/${slug}/applications?${query}`, {
        headers: { Authorization: this.key.authorization },
      })
      const text = await response.text()
      if (response.status === 200)
        return { ...(JSON.parse(text) as ExportPage), watermark: response.headers.get('Snapshot-Time') ?? '' }
      if (response.status === 400) return (JSON.parse(text) as { errors: { code: string }[] }).errors[0]!.code
      expect(text).toContain('"status":503')
      expect(response.headers.get('Retry-After')).not.toBeNull()
      await Bun.sleep(20)
      return undefined
    } catch (error) {
      // The connection was reset in the middle of the page; what parses was whole.
      if (!/socket connection was closed|ECONNRESET|ConnectionClosed/i.test(String(error))) throw error
      return undefined
    }
  }

  async #patiently(what: string, isDone: () => Promise<boolean>): Promise<void> {
    const endMs = performance.now() + patienceMs
    while (!(await isDone())) {
      if (performance.now() > endMs) throw new Error(`waited in vain for ${what}`)
      await Promise.race([Bun.sleep(2), ...(this.#stopped ? [] : this.#writers)])
    }
  }
}
