// A version that CiviForm edits after it was applied to, while walks over it are under way.

import { expect, test } from 'bun:test'
import { replaceFollowedVersion } from '../../src/civiform/db/followed-programs.ts'
import { findProgram, readPublishedVersions } from '../../src/db/programs/programs.ts'
import { exportTypes } from '../../src/web/http/headers/export-formats.ts'
import { useFollowing } from '../support/civiform/following.ts'
import { ExportClient } from '../support/export-client.ts'
import { useService } from '../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../support/held-transaction.ts'
import { createTestKey } from '../support/keys.ts'
import { until } from '../support/until.ts'

const { civiform, database, sql, catchUp } = await useFollowing()
const { app } = civiform
const slug = 'rent-relief'
const program = 'rent relief'
const text = (name: string) => ({ name, type: 'TEXT' })
const [alpha, beta, gamma, delta] = ['alpha', 'beta', 'gamma', 'delta'].map(text) as [never, never, never, never]

/** A preview: the draft is applied to, and takes every answer there is. */
async function preview(draft: number): Promise<void> {
  await app`
    insert into applications (applicant_id, program_id, object, lifecycle_stage, create_time, submit_time)
    values (${await civiform.applicant()}, ${draft},
      '{"applicant": {"alpha": {"text": "A"}, "beta": {"text": "ANSWERED"}, "gamma": {"text": "C"}}}',
      'active', now() at time zone 'UTC', clock_timestamp() at time zone 'UTC')`
}

test('G4, G13: a walk over a replaced version gets a 400 from every process, whatever it has cached, in every format and view, and walks from before that version continue', async () => {
  await civiform.publish({ [program]: [alpha, beta] })
  const submit = async () =>
    civiform.submit({ applicant: await civiform.applicant(), program, answers: { beta: { text: 'b' } } })
  for (let i = 0; i < 3; i++) await submit()
  await catchUp()
  const hidden = await createTestKey(sql, { programs: [slug], hiddenQuestions: ['alpha'] })
  const whole = await createTestKey(sql, { programs: [slug] })
  const knowing = await useService(database)
  const asks = [
    { key: whole, query: {} },
    { key: whole, query: { fields: 'beta' } },
    { key: hidden, query: {} },
  ] as const
  const begin = async () => {
    const begun: { client: (service: typeof knowing) => ExportClient; nextPageToken: string }[] = []
    for (const { key, query } of asks) {
      const client = (service: typeof knowing) => new ExportClient(service, key, slug)
      const response = await client(knowing).request({ pageSize: '1', ...query })
      const { nextPageToken } = (await response.json()) as { nextPageToken: string }
      // Now its questions are in memory for certain.
      expect((await client(knowing).request({ nextPageToken })).status).toBe(200)
      begun.push({ client, nextPageToken })
    }
    return begun
  }
  const before = await begin()
  const draft = await civiform.saveDraft(program, [gamma, alpha])
  await preview(draft)
  await catchUp()
  const underWay = await begin()
  await civiform.saveDraft(program, [beta, delta, alpha])
  await catchUp()

  const processes = [knowing, await useService(database)]
  for (const [i, service] of [...processes, ...processes].entries()) {
    for (const { client, nextPageToken } of underWay) {
      for (const Accept of exportTypes) {
        const refused = await client(service).request({ nextPageToken }, { Accept })
        const reported = `${refused.status} ${await refused.text()}`
        expect(`process ${i}, ${Accept}: ${reported}`).toMatch(/: 400 .*"code":"walk_of_another_history"/)
      }
    }
    for (const { client, nextPageToken } of before)
      for (const Accept of exportTypes)
        expect((await client(service).request({ nextPageToken }, { Accept })).status).toBe(200)
    const walked = await new ExportClient(service, whole, slug).walkAll({ pageSize: '1' })
    expect(walked.length).toBe(4)
    expect(Object.entries(walked[3]!.application).map(([name, answer]) => [name, answer.text])).toEqual([
      ['beta', 'ANSWERED'],
      ['delta', null],
      ['alpha', 'A'],
    ])
  }
})

test('a walk is refused when the first of several versions is replaced, and the versions keep their order', async () => {
  const [program, slug] = ['heat aid', 'heat-aid']
  await civiform.publish({ [program]: [alpha, beta] })
  for (let i = 0; i < 2; i++) await civiform.submit({ applicant: await civiform.applicant(), program, answers: {} })
  await civiform.publish({ [program]: [alpha, gamma] })
  await catchUp()
  const service = await useService(database)
  const key = await createTestKey(sql, { programs: [slug] })
  const client = new ExportClient(service, key, slug)
  const { nextPageToken } = (await client.page({ pageSize: '1' })).page
  const next = () => client.request({ nextPageToken: nextPageToken! })
  expect((await next()).status).toBe(200)
  const { program_id } = (await findProgram(sql, slug))!
  const [first, ...later] = await readPublishedVersions(sql, program_id)
  // Of the change feed the changes are read, and the applications are not yet.
  const release = await holdTransaction(sql, tx => tx`lock table audit_event in exclusive mode`)
  const headers = { Authorization: key.authorization }
  const changes = service.get(`/api/v1/admin/programs/${slug}/changes?include=application`, { headers })
  await until('the entry to wait', async () => (await waitingForLocks(sql, 'audit_event')) === 1)
  await sql.begin(async tx => {
    await replaceFollowedVersion(tx, first!.program_version_id, first!.program_id, {
      ...first!,
      questions: first!.questions.toReversed(),
    })
  })
  expect(
    (await readPublishedVersions(sql, first!.program_id)).map(publishedVersion => publishedVersion.program_version_id),
  ).toEqual([first!, ...later].map(item => item.program_version_id))
  const refused = await client.refusal({ nextPageToken: nextPageToken! })
  expect([refused.status, refused.codes]).toEqual([400, { nextPageToken: 'walk_of_another_history' }])
  await release()
  expect((await changes).status).toBe(503)
})
