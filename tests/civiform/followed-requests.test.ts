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
      found.push(...page.payload.map(value => value.application_id as number))
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
  test('76, 77, 78: fromDate and toDate mean the first instant of the day in the instance’s time zone, and a lower-case state is refused', async () => {
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

  test('D7: requested page sizes are capped as in the manual, or unlimited as in CiviForm’s code', async () => {
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

  test('D8, D9, D11: on later pages, parameters may be omitted but not changed, and an invalid token is a 400', async () => {
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

  test('56: an answer to a question on a block that became hidden is exported', async () => {
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

  test('a question added later has the same value with and without a choice of fields', async () => {
    const { civiform, submit, catchUp, get } = await followed(profile)
    await submit({ answers: { job: { text: 'x' } } })
    await civiform.publish({ [program]: [job, { name: 'proof', type: 'FILEUPLOAD' }] })
    await catchUp()
    const { proof } = (await get()).payload[0].application
    expect(proof).toEqual({
      question_type: 'FILE_UPLOAD',
      ...(profile === 'contract' && { file_key: null }),
      file_urls: [],
    })
    expect((await get({ fields: 'proof' })).payload[0].application).toEqual({ proof })
  })

  test('73: drafts, deleted applications and those in an unknown stage are not exported', async () => {
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
  test('92: continues identically in a process started between two pages', async () => {
    const { submit, catchUp, get, serviceAgain, restarted } = await followed()
    for (let i = 0; i < 7; i++) await submit()
    await catchUp()
    const first = await get()
    const here = await get({ nextPageToken: first.nextPageToken! })
    await catchUp(restarted())
    const elsewhere = await get({ nextPageToken: first.nextPageToken! }, await serviceAgain())
    expect(elsewhere.payload.map(value => JSON.stringify(value))).toEqual(
      here.payload.map(value => JSON.stringify(value)),
    )
    expect(elsewhere.payload).toHaveLength(3)
  })

  test('58: has the applications of every version of the program, even if other programs were published in between', async () => {
    const { civiform, submit, catchUp, ids } = await followed()
    const first = await submit()
    await civiform.publish({ 'food help': [job] })
    await civiform.publish({ 'food help': [job], [program]: [job, { name: 'hours', type: 'NUMBER' }] })
    const second = await submit()
    await catchUp()
    expect(await ids()).toEqual([first, second])
  })
})
