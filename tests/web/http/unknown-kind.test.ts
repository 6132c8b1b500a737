// A program that a later release published, with a kind of question that this one does not know: refused everywhere, and nowhere left out.

import { expect, test } from 'bun:test'
import { refreshKeyMap } from '../../../src/core/derived/program-key-map.ts'
import { tamper } from '../../support/audit-log.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'

const slug = 'from-the-future'
const { sql, ...database } = await useDatabase()

test('an unknown kind of question causes a 503 with the reason, in every way to read and to submit', async () => {
  const earlier = await useService({ sql, ...database })
  await aProgram(sql, { slug, questions: [q.text('first', { optional: true })] })
  const key = await createTestKey(sql, { programs: [slug], maySubmit: true })
  const frontEnd = new FrontEnd(earlier, key, slug)
  const applicant = await frontEnd.register()
  await frontEnd.apply(applicant, { first: { text: 'x' } })
  await frontEnd.save(applicant, { first: { text: 'y' } })
  const { program_version_id } = await aProgram(sql, {
    slug,
    questions: [q.text('first', { optional: true }), q.text('your signature', { optional: true })],
  })
  // Its migration.
  await sql`alter table question drop constraint question_kind_check`
  await tamper(sql, `update question set kind = 'SIGNATURE' where question_key = 'your_signature'`)
  await sql`delete from program_key_map`
  await sql`delete from docs_example`
  const program = `/api/v1/admin/programs/${slug}`
  const answers = `/intake/v1/programs/${slug}/applicants/${applicant}`
  const asked: [string, RequestInit?][] = [
    [`${program}/applications`],
    [`${program}/applications`, { headers: { Accept: 'text/csv' } }],
    [`${program}/applications?fields=first`],
    [`${program}/changes?after=0&include=application`],
    [`/docs/api/programs/${slug}`, { headers: { Accept: 'application/json' } }],
    [`/odata/v1/${slug}/$metadata`],
    [`/odata/v1/${slug}/Applications`],
    [`/intake/v1/programs/${slug}`],
    [`${answers}/answers`, { method: 'PUT', body: '{"answers":{"first":{"text":"y"}}}' }],
    [`${answers}/submissions`, { method: 'POST', body: '{"submitter":{"type":"APPLICANT"}}' }],
  ]
  const ask = async () => {
    const service = await useService({ sql, ...database })
    return Promise.all(
      asked.map(async ([path, init]) => {
        const headers = {
          Authorization: key.authorization,
          'Content-Type': 'application/json',
          'Idempotency-Key': crypto.randomUUID(),
          ...init?.headers,
        }
        const response = await service.get(path, { ...init, headers })
        const text = await response.text()
        return [
          path,
          response.status,
          service.requestLine(response.headers.get('X-Request-Id'))?.reason,
          text.includes('SIGNATURE'),
        ]
      }),
    )
  }
  expect(await ask()).toEqual(asked.map(([path]) => [path, 503, 'unknown_question_kind', true]))
  // Nor does a worker of this release keep what would lack something.
  await expect(refreshKeyMap(sql, program_version_id)).rejects.toThrow('SIGNATURE')
  expect(await sql`select from program_key_map`).toHaveLength(0)
})
