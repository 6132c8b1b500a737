// Whether publishing costs more the more applications there are. On a copy of the database, which is gone afterwards.

import type { Sql } from '../../../src/db/client.ts'
import { findActiveVersion } from '../../../src/db/programs.ts'
import type { ProgramDefinition } from '../../../src/domain/definitions/program-definition.ts'
import { describeForEditing } from '../../../src/domain/definitions/version-definition.ts'
import { publishDefinition } from '../../../src/programs/publish.ts'
import type { BenchContext } from '../bench-context.ts'
import { readProgramFacts } from '../bench-statements.ts'
import { atMost, digits, type SectionReport } from '../findings.ts'
import { inRounds } from '../rounds.ts'
import { median, pairedRatio } from '../statistics.ts'

const actor = 'operator:bench'
const emptySlug = 'bench-empty'

export async function measurePublish(context: BenchContext): Promise<SectionReport> {
  const { data, database } = context
  const { program } = data
  const rounds = await database.scratch('copy', async ({ sql }) => {
    const { versions } = await readProgramFacts(sql, program.program_id)
    const full = await activeDefinition(sql, program.program_id)
    let empty = { ...full, slug: emptySlug }
    let empty_id = 0
    let based_on: number | null = null
    for (let version = 1; version <= versions; version++) {
      empty = { ...empty, display_name: `Nobody's program ${version}` }
      const published = await publishDefinition(sql, { ...empty, based_on }, actor)
      empty_id = published.program_id
      based_on = published.program_version_id
    }
    return inRounds(context, {
      full: () => publishOneMore(sql, program.program_id),
      empty: () => publishOneMore(sql, empty_id),
    })
  })
  const applications = program.applications.toLocaleString('en')
  return {
    findings: [
      atMost(
        1.2,
        `publishing with ${applications} applications against publishing with none`,
        pairedRatio(rounds.full, rounds.empty),
      ),
    ],
    tables: [
      {
        title: 'Publishing one question more',
        head: ['applications', 'ms'],
        rows: [
          ['0', digits(median(rounds.empty))],
          [applications, digits(median(rounds.full))],
        ],
      },
    ],
    raw: rounds,
  }
}

let questions = 0

/** Publishes the program with one more question, which no other program asks. Milliseconds. */
async function publishOneMore(sql: Sql, programId: number): Promise<number> {
  const definition = await activeDefinition(sql, programId)
  const admin_name = `benchmark question ${'abcdefghijklmnopqrstuvwxyz'.charAt(questions % 26).repeat(1 + Math.floor(questions++ / 26))}`
  definition.questions.push({ admin_name, kind: 'TEXT', text: 'What else?' })
  definition.screens.at(-1)!.questions.push({ question: admin_name, optional: true })
  const startedAt = performance.now()
  const { published, also_published } = await publishDefinition(sql, definition, actor)
  const ms = performance.now() - startedAt
  if (!published || also_published.length > 0) throw new Error('publishing did not make exactly one version')
  return ms
}

async function activeDefinition(sql: Sql, programId: number): Promise<ProgramDefinition> {
  const active = await findActiveVersion(sql, programId)
  if (active === undefined) throw new Error(`program ${programId} has no active version`)
  return describeForEditing(active)
}
