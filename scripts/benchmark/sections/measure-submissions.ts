// How many applications a second can be submitted, next to the same done without drawing a number under the program's counter.
// In a database of its own, which is gone afterwards.
//
// Both sides are the use case itself, called in this process without HTTP: the idempotency key noted, the answers taken out and
// checked, the snapshot rendered, the last application superseded, the new one stored, committed. The one statement that
// only a submission has is the counter's, so that the ratio is what the order costs: that statement, and waiting for those who
// hold the counter. Each side has programs of its own, since numbers that were not drawn would be drawn later.

import type { Sql } from '../../../src/db/client.ts'
import { findActiveVersion, type StoredProgramVersion } from '../../../src/db/programs.ts'
import { describeVersion } from '../../../src/domain/definitions/version-definition.ts'
import { answerSampler } from '../../../src/domain/invented/sample-answers.ts'
import { seededRandom } from '../../../src/domain/invented/seeded-random.ts'
import { noEntityEnd, renderAnswer } from '../../../src/domain/questions/answers.ts'
import { buildKeyMap } from '../../../src/domain/questions/key-map.ts'
import { withBoundedWait } from '../../../src/intake/bounded-wait.ts'
import { knownVersions } from '../../../src/intake/known-versions.ts'
import { prepareSubmission, type SubmitRequest } from '../../../src/intake/prepare-submission.ts'
import { storeSubmission, submitApplication } from '../../../src/intake/submit.ts'
import { publishDefinition } from '../../../src/programs/publish.ts'
import type { BenchContext } from '../bench-context.ts'
import { frontEnd, makeKey, prepareEmpty, timeZone } from '../bench-data.ts'
import { makeApplicantsWithAnswers } from '../bench-statements.ts'
import { atLeast, digits, type SectionReport } from '../findings.ts'
import { inRounds, timed } from '../rounds.ts'
import { median, pairedRatio } from '../statistics.ts'

const writers = 16
const programsMany = 20
const submissionsEach = { small: 640, full: 3200 }
const answerVariants = 200

export async function measureSubmissions(context: BenchContext): Promise<SectionReport> {
  const { data, database, options } = context
  const count = options.small ? submissionsEach.small : submissionsEach.full
  const origin = await findActiveVersion(database.sql, data.program.program_id)
  if (origin === undefined) throw new Error('the program has no active version')
  const answers = sampleAnswerTexts(origin)
  const rounds = await database.scratch('empty', async ({ sql }) => {
    await prepareEmpty(sql, options)
    const drawing = await makePrograms(sql, origin, 'drawing')
    const unordered = await makePrograms(sql, origin, 'unordered')
    const api_key_id = await makeIntakeKey(sql, data.access.environment)
    const submissions = (programs: readonly number[], submit: Submit) => () =>
      submissionsPerSecond(sql, programs, api_key_id, answers, count, submit)
    return inRounds(context, {
      one: submissions(drawing.slice(0, 1), submitApplication),
      many: submissions(drawing, submitApplication),
      unorderedOne: submissions(unordered.slice(0, 1), submitUnordered),
      unorderedMany: submissions(unordered, submitUnordered),
    })
  })
  const into = (what: string): string =>
    `submissions/s into ${what}, ${writers} writers, against the same without the counter`
  return {
    findings: [
      atLeast(0.2, into('one program'), pairedRatio(rounds.one, rounds.unorderedOne)),
      atLeast(0.6, into(`${programsMany} programs`), pairedRatio(rounds.many, rounds.unorderedMany)),
    ],
    tables: [
      {
        title: `${writers} writers`,
        head: ['', 'a second'],
        rows: [
          ['submissions into one program', digits(median(rounds.one))],
          ['the same without the counter', digits(median(rounds.unorderedOne))],
          [`submissions into ${programsMany} programs`, digits(median(rounds.many))],
          ['the same without the counter', digits(median(rounds.unorderedMany))],
        ],
      },
    ],
    raw: rounds,
  }
}

/** Answers in progress of invented applicants, as they are kept. */
export function sampleAnswerTexts(version: StoredProgramVersion): string[] {
  const sampler = answerSampler(version)
  const next = seededRandom(7)
  const shape = buildKeyMap([version])
  return Array.from({ length: answerVariants }, () => {
    const answers = sampler(next)
    const members = shape.flatMap(node => {
      const answer = answers.get(node.question_key)
      return answer === undefined
        ? []
        : [`${JSON.stringify(node.question_key)}:${renderAnswer(node, answer, noEntityEnd)}`]
    })
    return `{${members.join(',')}}`
  })
}

/** Programs that ask the same questions. Returns their ids. */
export async function makePrograms(sql: Sql, origin: StoredProgramVersion, name: string): Promise<number[]> {
  const ids: number[] = []
  for (let i = 0; i < programsMany; i++) {
    const definition = { ...describeVersion(origin), slug: `${name}-${i}` }
    ids.push((await publishDefinition(sql, definition, 'operator:bench')).program_id)
  }
  return ids
}

/** The id of a key that may submit to programs which `makePrograms` made. */
export async function makeIntakeKey(sql: Sql, environment: Readonly<Record<string, string>>): Promise<string> {
  return (await makeKey(sql, environment, 'drawing-0')).key.api_key_id
}

type Submit = (sql: Sql, request: SubmitRequest) => Promise<unknown>

/** What `submitApplication` does, but numbered by its own id and timed by its first answer, so that no submission waits for another. */
async function submitUnordered(sql: Sql, request: SubmitRequest): Promise<void> {
  const known = knownVersions(sql)
  await withBoundedWait(sql, async tx => {
    const prepared = await prepareSubmission(tx, known, request)
    if ('submit_time' in prepared) throw new Error('nothing was prepared for this submission')
    await storeSubmission(tx, prepared, { submit_seq: prepared.application_id, submit_time: prepared.create_time! })
  })
}

/** What is saved beforehand is not counted. */
export async function submissionsPerSecond(
  sql: Sql,
  programs: readonly number[],
  api_key_id: string,
  answers: readonly string[],
  count: number,
  submit: Submit,
): Promise<number> {
  const programIds = Array.from({ length: count }, (_, i) => programs[i % programs.length]!)
  const applicants = await makeApplicantsWithAnswers(sql, programIds, answers, frontEnd)
  let next = 0
  const ms = await timed(() =>
    Promise.all(
      Array.from({ length: writers }, async () => {
        for (let i = next++; i < count; i = next++)
          await submit(sql, {
            program_id: programIds[i]!,
            applicant_id: applicants[i]!,
            timeZone,
            submitter: { submitter_type: 'APPLICANT' },
            key: { api_key_id, front_end: frontEnd, address: '127.0.0.1' },
            idempotency_key: `submission-${applicants[i]}`,
          })
      }),
    ),
  )
  return count / (ms / 1000)
}
