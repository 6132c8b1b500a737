// Measures the CPU time of what changes applications: submissions, status changes and scripts/load. A submission costs what the service and
// PostgreSQL, with all its processes, spend on that one request, commit included; registering the applicant and saving answers are listed
// separately, and the front end is left out. In each round, PostgreSQL also stores the same texts in a plain table.

import { mergeSavedAnswers, writeSavedAnswers } from '../../src/core/intake/answers-in-progress.ts'
import { readPublishedVersions } from '../../src/db/programs/programs.ts'
import { buildKeyMap } from '../../src/domain/questions/key-map.ts'
import { cpuMsOf, cpuMsWithChildren } from '../processes/is-alive.ts'
import { seedApplications } from '../seed-program/applications.ts'
import type { BenchContext } from './bench-context.ts'
import { prepareData } from './bench-data.ts'
import type { DatabaseView } from './bench-database.ts'
import { type BenchProgram, changeStatuses, createPlainTable, insertPlainly } from './bench-statements.ts'
import { digits, type SectionReport } from './figures/findings.ts'
import { median } from './figures/statistics.ts'
import { type HttpSubject, withService } from './http-subject.ts'
import { measureLoad } from './measure-load.ts'
import { inRounds } from './rounds.ts'

/** Applicants of a round, and how many requests are sent at the same time. */
const applicants = 500
const atATime = 4
/** Rounds before the first one that counts, in which the service's code is compiled. */
const warmUps = 3
/** Applications that the program has already. */
const stored = 30_000
const statusChanges = 3_000

/** Milliseconds of CPU time, and their sum. */
type Cost = readonly [service: number, postgres: number, both: number]
type Costs = Readonly<Record<string, Cost>>

export async function measureIntake(context: BenchContext): Promise<SectionReport> {
  const load = await measureLoad(context)
  const rounds = await context.database.scratch(scratch => measureRounds(context, scratch))
  const medians = Object.entries(
    Object.groupBy(
      rounds.flatMap(round => Object.entries(round)),
      ([what]) => what,
    ),
  ).map(([what, costs]) => [what, ...[0, 1, 2].map(part => median(costs!.map(([, cost]) => cost[part]!)))] as const)
  const ms = new Map(medians.map(([what, ...cost]) => [what, cost]))
  return {
    findings: [
      ...load.findings,
      { what: 'a submission: service and PostgreSQL', measured: ms.get('submission')![2]!, unit: 'ms', atMost: 3 },
      { what: 'a status change: PostgreSQL', measured: ms.get('status change')![1]!, unit: 'ms', atMost: 0.12 },
    ],
    tables: [
      ...load.tables,
      {
        title: `${atATime} at a time, ms of CPU time each`,
        head: ['', 'service', 'PostgreSQL', 'both'],
        rows: medians.map(([what, ...cost]) => [what, ...cost.map(digits)]),
      },
    ],
    raw: { load: load.raw, rounds },
  }
}

async function measureRounds(context: BenchContext, scratch: DatabaseView): Promise<Costs[]> {
  const { children, database, say } = context
  const { sql } = scratch
  const data = await prepareData(children, scratch, { applications: stored }, say)
  const { program } = data
  const bodies = await answersTo(scratch, program)
  const texts = await createPlainTable(sql, program, applicants)
  const { done } = await withService({ children, database: scratch, data }, service => {
    const each = async (count: number, work: () => Promise<unknown>): Promise<Cost> => {
      const [serviceMs, postgresMs] = [cpuMsOf(service.pid), cpuMsWithChildren(database.pid)]
      await work()
      const cost = [cpuMsOf(service.pid) - serviceMs, cpuMsWithChildren(database.pid) - postgresMs] as const
      return [cost[0] / count, cost[1] / count, (cost[0] + cost[1]) / count]
    }
    const inParallel = (work: (n: number) => Promise<unknown>) => async (): Promise<void> => {
      let next = 0
      const worker = async (): Promise<void> => {
        while (next < applicants) await work(next++)
      }
      await Promise.all(Array.from({ length: atATime }, worker))
    }
    const send = sender(service)
    const own = `programs/${program.slug}/applicants`
    const submit = async (): Promise<Costs> => {
      const ids: number[] = []
      const register = async (n: number): Promise<void> => {
        ids[n] = (await send('POST', 'applicants', '{"language":"en-US"}')).applicant_id
      }
      const save = (n: number) => send('PUT', `${own}/${ids[n]}/answers`, bodies[n]!)
      const submission = (n: number) =>
        send('POST', `${own}/${ids[n]}/submissions`, '{"submitter":{"type":"APPLICANT"}}')
      return {
        register: await each(applicants, inParallel(register)),
        save: await each(applicants, inParallel(save)),
        submission: await each(applicants, inParallel(submission)),
      }
    }
    const measured = (what: string, count: number, work: () => Promise<unknown>) => async (): Promise<Costs> => ({
      [what]: await each(count, work),
    })
    return inRounds(
      context,
      {
        plain: measured(
          'plain insert',
          applicants,
          inParallel(n => insertPlainly(sql, texts[n]!)),
        ),
        submit,
        statuses: measured('status change', statusChanges, () => changeStatuses(sql, program, statusChanges)),
      },
      warmUps,
    )
  })
  return Object.values(done).flat()
}

/** Bodies that save valid answers to the ACTIVE version, one for each applicant. */
async function answersTo({ sql }: DatabaseView, { program_id, slug }: BenchProgram): Promise<string[]> {
  const version = (await readPublishedVersions(sql, program_id)).at(-1)!
  const shape = buildKeyMap([version])
  const ids = { applicant_id: 1, application_id: 1 }
  const plan = { slug, statuses: [], versions: [version], applications: applicants, ...ids, from: 0, to: 1, seed: 1 }
  return [...seedApplications(plan)].map(
    ({ answers }) => `{"answers":${writeSavedAnswers(mergeSavedAnswers(new Map(), shape, [], answers))}}`,
  )
}

/** Sends intake requests as one front end. */
const sender = (service: HttpSubject) => async (method: string, path: string, body: string) => {
  const response = await fetch(new URL(`/intake/v1/${path}`, service.pageUrl(1)), {
    method,
    headers: { ...service.headers, 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
    body,
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}: ${text.slice(0, 500)}`)
  return JSON.parse(text) as { applicant_id: number }
}
