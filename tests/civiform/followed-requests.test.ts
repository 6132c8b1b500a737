// What is asked of a followed program: filters, pages and what is refused, in both profiles; and walks that continue whatever happens
// between two pages. D… are the differences between CiviForm's manual and its code by the numbers of the list in which they were found.

import { describe, expect, test } from 'bun:test'
import type { ExportProfile } from '../../src/domain/questions/key-map.ts'
import { useFollowing } from '../support/civiform/following.ts'
import type { SimulatedQuestion } from '../support/civiform/simulated-civiform.ts'
import { ExportClient } from '../support/export-client.ts'
import { useService } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'

const program = 'rent relief'
const job: SimulatedQuestion = { name: 'job', type: 'TEXT' }

/** A followed program in a profile, with a client of its export that does not hold it against docs, which are as the manual. */
async function followed(
  profile: ExportProfile = 'contract',
  questions: readonly SimulatedQuestion[] = [job],
  timeZone = 'UTC',
) {
  const following = await useFollowing({ profile, timeZone })
  const { civiform, database, sql, follower } = following
  await civiform.publish({ [program]: questions })
  await follower.round()
  const settings = { exportProfile: profile, maxPageSize: 3, timeZone }
  const key = await createTestKey(sql, { programs: ['rent-relief'] })
  const service = await useService(database, settings)
  const client = new ExportClient(service, key, 'rent-relief')
  const get = async (parameters: Record<string, string> = {}, of = client) => {
    const response = await of.request(parameters)
    const text = await response.text()
    if (response.status !== 200) return { response, status: response.status, text, payload: [], nextPageToken: null }
    // biome-ignore lint/suspicious/noExplicitAny: an export, to look into
    const page = JSON.parse(text) as { payload: any[]; nextPageToken: string | null }
    return { status: 200, text, response, ...page }
  }
  const ids = async (parameters: Record<string, string> = {}): Promise<number[]> => {
    const found: number[] = []
    for (let token: string | null | undefined; token !== null; ) {
      const page = await get(token === undefined ? parameters : { nextPageToken: token })
      expect(page.status).toBe(200)
      found.push(...page.payload.map(one => one.application_id as number))
      token = page.nextPageToken
    }
    return found
  }
  const submit = async (more: { time?: string; answers?: Record<string, unknown>; draft?: number } = {}) =>
    civiform.submit({ applicant: await civiform.applicant(), program, answers: {}, ...more })
  const serviceAgain = async () => new ExportClient(await useService(database, settings), key, 'rent-relief')
  return { ...following, get, ids, submit, serviceAgain }
}

