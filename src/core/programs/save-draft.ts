// Saves an administrator's edit as the program's only draft. Drafts do not affect exports (D21).

import { Problem } from '../../base/problem.ts'
import { appendAuditEvent } from '../../db/audit/audit.ts'
import type { Sql, Transaction } from '../../db/client.ts'
import {
  insertDraft,
  insertProgram,
  readQuestionReleases,
  setProgramContent,
} from '../../db/programs/program-versions.ts'
import { findDraftVersion, findProgram, type StoredProgramVersion } from '../../db/programs/programs.ts'
import { lockQuestionBank } from '../../db/programs/questions.ts'
import type { VersionChange } from '../../domain/comparison/version-diff.ts'
import { describeWhole } from '../../domain/definitions/version-definition.ts'
import { announceDraft } from './announce.ts'
import {
  changesAgainst,
  checkEdit,
  type EditedProgram,
  type EditOptions,
  noDraft,
  openEdit,
  recordDiscarded,
  refuseOtherDraft,
  refuseStaleBasis,
  removeDraft,
  says,
} from './edit.ts'
import { storeContent } from './store-content.ts'

export interface DraftResult {
  program_id: number
  slug: string
  /** The draft; or the active version, if the definition is already published and no draft remains. */
  program_version_id: number
  /** False if the draft or the published version was already equal. */
  saved: boolean
  /** Compared with the published version; if there is none, every question counts as added. */
  changes: VersionChange[]
}

interface SaveOptions extends EditOptions {
  /** A draft that the document is not based on but may replace, because the person who saves has seen it. */
  over?: number | undefined
}

/**
 * Saves this definition as the program's draft in place of the one it is based on; creates the program if it doesn't exist. Each saved draft gets a
 * new ID. If the definition equals the published version, no draft remains. Throws `invalid_request` with every error, or `conflict` with what
 * changed since the edit began.
 */
export async function saveDraft(
  sql: Sql,
  document: unknown,
  actor: string,
  options: SaveOptions = {},
): Promise<DraftResult> {
  return sql.begin('isolation level read committed', async tx => {
    const { address } = options
    const edited = await openEdit(tx, document)
    const { program, active, draft } = edited
    const same = await findSame(tx, edited, document)
    if (same !== undefined) return resultOf(same, false, changesAgainst(active, describeWhole(same)))
    const replaces = await refuseStaleBasis(tx, edited, document)
    if (draft !== undefined && replaces === undefined && options.over !== draft.program_version_id)
      throw otherDraft(draft)
    const { definition, bank, changes } = await checkEdit(tx, document, active, draft, options)
    if (active !== undefined && changes.length === 0) {
      if (draft !== undefined) await recordDiscarded(tx, draft, { actor, address })
      return resultOf(active, false, changes)
    }
    const { slug } = definition
    const program_id = program?.program_id ?? (await insertProgram(tx, definition))
    const content = await storeContent(tx, definition, bank)
    const based_on = active?.program_version_id ?? null
    const program_version_id = await insertDraft(tx, { ...content, program_id, based_on, created_by: actor })
    if (active === undefined) await setProgramContent(tx, program_version_id)
    await announceDraft(tx, program_version_id)
    const detail = { program_version_id }
    await appendAuditEvent(tx, { actor, address, action: 'program_draft_saved', subject: slug, detail })
    return { program_id, slug, program_version_id, saved: true, changes }
  })
}

function resultOf(version: StoredProgramVersion, saved: boolean, changes: VersionChange[]): DraftResult {
  const { program_id, slug, program_version_id } = version
  return { program_id, slug, program_version_id, saved, changes }
}

/** The equal version: the draft; without a draft, the active version. */
async function findSame(
  tx: Transaction,
  { active, draft }: EditedProgram,
  document: unknown,
): Promise<StoredProgramVersion | undefined> {
  if (draft === undefined) return active !== undefined && (await says(tx, document, active)) ? active : undefined
  // A draft that is older than the newest publication is saved again even if it is equal: that is how its editor accepts the publication.
  if (draft.based_on !== (active?.program_version_id ?? null)) return undefined
  const releases = await readQuestionReleases(tx, draft.program_version_id)
  if (releases.some(({ based_on, replaces }) => based_on !== replaces)) return undefined
  return (await says(tx, document, draft)) ? draft : undefined
}

function otherDraft({ slug, program_version_id, created_by }: StoredProgramVersion): Problem {
  return new Problem('conflict', {
    detail:
      `This document is not based on the draft of "${slug}" (${program_version_id}, saved by ${created_by}). Nothing was` +
      ` changed. To continue with it: \`scripts/program show ${slug} --draft\`. To start over, discard it in the console.`,
  })
}

/**
 * Removes the program's draft, and everything that only the draft used; with `options.reviewed`, only if that is still the draft. Throws `not_found`
 * if there is no draft.
 */
export async function discardDraft(
  sql: Sql,
  slug: string,
  actor: string,
  options: { reviewed?: number; address?: string | undefined } = {},
): Promise<void> {
  await sql.begin('isolation level read committed', async tx => {
    await lockQuestionBank(tx)
    const program = await findProgram(tx, slug)
    const draft = program && (await findDraftVersion(tx, program.program_id))
    if (draft === undefined) throw noDraft(slug)
    refuseOtherDraft(draft, options.reviewed)
    await removeDraft(tx, draft)
    await recordDiscarded(tx, draft, { actor, address: options.address })
  })
}
