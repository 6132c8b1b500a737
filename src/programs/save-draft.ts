// An administrator's edit becomes the program's one draft.
// It must not publish anything, and nothing it does is seen in an export (D21).

import { appendAuditEvent } from '../db/audit.ts'
import type { Sql, Transaction } from '../db/client.ts'
import {
  deleteDraft,
  insertDraft,
  insertProgram,
  readQuestionReleases,
  setProgramContent,
} from '../db/program-versions.ts'
import {
  findActiveVersion,
  findDraftVersion,
  findProgram,
  loadProgramVersion,
  newestPublishedVersionId,
  type Program,
  type StoredProgramVersion,
} from '../db/programs.ts'
import {
  type BankQuestion,
  deleteUnusedQuestions,
  deleteUnusedQuestionVersions,
  lockQuestionBank,
} from '../db/questions.ts'
import type { ProgramDefinition } from '../domain/program-definition.ts'
import { completeDefinition, describeVersion } from '../domain/version-definition.ts'
import { diffDefinitions, diffVersions, type VersionChange } from '../domain/version-diff.ts'
import { Problem } from '../problem.ts'
import { loadBankFor, parseDefinition } from './parse-definition.ts'
import { storeContent } from './store-content.ts'

/** What an editor had before them. A member that is left out is not compared; null says that there was none. */
export interface EditBasis {
  /** The newest published version when the edit began. */
  basedOn?: number | null
  /** The draft that was being edited. */
  draft?: number | null
}

export interface DraftResult {
  program_id: number
  slug: string
  /** The draft; the active version, when the definition is what is published already and there is no draft any more. */
  program_version_id: number
  /** False when this was the draft, or the published version, already. */
  saved: boolean
  /** Against what is published now; every question as added, when nothing is. */
  changes: VersionChange[]
}

/** What publishing needs of a definition: checked against the bank as it is under the lock, and complete. */
export interface CheckedEdit {
  definition: ProgramDefinition
  bank: BankQuestion[]
  program: Program | undefined
  active: StoredProgramVersion | undefined
  draft: StoredProgramVersion | undefined
  /** Against the active version. */
  changes: VersionChange[]
}

/**
 * Makes this definition the program's draft in place of the one it has; makes the program if there is none. Each draft that is
 * saved has an id of its own. A definition equal to what is published leaves no draft.
 * Throws `invalid_request` with every fault, or `conflict` with what changed since the edit began.
 */
export async function saveDraft(
  sql: Sql,
  document: unknown,
  actor: string,
  basis: EditBasis = {},
): Promise<DraftResult> {
  return sql.begin('isolation level read committed', async tx => {
    const edit = await checkEdit(tx, document, basis)
    const { program, active, draft, definition, changes } = edit
    const slug = definition.slug
    if (program !== undefined && active !== undefined && changes.length === 0) {
      if (draft !== undefined) await discard(tx, program, draft, actor)
      return {
        program_id: program.program_id,
        slug,
        program_version_id: active.program_version_id,
        saved: false,
        changes,
      }
    }
    if (program !== undefined && draft !== undefined && (await isSameDraft(tx, draft, definition))) {
      return {
        program_id: program.program_id,
        slug,
        program_version_id: draft.program_version_id,
        saved: false,
        changes,
      }
    }
    const program_id = program?.program_id ?? (await insertProgram(tx, definition))
    const program_version_id = await insertContent(tx, program_id, edit, actor)
    await removeUnused(tx, draft)
    if (active === undefined) await setProgramContent(tx, program_version_id)
    await appendAuditEvent(tx, { actor, action: 'program_draft_saved', subject: slug, detail: { program_version_id } })
    return { program_id, slug, program_version_id, saved: true, changes }
  })
}

/** Removes the program's draft, and with it what only the draft had. Throws `not_found` when there is none. */
export async function discardDraft(sql: Sql, slug: string, actor: string, basis: EditBasis = {}): Promise<void> {
  await sql.begin('isolation level read committed', async tx => {
    await lockQuestionBank(tx)
    const program = await findProgram(tx, slug)
    const draft = program && (await findDraftVersion(tx, program.program_id))
    if (program === undefined || draft === undefined) throw noDraft(slug)
    await refuseOutdatedBasis(tx, program, draft, basis)
    await discard(tx, program, draft, actor)
  })
}

export function noDraft(slug: string): Problem {
  return new Problem('not_found', { detail: `There is no draft of a program "${slug}".` })
}