describe.each(['contract', 'origin'] as const)('in the profile %s', profile => {
  test('76, 77, 78: a date is its first instant in the instance’s zone, from it on and before it; a state in small letters is refused', async () => {
    const { submit, catchUp, ids, get } = await followed(profile, [job], 'America/Chicago')
    const times = [
      '2024-06-01T04:59:59.999999Z',
      '2024-06-01T05:00:00Z',
      '2024-06-05T04:59:59.999999Z',
      '2024-06-05T05:00:00Z',
    ]
    const made: number[] = []
    for (const time of times) made.push(await submit({ time }))
    await catchUp()
    expect(await ids({ fromDate: '2024-06-01' })).toEqual(made.slice(1))
    expect(await ids({ toDate: '2024-06-05' })).toEqual(made.slice(0, 3))
    expect(await ids({ fromDate: '2024-06-01', toDate: '2024-06-05' })).toEqual(made.slice(1, 3))
    for (const revisionState of ['current', 'DRAFT', '']) expect((await get({ revisionState })).status).toBe(400)
  })

  test('D7: a page is held to its maximum by the manual, and as large as it is asked for by the code', async () => {
    const { submit, catchUp, get } = await followed(profile)
    for (let i = 0; i < 5; i++) await submit()
    await catchUp()
    const sizes = async (parameters: Record<string, string>): Promise<[number, boolean]> => {
      const page = await get(parameters)
      return [page.payload.length, page.nextPageToken === null]
    }
    const whole = profile === 'contract' ? [3, false] : [5, true]
    for (const pageSize of ['5', '1000', '2147483647', '99999999999999999999'])
      expect(await sizes({ pageSize })).toEqual(whole as never)
    expect(await sizes({})).toEqual([3, false])
    expect(await sizes({ pageSize: '2' })).toEqual([2, false])
  })

  test('D8, D9, D11: on later pages parameters may be left out, and others are refused; a token that is none is a 400', async () => {
    const { submit, catchUp, get } = await followed(profile)
    for (let i = 0; i < 3; i++) await submit()
    await catchUp()
    const first = await get({ revisionState: 'CURRENT', pageSize: '2', fromDate: '2020-01-01T12:00:00Z' })
    const nextPageToken = first.nextPageToken!
    expect((await get({ nextPageToken })).payload).toHaveLength(1)
    const others: Record<string, string>[] = [
      { revisionState: 'OBSOLETE' },
      { toDate: '2200-01-01' },
      { fromDate: '2020-01-01' },
      { pageSize: '1' },
    ]
    for (const more of others) expect((await get({ nextPageToken, ...more })).status).toBe(400)
    for (const sent of ['%', 'not-a-token', `${nextPageToken}A`])
      expect((await get({ nextPageToken: sent })).status).toBe(400)
    for (const pageSize of ['0', '-1', 'ten']) expect((await get({ pageSize })).status).toBe(400)
  })

  test('84, D10: a draft with an early id that is submitted between pages is in the next walk, and in this one nothing is missing or twice', async () => {
    const { civiform, submit, catchUp, get, ids } = await followed(profile)
    const draft = await civiform.draft(await civiform.applicant(), program)
    const made: number[] = []
    for (let i = 0; i < 6; i++) made.push(await submit())
    await catchUp()
    const first = await get({ pageSize: '2' })
    const late = await submit({ draft })
    expect(late).toBe(draft)
    const resubmitted = await submit()
    await catchUp()
    const walked = first.payload.map(one => one.application_id as number)
    for (let token = first.nextPageToken; token !== null; ) {
      const page = await get({ nextPageToken: token })
      walked.push(...page.payload.map(one => one.application_id as number))
      token = page.nextPageToken
    }
    expect(walked).toEqual(made)
    expect(await ids({ fromDate: first.response.headers.get('Snapshot-Time')! })).toEqual([late, resubmitted])
  })

  test('22, D13: money is a JSON number without an exponent', async () => {
    const { submit, catchUp, get } = await followed(profile, [{ name: 'rent', type: 'CURRENCY' }])
    await submit({ answers: { rent: { currency_cents: 100_000_000_000 } } })
    await submit({ answers: { rent: { currency_cents: 1050 } } })
    await catchUp()
    const { text, payload } = await get()
    expect(text).toContain('"currency_dollars":1000000000}')
    expect(payload.map(one => one.application.rent.currency_dollars)).toEqual([1_000_000_000, 10.5])
  })

  test('56: what is asked on a block that was hidden is exported where it was answered before', async () => {
    const hidden: SimulatedQuestion = {
      name: 'hours',
      type: 'NUMBER',
      block: idOf => ({
        hidePredicate: {
          action: 'HIDE_BLOCK',
          rootNode: {
            node: {
              type: 'leaf',
              questionId: idOf('job'),
              scalar: 'TEXT',
              operator: 'EQUAL_TO',
              value: { type: 'STRING', value: '"x"' },
            },
          },
        },
      }),
    }
    const { submit, catchUp, get } = await followed(profile, [job, hidden])
    await submit({ answers: { job: { text: 'x' }, hours: { number: 8 } } })
    await catchUp()
    expect((await get()).payload[0].application.hours).toEqual({ question_type: 'NUMBER', number: 8 })
  })

  test('63: a document that is stored as a text gives the same as the one it holds', async () => {
    const { civiform, catchUp, get } = await followed(profile)
    const applicant = await civiform.applicant()
    const time = '2024-06-01T00:00:00Z'
    for (const doubleEncoded of [false, true])
      await civiform.submit({ applicant, program, answers: { job: { text: 'nurse "é"' } }, doubleEncoded, time })
    const kinds = await civiform.app`select jsonb_typeof(object) as kind from applications order by id`
    expect(kinds.map(row => row.kind)).toEqual(['object', 'string'])
    await catchUp()
    const [plain, twice] = (await get()).payload
    expect(twice.application).toEqual(plain.application)
    expect(plain.application.job.text).toBe('nurse "é"')
  })

  test('73: drafts, deleted ones and those of an unknown stage are not listed', async () => {
    const { civiform, submit, catchUp, ids } = await followed(profile)
    await civiform.draft(await civiform.applicant(), program)
    const kept = await submit()
    for (const lifecycle_stage of ['deleted', 'draft', 'archived'])
      await civiform.set(await submit(), { lifecycle_stage })
    await catchUp()
    expect(await ids()).toEqual([kept])
  })
})

describe('a walk of a followed program', () => {
  test('92: continues identically from a process that was started between two pages', async () => {
    const { submit, catchUp, get, serviceAgain, restarted } = await followed()
    for (let i = 0; i < 7; i++) await submit()
    await catchUp()
    const first = await get()
    const here = await get({ nextPageToken: first.nextPageToken! })
    await catchUp(restarted())
    const elsewhere = await get({ nextPageToken: first.nextPageToken! }, await serviceAgain())
    expect(elsewhere.payload.map(one => JSON.stringify(one))).toEqual(here.payload.map(one => JSON.stringify(one)))
    expect(elsewhere.payload).toHaveLength(3)
  })

  test('94: what a data job rewrote between two walks is new in the second, in its place', async () => {
    const { civiform, submit, catchUp, get, ids } = await followed()
    const made = [await submit({ answers: { job: { text: 'nurse' } } }), await submit()]
    await catchUp()
    expect((await get()).payload[0].application.job.text).toBe('nurse')
    await civiform.rewrite(made[0]!, { job: { text: 'cook' } })
    await catchUp()
    expect((await get()).payload[0].application.job.text).toBe('cook')
    expect(await ids()).toEqual(made)
  })

  test('58: has the applications of every version of a program, whichever published versions lie between', async () => {
    const { civiform, submit, catchUp, ids } = await followed()
    const first = await submit()
    await civiform.publish({ 'food help': [job] })
    await civiform.publish({ 'food help': [job], [program]: [job, { name: 'hours', type: 'NUMBER' }] })
    const second = await submit()
    await catchUp()
    expect(await ids()).toEqual([first, second])
  })

  test.each(['contract', 'origin'] as const)(
    'G13: ends with a 400 that says so when a version it began with was edited in its place (%s)',
    async profile => {
      const { civiform, submit, catchUp, get, ids, serviceAgain } = await followed(profile)
      const made: number[] = []
      for (let i = 0; i < 4; i++) made.push(await submit())
      await catchUp()
      const { nextPageToken } = await get()
      await civiform.app`update programs set localized_name = '{"translations": {"en_US": "Another"}, "isRequired": true}'`
      await catchUp()
      const refused = await get({ nextPageToken: nextPageToken! }, await serviceAgain())
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('walk_of_another_history')])
      expect(await ids()).toEqual(made)
    },
  )
})
