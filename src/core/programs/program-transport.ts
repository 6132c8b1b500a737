// Transfers a program from one database to another with all IDs.
// Exporting it again from there gives the same bytes.

import { invalidRequest, Problem } from '../../base/problem.ts'
import { appendAuditEvent } from '../../db/audit/audit.ts'
import type { Db, Sql, Transaction } from '../../db/client.ts'
import {
  advanceProgramSequences,
  type BundleObstacle,
  insertBundledProgram,
  insertBundledQuestions,
  insertBundledQuestionVersions,
  insertBundledVersion,
  publishBundledVersion,
  readBundledQuestions,
  readBundledQuestionVersions,
  readBundleObstacles,
} from '../../db/programs/program-bundles.ts'
import { readProgramsUsingOthers } from '../../db/programs/program-versions.ts'
import { findProgram, loadProgramVersion, readPublishedVersions } from '../../db/programs/programs.ts'
import { lockQuestionBank } from '../../db/programs/questions.ts'
import { bundleErrors, bundleFormat, type ProgramBundle } from '../../domain/definitions/program-bundle.ts'
import { describeVersion } from '../../domain/definitions/version-definition.ts'
import { foldedQuestionKey, questionKey } from '../../domain/questions/question-key.ts'
import { formatMicros } from '../../domain/values/offset-time.ts'
import { announcePublication } from './announce.ts'
import { parseDefinition } from './parse-definition.ts'

/** Everything a program ever published. Throws `not_found`, also if nothing has been published yet. */
export async function exportProgram(sql: Sql, slug: string): Promise<ProgramBundle> {
  return sql.begin('isolation level repeatable read read only', async tx => {
    const program = await findProgram(tx, slug)
    const versions = program === undefined ? [] : await readPublishedVersions(tx, program.program_id)
    if (program === undefined || versions.length === 0) {
      throw new Problem('not_found', { detail: `No program "${slug}" has a published version.` })
    }
    const asked = versions.flatMap(version => version.questions)
    const { program_id, created_at } = program
    return {
      format: bundleFormat,
      program: { program_id, slug, created_at: formatMicros(created_at) },
      questions: await readBundledQuestions(tx, [...new Set(asked.map(q => q.question_id))]),
      question_versions: await readBundledQuestionVersions(tx, [...new Set(asked.map(q => q.question_version_id))]),
      program_versions: versions.map(version => ({
        program_version_id: version.program_version_id,
        state: version.state === 'ACTIVE' ? 'ACTIVE' : 'OBSOLETE',
        display_name: version.display_name,
        statuses: version.statuses,
        ...(Object.keys(version.details).length === 0 ? {} : { details: version.details }),
        screens: version.screens.map(screen => ({ ...screen, questions: [...screen.questions] })),
        question_version_ids: version.questions.map(q => q.question_version_id),
        based_on: version.based_on,
        created_at: formatMicros(version.created_at),
        created_by: version.created_by,
        published_at: formatMicros(version.published_at!),
        published_by: version.published_by!,
      })),
    }
  })
}

interface ImportResult {
  program_id: number
  slug: string
  program_version_ids: number[]
}

/**
 * Recreates a program from a bundle, all or nothing. Questions that already exist exactly as in the bundle are shared. Throws `invalid_request` if it
 * is not a bundle, `conflict` with everything that prevents the import.
 */
export async function importProgram(
  sql: Sql,
  document: unknown,
  actor: string,
  enumeratorDepthMax?: number,
): Promise<ImportResult> {
  checkBundle(document, enumeratorDepthMax)
  const bundle = document as ProgramBundle
  return sql.begin('isolation level read committed', async tx => {
    await lockQuestionBank(tx)
    const { program_id, slug } = bundle.program
    refuseObstacles(bundle, await findObstacles(tx, bundle))
    await insertBundledQuestions(tx, bundle.questions, foldedKeys(bundle))
    await insertBundledQuestionVersions(tx, bundle.question_versions)
    await insertBundledProgram(tx, bundle)
    for (const version of bundle.program_versions) {
      await insertBundledVersion(tx, program_id, version)
      await publishBundledVersion(tx, version)
    }
    await advanceProgramSequences(tx)
    const program_version_ids = bundle.program_versions.map(version => version.program_version_id)
    await checkActive(tx, program_version_ids.at(-1)!)
    const detail = { program_id, program_version_ids }
    await appendAuditEvent(tx, { actor, action: 'program_imported', subject: slug, detail })
    await announcePublication(tx, program_version_ids)
    return { program_id, slug, program_version_ids }
  })
}

const foldedKeys = ({ questions }: ProgramBundle): string[] =>
  questions.map(question => foldedQuestionKey(question.question_key))

/** Everything in this database that prevents the import of a checked bundle. */
export const findObstacles = (db: Db, bundle: ProgramBundle): Promise<BundleObstacle[]> =>
  readBundleObstacles(db, bundle, foldedKeys(bundle))

/** Throws `invalid_request` if it is not a bundle, or was changed after it was written. */
export function checkBundle(document: unknown, enumeratorDepthMax?: number): void {
  const errors = bundleErrors(document, enumeratorDepthMax)
  if (errors.length > 0) throw invalidRequest('This is not a bundle written by scripts/program export.', errors)
  const bundle = document as ProgramBundle
  const keys = bundle.questions.flatMap((question, at) =>
    question.question_key === questionKey(question.admin_name)
      ? []
      : [
          {
            path: `/questions/${at}/question_key`,
            code: 'wrong_key',
            detail: `Must be "${questionKey(question.admin_name)}".`,
          },
        ],
  )
  if (keys.length > 0) throw invalidRequest('The bundle was changed after it was exported.', keys)
}

function refuseObstacles(bundle: ProgramBundle, obstacles: readonly BundleObstacle[]): void {
  if (obstacles.length === 0) return
  const places = {
    program: { list: '/program', ids: [bundle.program.program_id] },
    program_version: { list: '/program_versions', ids: bundle.program_versions.map(item => item.program_version_id) },
    question: { list: '/questions', ids: bundle.questions.map(question => question.question_id) },
    question_version: {
      list: '/question_versions',
      ids: bundle.question_versions.map(item => item.question_version_id),
    },
  }
  throw new Problem('conflict', {
    detail: `Program "${bundle.program.slug}" cannot be imported, because IDs or names in it are already used. Nothing was changed.`,
    errors: obstacles.map(({ kind, id, holder }) => ({
      path: kind === 'program' ? places.program.list : `${places[kind].list}/${places[kind].ids.indexOf(id)}`,
      code: 'taken',
      detail: `The ID or name of ${kind.replace('_', ' ')} ${id} is already used here by something else, "${holder}".`,
    })),
  })
}

/** Checks that the active version is valid and uses the same question versions as all other programs. */
async function checkActive(tx: Transaction, program_version_id: number): Promise<void> {
  const active = await loadProgramVersion(tx, program_version_id)
  // The bundle's depth was checked before.
  await parseDefinition(describeVersion(active), undefined, Number.POSITIVE_INFINITY)
  const others = await readProgramsUsingOthers(tx, active.questions, ['ACTIVE'])
  if (others.length > 0) {
    throw new Problem('conflict', {
      detail:
        `Program "${active.slug}" uses different question versions from existing programs (program ID` +
        ` ${others.map(other => other.program_id).join(', ')}). Export all of them at the same time and import them together.`,
      internal: 'shared_questions',
    })
  }
}