/** Takes the bank's lock; from then on what is read here stays true to the end of the transaction. */
export async function checkEdit(tx: Transaction, document: unknown, basis: EditBasis): Promise<CheckedEdit> {
  await lockQuestionBank(tx)
  const bank = await loadBankFor(tx, document)
  const parsed = parseDefinition(document, bank)
  const definition = completeDefinition(parsed, bank)
  const program = await findProgram(tx, definition.slug)
  const active = program && (await findActiveVersion(tx, program.program_id))
  const draft = program && (await findDraftVersion(tx, program.program_id))
  if (program !== undefined) await refuseOutdatedBasis(tx, program, draft, basis)
  const before = active === undefined ? nothing(definition) : describeVersion(active)
  return { definition, bank, program, active, draft, changes: diffDefinitions(before, definition) }
}

function nothing(definition: ProgramDefinition): ProgramDefinition {
  return { ...definition, questions: [], screens: [] }
}

/** Stores the content as the program's draft, in place of the one it has. */
export async function insertContent(
  tx: Transaction,
  program_id: number,
  { definition, bank, draft, active }: CheckedEdit,
  actor: string,
): Promise<number> {
  const content = await storeContent(tx, definition, bank, draft)
  if (draft !== undefined) await deleteDraft(tx, draft.program_version_id)
  return insertDraft(tx, {
    ...content,
    program_id,
    based_on: active?.program_version_id ?? null,
    created_by: actor,
  })
}

async function isSameDraft(
  tx: Transaction,
  draft: StoredProgramVersion,
  definition: ProgramDefinition,
): Promise<boolean> {
  if (diffDefinitions(describeVersion(draft), definition).length > 0) return false
  // A draft that something was published past is made anew even if it reads the same: that is how its editor agrees.
  const newest = (await newestPublishedVersionId(tx, draft.program_id)) ?? null
  const releases = await readQuestionReleases(tx, draft.program_version_id)
  return draft.based_on === newest && releases.every(({ based_on, replaces }) => based_on === replaces)
}

export async function discard(
  tx: Transaction,
  program: Program,
  draft: StoredProgramVersion,
  actor: string,
): Promise<void> {
  await deleteDraft(tx, draft.program_version_id)
  await removeUnused(tx, draft)
  const detail = { program_version_id: draft.program_version_id }
  await appendAuditEvent(tx, { actor, action: 'program_draft_discarded', subject: program.slug, detail })
}

/** Of a draft that is gone, what no other version uses. */
export async function removeUnused(tx: Transaction, draft: StoredProgramVersion | undefined): Promise<void> {
  if (draft === undefined) return
  await deleteUnusedQuestionVersions(
    tx,
    draft.questions.map(q => q.question_version_id),
  )
  await deleteUnusedQuestions(
    tx,
    draft.questions.map(q => q.question_id),
  )
}

/** Two administrators at work at once lose nothing: who comes second is told what the first one changed. */
export async function refuseOutdatedBasis(
  tx: Transaction,
  program: Program,
  draft: StoredProgramVersion | undefined,
  basis: EditBasis,
): Promise<void> {
  const newest = (await newestPublishedVersionId(tx, program.program_id)) ?? null
  const now = draft?.program_version_id ?? null
  const basedOn =
    basis.basedOn ?? (basis.basedOn === undefined && draft && basis.draft === now ? draft.based_on : basis.basedOn)
  if (basedOn !== undefined && basedOn !== newest) throw await outdated(tx, program, basedOn, newest)
  if (basis.draft === undefined || basis.draft === now) return
  throw new Problem('conflict', {
    detail:
      draft === undefined
        ? `The draft of "${program.slug}" that was being edited is gone: it was published or discarded meanwhile.`
        : `The draft of "${program.slug}" was changed meanwhile, by ${draft.created_by}: it is ${now} now.`,
  })
}

/** The conflict that tells what was published since an edit began. */
export async function outdated(
  tx: Transaction,
  program: Program,
  basedOn: number | null,
  newest: number | null,
): Promise<Problem> {
  const before = basedOn === null ? undefined : await loadProgramVersion(tx, basedOn)
  const after = newest === null ? undefined : await loadProgramVersion(tx, newest)
  if (after === undefined || (before !== undefined && before.program_id !== program.program_id)) {
    return new Problem('conflict', { detail: `${basedOn} is not a published version of program "${program.slug}".` })
  }
  const changes = diffVersions(before ?? { ...after, screens: [], questions: [] }, after)
  return new Problem('conflict', {
    detail:
      `Program "${program.slug}" has had version ${newest} published by ${after.published_by} since this edit began` +
      ` (it was based on ${basedOn ?? 'nothing'}). Nothing was changed now. What that version changed:`,
    errors: changes.map(({ code, subject, detail }) => ({
      path: '',
      code,
      detail: subject === '' ? detail : `"${subject}": ${detail}`,
    })),
  })
}
