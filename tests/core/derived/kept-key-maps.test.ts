// What the worker keeps of a program is what would be computed, seen where it is used: in the answers of a process that finds it kept.

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { KeyMaps, keyMapCodeVersion, refreshKeyMap } from '../../../src/core/derived/program-key-map.ts'
import { sweepDerived } from '../../../src/core/derived/sweep.ts'
import { upsertDerived } from '../../../src/db/derived/derived-content.ts'
import { findKeptKeyMap } from '../../../src/db/derived/key-maps.ts'
import { readWalkStart } from '../../../src/db/walks/walk-start.ts'
import { noEntityEnd, renderMembers } from '../../../src/domain/questions/answers.ts'
import { buildKeyMap } from '../../../src/domain/questions/key-map.ts'
import { sampleAnswers } from '../../../src/domain/samples/sample-answers.ts'
import { exportTypes } from '../../../src/web/http/headers/export-formats.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey, type TestKey } from '../../support/keys.ts'
import { aComputedProgram as aProgram, type QuestionSpec, q } from '../../support/programs.ts'
import type { TestService } from '../../support/service.ts'

const database = await useDatabase()
const { sql } = database
const optional = { optional: true }

const job = q.enumerator('job', [q.text('employer', optional), q.currency('pay', optional), q.date('since', optional)])
const bank: readonly QuestionSpec[] = [
  q.text('story', optional),
  q.number('rooms', optional),
  q.checkbox('needs', ['food', 'rent'], optional),
  q.enumerator('member', [q.name('called', optional), job, q.text('likes', optional)], optional),
  q.enumerator('pet', [q.text('kind', optional), q.number('age', optional)], optional),
]
/** Some of these questions, in any order, and of each enumerator some of its own in any order. */
const someOf = (questions: readonly QuestionSpec[], minLength: number): fc.Arbitrary<QuestionSpec[]> =>
  fc
    .shuffledSubarray([...questions], { minLength })
    .chain(chosen => fc.tuple(...chosen.map(spec => someOf(spec.repeated, 0).map(repeated => ({ ...spec, repeated })))))

/** Versions in which questions come, go, come back and change places. */
const history = fc.array(someOf(bank, 1), { minLength: 2, maxLength: 4 })

const hiddenQuestions = ['rooms', 'employer', 'kind']
/** Of what the program asks so far, about a half. */
const someFields = (questions: readonly QuestionSpec[], within = ''): string[] =>
  questions.flatMap(({ question: { admin_name }, repeated }, i) => {
    if (hiddenQuestions.includes(admin_name)) return []
    const name = `${within}${admin_name}`
    return i % 2 === 0 && repeated.length === 0 ? [name] : someFields(repeated, `${name}.`)
  })

interface Asked {
  key: TestKey
  query: string
  accept: string
}

let programs = 0

test('G16: a process with stored key maps and one that computes them export the same bytes, in every format, with fields, with hidden questions, and within a walk', async () => {
  let asked = 0
  await fc.assert(
    fc.asyncProperty(history, async versions => {
      const slug = `kept-${++programs}`
      const [first] = versions
      const { program_id } = await aProgram(sql, { slug, questions: first! })
      const keys = [
        await createTestKey(sql, { programs: [slug], maySubmit: true }),
        await createTestKey(sql, { programs: [slug], hiddenQuestions }),
      ]
      const computing = await useService(database)
      const desk = new FrontEnd(computing, keys[0]!, slug)
      const published: { program_version_id: number; at: number }[] = []
      const questions: Asked[] = []
      const answer = async (service: TestService, { key, query, accept }: Asked): Promise<string> => {
        const response = await service.get(`/api/v1/admin/programs/${slug}/applications?${query}`, {
          headers: { Authorization: key.authorization, Accept: accept },
        })
        const text = await response.text()
        if (response.status !== 200) throw new Error(`${accept} of ?${query} answered ${response.status}: ${text}`)
        return text
      }
      for (const [i, asks] of versions.entries()) {
        const { program_version_id, version } = await aProgram(sql, {
          slug,
          questions: asks,
          display_name: `Version ${i}`,
        })
        published.push({ program_version_id, at: (await readWalkStart(sql, program_id)).last_published_at! })
        for (let variant = 0; variant < 2; variant++) {
          const answers = sampleAnswers(version, { variant: 2 * i + variant })
          const members = renderMembers(buildKeyMap([version]), answers, noEntityEnd)
          await desk.apply(await desk.register(), JSON.parse(`{${members}}`))
        }
        const fields = someFields(asks)
        for (const key of keys) {
          for (const view of fields.length === 0 ? [''] : ['', `&fields=${fields.join(',')}`]) {
            const whole = `pageSize=1000${view}`
            const begun = await answer(computing, { key, query: `pageSize=1${view}`, accept: 'application/json' })
            const rest = `nextPageToken=${(JSON.parse(begun) as { nextPageToken: string }).nextPageToken}`
            for (const accept of exportTypes)
              questions.push({ key, query: whole, accept }, { key, query: rest, accept })
          }
        }
      }
      const computed = await Promise.all(published.map(({ at }) => new KeyMaps().load(sql, program_id, at)))
      const answers: string[] = []
      for (const question of questions) answers.push(await answer(computing, question))
      for (const { program_version_id } of published) await refreshKeyMap(sql, program_version_id)
      for (const [i, { at }] of published.entries()) {
        expect((await findKeptKeyMap(sql, program_id, at))?.code_version).toBe(keyMapCodeVersion)
        expect(await new KeyMaps().load(sql, program_id, at)).toEqual(computed[i]!)
      }
      const finding = await useService(database)
      for (const [i, question] of questions.entries()) {
        expect(withoutToken(await answer(finding, question))).toBe(withoutToken(answers[i]!))
        asked++
      }
    }),
    { numRuns: 10 },
  )
  expect(asked).toBeGreaterThan(300)
}, 120_000)

/** Each token is encrypted with a nonce of its own. */
const withoutToken = (text: string): string => text.replaceAll(/[0-9A-Za-z]{60,}/g, 'TOKEN')

test('key maps stored by an earlier release are not used, and the sweep requests them again', async () => {
  const slug = 'kept-before'
  const [questionSpec, two] = [q.text('kept one', optional), q.text('kept two', optional)]
  await aProgram(sql, { slug, questions: [questionSpec] })
  const { program_id, program_version_id, version } = await aProgram(sql, { slug, questions: [two, questionSpec] })
  const { last_published_at } = await readWalkStart(sql, program_id)
  const load = () => new KeyMaps().load(sql, program_id, last_published_at!)
  const computed = await load()
  const ids = version.questions.map(question => question.question_id)
  const keep = (code_version: number, content: object) =>
    upsertDerived(sql, 'program_key_map', { program_version_id, code_version, content, duration_ms: 1 })
  // Empty, and so distinguished from what is computed; with the number of this release it is what the program is said to ask.
  for (const release of [-1, 0, 1]) {
    await keep(keyMapCodeVersion + release, { key_map: [], versions: [] })
    expect((await load()).keyMap).toEqual(release === 0 ? [] : computed.keyMap)
  }
  await keep(1, { key_map: computed.keyMap, versions: [{ program_version_id, question_ids: ids }] })
  await sql`update derived_status set state = 'done', fulfilled = requested`
  expect(await load()).toEqual(computed)
  expect(await sweepDerived(sql)).toContainEqual({ program_version_id, job_name: 'refresh-key-map' })
  await refreshKeyMap(sql, program_version_id)
  expect(await load()).toEqual(computed)
})
