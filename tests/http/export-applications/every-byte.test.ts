// Thousands of sample applications, of several versions of a program, as they arrive at a client: each is what the plain
// renderer makes of it, and each page is, to the byte, what JSON.stringify would have written.

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type Annotations,
  renderAnnotations,
  renderSnapshot,
  type Submission,
} from '../../../src/domain/questions/application.ts'
import { buildKeyMap } from '../../../src/domain/questions/key-map.ts'
import { answersTo, anySubmitter, anyText } from '../../support/arbitraries.ts'
import { ExportClient, type ExportPage } from '../../support/export-client.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { plainApplication } from '../../support/plain-renderer.ts'
import { aProgram, everyKind, type PublishedTestProgram, q } from '../../support/programs.ts'
import { seededRandom } from '../../support/random.ts'

const random = seededRandom(import.meta.file)

const slug = 'every-byte'
const timeZone = 'America/Los_Angeles'
const count = 3000
/** The program grows and shrinks, at the top and inside an enumerator. */
const versions: PublishedTestProgram[] = []

const database = await useDatabase({ timeZone })
const pets = q.enumerator('pet', [q.text('pet name'), q.enumerator('pet toy', [q.number('toy price')])])
const fewer = everyKind.filter(({ question }) => !['NUMBER', 'ADDRESS', 'ENUMERATOR'].includes(question.kind))
const member = q.enumerator('household member', [q.name('member name'), q.radio('member owns', ['yes', 'no'])])
for (const questions of [everyKind, fewer, [...fewer, member, pets], [q.text('last words'), pets]])
  versions.push(await aProgram(database.sql, { slug, questions }))
const service = await useService(database, { timeZone, maxPageSize: 5000 })

interface SampleApplication {
  submission: Submission
  annotations: Annotations
  superseded: boolean
}

const instant = fc.integer({ min: 0, max: 1_900_000_000_000_000 })
const annotations: fc.Arbitrary<Annotations> = fc
  .record({ status: fc.option(anyText), at: instant, application_note: fc.option(anyText) })
  .map(({ status, at, application_note }) => ({
    status,
    status_last_modified_time: status === null ? null : at,
    application_note,
  }))

/** An application of each of the versions in turn. */
function sampleApplications(seed: number): SampleApplication[] {
  const perVersion = versions.map(({ version, program_version_id }) =>
    fc.sample(
      fc.record({
        submission: fc.record({
          applicant_id: fc.constant(0),
          application_id: fc.constant(0),
          create_time: instant,
          submit_time: fc.constant(0),
          language: fc.constantFrom('en-US', 'zh-Hant'),
          program_name: fc.constant(slug),
          program_version_id: fc.constant(program_version_id),
          submitter: anySubmitter,
          answers: answersTo(buildKeyMap([version])),
        }),
        annotations,
        superseded: fc.boolean(),
      }),
      { numRuns: count / versions.length, seed },
    ),
  )
  return Array.from({ length: count }, (_, i) => {
    const sample = perVersion[i % versions.length]![Math.floor(i / versions.length)]!
    const submit_time = 1_901_000_000_000_000 + i * 1_000_000
    return {
      ...sample,
      submission: { ...sample.submission, applicant_id: i + 1, application_id: 5000 + i, submit_time },
    }
  })
}

async function store(applications: readonly SampleApplication[]): Promise<void> {
  const { sql } = database
  const shapes = new Map(
    versions.map(({ version, program_version_id }) => [program_version_id, buildKeyMap([version])]),
  )
  await sql`insert into applicant (applicant_id, language) select n, 'en-US' from generate_series(1, ${count}) as n`
  const rows = applications.map(({ submission, annotations, superseded }, i) => {
    const { applicant_id, application_id, program_version_id, create_time, submit_time } = submission
    return {
      program_id: versions[0]!.program_id,
      application_id,
      applicant_id,
      program_version_id,
      create_time,
      submit_time,
      submit_seq: i + 1,
      superseded_seq: superseded ? count + 1 : null,
      snapshot: renderSnapshot(submission, shapes.get(program_version_id)!, timeZone),
      annotations: renderAnnotations(annotations, timeZone),
    }
  })
  for (let i = 0; i < count; i += 500) await sql`insert into application ${sql(rows.slice(i, i + 500))}`
  await sql`
    update submission_counter
    set submit_seq = ${count + 1}, last_submit_time = greatest(last_submit_time, ${rows.at(-1)!.submit_time}::timestamptz)
    where program_id = ${versions[0]!.program_id}`
}

test('3,000 sample applications of four versions arrive as the plain renderer has them, in pages that are JSON.stringify to the byte', async () => {
  const seed = Math.floor(random() * 2 ** 31)
  const applications = sampleApplications(seed)
  await store(applications)
  const keyMap = buildKeyMap(versions.map(({ version }) => version))
  const client = new ExportClient(service, await createTestKey(database.sql, { programs: [slug] }), slug)
  const at = (i: number): string => `application ${i}, seed ${seed}`
  let arrived = 0
  let parameters: Record<string, string> = { pageSize: '701' }
  for (;;) {
    const response = await client.request(parameters)
    expect(response.status).toBe(200)
    const text = await response.text()
    const page = JSON.parse(text) as ExportPage
    // Nothing doubled, nothing spaced, nothing escaped that need not be: what parses may still hide all of that.
    expect([at(arrived), JSON.stringify(page) === text]).toEqual([at(arrived), true])
    for (const sent of page.payload) {
      const { submission, annotations, superseded } = applications[arrived]!
      const plain = plainApplication(submission, annotations, superseded ? 'OBSOLETE' : 'CURRENT', keyMap, timeZone)
      expect([at(arrived), sent]).toEqual([at(arrived), JSON.parse(JSON.stringify(plain))])
      arrived++
    }
    if (page.nextPageToken === null) break
    parameters = { nextPageToken: page.nextPageToken }
  }
  expect(arrived).toBe(count)
})
