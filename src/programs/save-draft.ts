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
import { member } from '../domain/definitions/definition-form.ts'
import type { ProgramDefinition } from '../domain/definitions/program-definition.ts'
import { completeDefinition, describeVersion } from '../domain/definitions/version-definition.ts'
import { diffDefinitions, diffVersions, type VersionChange } from '../domain/definitions/version-diff.ts'
import { isSlug } from '../domain/values/slug.ts'
import { Problem } from '../problem.ts'
import { announceDraft } from './announce.ts'
import { loadBankFor, parseDefinition } from './parse-definition.ts'
import { storeContent } from './store-content.ts'

/** What an editor had before them. A member that is left out is not compared; null says that there was none. */
export interface EditBasis {
  /** The newest published version when the edit began. */
  basedOn?: number | null
  /** The draft that was being edited. */
  draft?: number | null
  /** The setting; where it is left out, its default. */
  enumeratorDepthMax?: number
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

/** A program as it stands under the bank's lock. */
export interface EditedProgram {
  program: Program | undefined
  active: StoredProgramVersion | undefined
  draft: StoredProgramVersion | undefined
}

/** A definition checked against the bank as it is under the lock, and complete. `changes` is against the active version. */
export interface CheckedEdit {
  definition: ProgramDefinition
  bank: BankQuestion[]
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
    const { program, active, draft } = await openEdit(tx, document, basis)
    const same = program && draft && (await changesIfSame(tx, draft, active, document))
    if (program !== undefined && draft !== undefined && same !== undefined) return resultOf(draft, false, same)
    const { definition, bank, changes } = await checkEdit(tx, document, active, draft, basis.enumeratorDepthMax)
    if (active !== undefined && changes.length === 0) {
      if (draft !== undefined) await tellDiscarded(tx, draft, actor)
      return resultOf(active, false, changes)
    }
    const { slug } = definition
    const program_id = program?.program_id ?? (await insertProgram(tx, definition))
    const content = await storeContent(tx, definition, bank)
    const based_on = active?.program_version_id ?? null
    const program_version_id = await insertDraft(tx, { ...content, program_id, based_on, created_by: actor })
    if (active === undefined) await setProgramContent(tx, program_version_id)
    await announceDraft(tx, program_version_id)
    await appendAuditEvent(tx, { actor, action: 'program_draft_saved', subject: slug, detail: { program_version_id } })
    return { program_id, slug, program_version_id, saved: true, changes }
  })
}

function resultOf(version: StoredProgramVersion, saved: boolean, changes: VersionChange[]): DraftResult {
  const { program_id, slug, program_version_id } = version
  return { program_id, slug, program_version_id, saved, changes }
}

/** Removes the program's draft, and with it what only the draft had. Throws `not_found` when there is none. */
export async function discardDraft(sql: Sql, slug: string, actor: string, basis: EditBasis = {}): Promise<void> {
  await sql.begin('isolation level read committed', async tx => {
    await lockQuestionBank(tx)
    const program = await findProgram(tx, slug)
    const draft = program && (await findDraftVersion(tx, program.program_id))
    if (program === undefined || draft === undefined) throw noDraft(slug)
    await refuseOutdatedBasis(tx, program, draft, basis)
    await removeDraft(tx, draft)
    await tellDiscarded(tx, draft, actor)
  })
}

export function noDraft(slug: string): Problem {
  return new Problem('not_found', { detail: `There is no draft of a program "${slug}".` })
}

/** Takes the bank's lock: from then on what is read stays true to the end of the transaction. Refuses an outdated basis. */
export async function openEdit(tx: Transaction, document: unknown, basis: EditBasis): Promise<EditedProgram> {
  await lockQuestionBank(tx)
  const slug = member(document, 'slug')
  const program = isSlug(slug) ? await findProgram(tx, slug) : undefined
  if (program === undefined) return { program, active: undefined, draft: undefined }
  const active = await findActiveVersion(tx, program.program_id)
  const draft = await findDraftVersion(tx, program.program_id)
  await refuseOutdatedBasis(tx, program, draft, basis)
  return { program, active, draft }
}

/**
 * Checks the document, as if the draft that it replaces had never been: what only that draft had is removed from the bank
 * first, so that a name or a kind mistaken in it can be corrected.
 */
export async function checkEdit(
  tx: Transaction,
  document: unknown,
  active: StoredProgramVersion | undefined,
  replaces: StoredProgramVersion | undefined,
  enumeratorDepthMax: number | undefined,
): Promise<CheckedEdit> {
  if (replaces !== undefined) await removeDraft(tx, replaces)
  const bank = await loadBankFor(tx, document)
  const definition = completeDefinition(parseDefinition(document, bank, enumeratorDepthMax), bank)
  return { definition, bank, changes: changesAgainst(active, definition) }
}

function changesAgainst(active: StoredProgramVersion | undefined, definition: ProgramDefinition): VersionChange[] {
  const before = active === undefined ? { ...definition, questions: [], screens: [] } : describeVersion(active)
  return diffDefinitions(before, definition)
}

/** The changes against what is published, if the document says what the draft says; undefined otherwise. */
async function changesIfSame(
  tx: Transaction,
  draft: StoredProgramVersion,
  active: StoredProgramVersion | undefined,
  document: unknown,
): Promise<VersionChange[] | undefined> {
  const drafted = describeVersion(draft)
  if (diffDefinitions(drafted, (await parsedOrNothing(tx, document)) ?? { ...drafted, screens: [] }).length > 0) {
    return undefined
  }
  // A draft that something was published past is made anew even if it reads the same: that is how its editor agrees.
  const releases = await readQuestionReleases(tx, draft.program_version_id)
  const current = releases.every(({ based_on, replaces }) => based_on === replaces)
  return current && draft.based_on === (active?.program_version_id ?? null)
    ? changesAgainst(active, drafted)
    : undefined
}

async function parsedOrNothing(tx: Transaction, document: unknown): Promise<ProgramDefinition | undefined> {
  const bank = await loadBankFor(tx, document)
  try {
    return completeDefinition(parseDefinition(document, bank, Number.POSITIVE_INFINITY), bank)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** Removes a draft, and of its questions and question versions what no other version uses. */
export async function removeDraft(tx: Transaction, draft: StoredProgramVersion): Promise<void> {
  await deleteDraft(tx, draft.program_version_id)
  const { questions } = draft
  await deleteUnusedQuestionVersions(
    tx,
    questions.map(q => q.question_version_id),
  )
  await deleteUnusedQuestions(
    tx,
    questions.map(q => q.question_id),
  )
}

export async function tellDiscarded(tx: Transaction, draft: StoredProgramVersion, actor: string): Promise<void> {
  const detail = { program_version_id: draft.program_version_id }
  await appendAuditEvent(tx, { actor, action: 'program_draft_discarded', subject: draft.slug, detail })
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
