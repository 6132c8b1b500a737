// Fills programs with sample applications, usually the demo programs, which it publishes if they don't exist.

import { Problem } from '../../src/base/problem.ts'
import { bulkLoad, type LoadReceipt } from '../../src/core/load/storing/bulk-load.ts'
import { announcePublication } from '../../src/core/programs/announce.ts'
import { saveDraft } from '../../src/core/programs/save-draft.ts'
import { appendAuditEvent } from '../../src/db/audit/audit.ts'
import { inTransaction, type Sql } from '../../src/db/client.ts'
import { analyzeApplications } from '../../src/db/loads/bulk-loads.ts'
import { dateDraft, publishBundledVersion } from '../../src/db/programs/program-bundles.ts'
import { retireActiveVersion, setProgramContent } from '../../src/db/programs/program-versions.ts'
import { findProgram, readPublishedVersions } from '../../src/db/programs/programs.ts'
import { lockQuestionBank } from '../../src/db/programs/questions.ts'
import type { ProgramDefinition } from '../../src/domain/definitions/program-definition.ts'
import { formatMicros, type Micros } from '../../src/domain/values/offset-time.ts'
import { inThousands, startProgress } from '../command-line/progress.ts'
import { seedApplications } from './applications.ts'
import { childCareSubsidy } from './child-care-subsidy.ts'
import { utilityAssistance } from './utility-assistance.ts'
import { definitionsOf } from './versioned-definition.ts'

/** The programs that it creates if the arguments name them and they are missing. */
const demoPrograms = [utilityAssistance, childCareSubsidy]

interface SeedOptions {
  programs: readonly { slug: string; applications: number }[]
  /** The latest submission time; the earliest is a year before. */
  now: Micros
  timeZone: string
  actor: string
  /** The name shown on pages for the created demo programs; the actor by default. */
  publishedBy?: string | undefined
  /** The front end of the sample applicants; none if undefined. */
  frontEnd?: string | undefined
  onProgress?: (applications: number) => void
}

/** Number of applications in the first demo program; the second gets a tenth. */
export const demoShares = (applications: number): SeedOptions['programs'] => [
  { slug: utilityAssistance.slug, applications },
  { slug: childCareSubsidy.slug, applications: Math.ceil(applications / 10) },
]

const day: Micros = 24 * 3_600_000_000
const year: Micros = 365 * day
/** Fixed, so that the same command creates the same applications. */
const seed = 20_260_131

/** Seeds all of them in one transaction. Each must be a demo program or an existing published program. */
export async function seedPrograms(sql: Sql, options: SeedOptions): Promise<LoadReceipt> {
  for (const { slug } of options.programs) await requireProgram(sql, slug, options)
  const { now, timeZone, actor, frontEnd, onProgress } = options
  const how = { now, timeZone, actor, frontEnd, onProgress, source: 'scripts/seed', wholeOrNothing: true }
  const receipt = await bulkLoad(sql, how, async check => {
    const { lastIds } = check
    const first = { application_id: lastIds.application + 1, applicant_id: lastIds.applicant + 1 }
    for (const [turn, { slug, applications }] of options.programs.entries()) {
      const program = await check.openProgram(slug)
      const stored = await findProgram(sql, slug)
      if (program === undefined || stored === undefined) throw new Error(`the program ${slug} has disappeared`)
      const { submit_seq, last_submit_time } = program.before
      if (submit_seq > 0 && last_submit_time >= now) throw submittedLater(slug, last_submit_time, now)
      const plan = {
        slug,
        applications,
        ...first,
        seed: seed + turn,
        to: now,
        statuses: stored.statuses,
        versions: await readPublishedVersions(sql, stored.program_id),
        from: Math.min(now, submit_seq === 0 ? now - year : Math.max(now - year, last_submit_time + 1)),
      }
      let made = 0
      for (const application of seedApplications(plan)) {
        check.add(program, application, made++)
        first.applicant_id = Math.max(first.applicant_id, application.applicant_id + 1)
        await check.send()
      }
      first.application_id += applications
    }
    // Never the same twice, because the IDs continue.
    return crypto.getRandomValues(new Uint8Array(32))
  })
  await analyzeApplications(sql)
  return receipt
}

/** The same, with a bar on the terminal. */
export async function seedWithProgress(sql: Sql, options: SeedOptions): Promise<LoadReceipt> {
  const total = options.programs.reduce((sum, program) => sum + program.applications, 0)
  const progress = startProgress(total)
  const onProgress = (done: number) =>
    progress.update(done, `${inThousands(done)} of ${inThousands(total)} applications`)
  try {
    return await seedPrograms(sql, { ...options, onProgress })
  } finally {
    progress.stop()
  }
}

/** Thrown before anything is created, because all of it would be rejected. */
function submittedLater(slug: string, last: Micros, now: Micros): Problem {
  return new Problem('conflict', {
    detail: `Nothing was seeded: the last submission to ${slug} was at ${formatMicros(last)}, and the new ones would be before ${formatMicros(now)}. Clients that poll from Snapshot-Time would never see them. Use a later --now, or none.`,
    internal: 'too_early',
  })
}

async function requireProgram(sql: Sql, slug: string, options: SeedOptions): Promise<void> {
  const program = await findProgram(sql, slug)
  if (program !== undefined && (await readPublishedVersions(sql, program.program_id)).length > 0) return
  const demo = demoPrograms.find(demoProgram => demoProgram.slug === slug)
  if (demo === undefined) {
    throw new Problem('not_found', {
      detail:
        program === undefined
          ? `There is no program ${slug}. The demo programs are ${demoPrograms.map(demoProgram => demoProgram.slug).join(' and ')}.`
          : `The program ${slug} has never been published, so it has no applications.`,
    })
  }
  let based_on: number | null = null
  for (const [i, definition] of definitionsOf(demo).entries()) {
    // Each asks its questions for an equal part of the year, from the day after its publication.
    const at = options.now - year + Math.floor((i * year) / demo.versions) - day
    based_on = await publishAt(sql, { ...definition, based_on }, at, options)
  }
}

/** Publishes a version of a demo program as if at that time. The audit log records what happened: that the actor created it now. */
async function publishAt(
  sql: Sql,
  definition: ProgramDefinition & { based_on: number | null },
  at: Micros,
  { actor, publishedBy = actor }: SeedOptions,
): Promise<number> {
  const { program_id, slug, program_version_id } = await saveDraft(sql, definition, actor)
  const published_at = formatMicros(at)
  await inTransaction(sql, async tx => {
    await lockQuestionBank(tx)
    await retireActiveVersion(tx, program_id)
    await dateDraft(tx, program_version_id, { created_at: published_at, created_by: publishedBy })
    const published = { program_version_id, state: 'ACTIVE', published_at, published_by: publishedBy } as const
    await publishBundledVersion(tx, published)
    await setProgramContent(tx, program_version_id)
    const detail = { program_version_id, replaces: definition.based_on }
    await appendAuditEvent(tx, { actor, action: 'program_published', subject: slug, detail })
    await announcePublication(tx, [program_version_id])
  })
  return program_version_id
}
