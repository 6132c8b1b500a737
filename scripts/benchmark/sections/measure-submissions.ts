// How many applications a second can be submitted, next to the same rows stored without an order among them.
// It must not know how that order is kept. In a database of its own, which is gone afterwards.

import { createApiKey } from '../../../src/access/api-keys.ts'
import type { Sql } from '../../../src/db/client.ts'
import { prepareDatabase } from '../../../src/db/instance.ts'
import { findActiveVersion, type StoredProgramVersion } from '../../../src/db/programs.ts'
import { noEntityEnd, renderAnswer } from '../../../src/domain/answers.ts'
import { buildKeyMap } from '../../../src/domain/key-map.ts'
import { answerSampler } from '../../../src/domain/sample-answers.ts'
import { seededRandom } from '../../../src/domain/seeded-random.ts'
import { describeVersion } from '../../../src/domain/version-definition.ts'
import { submitApplication } from '../../../src/intake/submit.ts'
import { publishDefinition } from '../../../src/programs/publish.ts'
import type { BenchContext } from '../bench-context.ts'
import { timeZone } from '../bench-data.ts'
import { makeApplicantsWithAnswers, readSampleRow, type SampleRow, storeUnordered } from '../bench-statements.ts'
import { digits, type Finding, type SectionReport } from '../findings.ts'
import { inRounds } from '../rounds.ts'
import { median, pairedRatio } from '../statistics.ts'

const writers = 16
const programsMany = 20
const submissionsEach = { small: 640, full: 3200 }
const answerVariants = 200

/** One program to submit to, and what is needed for it. */
interface Target {
  program_id: number
  program_version_id: number
}

export async function measureSubmissions(context: BenchContext): Promise<SectionReport> {
  const { data, database, options } = context
  const count = options.small ? submissionsEach.small : submissionsEach.full
  const origin = await findActiveVersion(database.sql, data.program.program_id)
  if (origin === undefined) throw new Error('the program has no active version')
  const sample = await readSampleRow(database.sql, data.program.program_id)
  const answers = sampleAnswerTexts(origin)
  const rounds = await database.scratch('empty', async ({ sql }) => {
    await prepareDatabase(sql, timeZone)
    const targets: Target[] = []
    for (let i = 0; i < programsMany; i++)
      targets.push(await publishDefinition(sql, { ...describeVersion(origin), slug: `bench-${i}` }, 'operator:bench'))
    const api_key_id = await makeKey(sql, data.access.environment.API_KEY_PEPPER!)
    return inRounds(context, {
      one: () => submissionsPerSecond(sql, targets.slice(0, 1), api_key_id, answers, count),
      many: () => submissionsPerSecond(sql, targets, api_key_id, answers, count),
      unordered: () => storedPerSecond(sql, targets[1]!, api_key_id, answers, sample, count),
    })
  })
  const finding = (name: 'one' | 'many', what: string, atLeast: number): Finding => ({
    ...{ section: 'submissions', unit: '×', atLeast },
    what: `submissions/s into ${what}, ${writers} writers, against unordered inserts`,
    measured: pairedRatio(rounds[name], rounds.unordered),
  })
  return {
    findings: [finding('one', 'one program', 0.2), finding('many', `${programsMany} programs`, 0.6)],
    tables: [
      {
        title: `${writers} writers`,
        head: ['', 'a second'],
        rows: [
          ['submissions into one program', digits(median(rounds.one))],
          [`submissions into ${programsMany} programs`, digits(median(rounds.many))],
          ['the same rows stored without an order', digits(median(rounds.unordered))],
        ],
      },
    ],
    notes: [],
    raw: rounds,
  }
}

/** Answers in progress of invented applicants, as they are kept. */
function sampleAnswerTexts(version: StoredProgramVersion): string[] {
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

async function makeKey(sql: Sql, pepper: string): Promise<string> {
  const { key } = await createApiKey(sql, pepper, {
    ...{ name: 'Benchmark', programs: ['bench-0'], allowed_subnets: ['127.0.0.0/8'] },
    ...{ may_export: false, may_submit: true, actor: 'operator:bench', now: Date.now() * 1000 },
    expires_at: (Date.now() + 86_400_000) * 1000,
  })
  return key.api_key_id
}

/** Everything a submission is: checked, numbered, rendered, stored. What is saved beforehand is not counted. */
async function submissionsPerSecond(
  sql: Sql,
  targets: readonly Target[],
  api_key_id: string,
  answers: readonly string[],
  count: number,
): Promise<number> {
  const applicants = await makeApplicantsWithAnswers(sql, programIds(targets, count), answers)
  return perSecond(count, async i => {
    const { program_id } = targets[i % targets.length]!
    const applicant_id = applicants[i]!
    await submitApplication(sql, {
      ...{ program_id, applicant_id, timeZone, submitter: { submitter_type: 'APPLICANT' } },
      idempotency: { api_key_id, idempotency_key: `submission-${applicant_id}` },
    })
  })
}

/** The same statements but for the counter's, on rows that were rendered beforehand. */
async function storedPerSecond(
  sql: Sql,
  target: Target,
  api_key_id: string,
  answers: readonly string[],
  sample: SampleRow,
  count: number,
): Promise<number> {
  const applicants = await makeApplicantsWithAnswers(sql, programIds([target], count), answers)
  return perSecond(count, i =>
    storeUnordered(sql, { ...target, ...sample, applicant_id: applicants[i]!, api_key_id, time_zone: timeZone }),
  )
}

const programIds = (targets: readonly Target[], count: number): number[] =>
  Array.from({ length: count }, (_, i) => targets[i % targets.length]!.program_id)

async function perSecond(count: number, work: (i: number) => Promise<unknown>): Promise<number> {
  let next = 0
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (next < count) await work(next++)
    }),
  )
  return count / ((performance.now() - startedAt) / 1000)
}
