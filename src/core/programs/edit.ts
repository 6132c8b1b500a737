// Checks an edit of a program before it is saved or published: its base version, its validity and its changes.

import { Problem } from '../../base/problem.ts'
import { appendAuditEvent } from '../../db/audit/audit.ts'
import type { Transaction } from '../../db/client.ts'
import { refuseFollowed } from '../../db/origin.ts'
import { deleteDraft } from '../../db/programs/program-versions.ts'
import {
  findActiveVersion,
  findDraftVersion,
  findProgram,
  findProgramVersion,
  loadProgramVersion,
  type Program,
  type StoredProgramVersion,
} from '../../db/programs/programs.ts'
import {
  type BankQuestion,
  deleteUnusedQuestions,
  deleteUnusedQuestionVersions,
  lockQuestionBank,
} from '../../db/programs/questions.ts'
import { diffDefinitions, diffVersions, type VersionChange } from '../../domain/comparison/version-diff.ts'
import { member } from '../../domain/definitions/definition-form.ts'
import type { ProgramDefinition } from '../../domain/definitions/program-definition.ts'
import { completeDefinition, describeWhole, withoutQuestions } from '../../domain/definitions/version-definition.ts'
import { isSlug } from '../../domain/values/slug.ts'
import { loadBankFor, parseDefinition } from './parse-definition.ts'

export interface EditOptions {
  /** The setting; its default if omitted. */
  enumeratorDepthMax?: number
  /** Where the request came from, for the audit log. */
  address?: string | undefined
}

/** A program as read under the bank's lock. */
export interface EditedProgram {
  program: Program | undefined
  active: StoredProgramVersion | undefined
  draft: StoredProgramVersion | undefined
}

/** A complete definition that was checked against the bank under the lock. `changes` compares it with the active version. */
interface CheckedEdit {
  definition: ProgramDefinition
  bank: BankQuestion[]
  changes: VersionChange[]
}

/** Begins the sentence of `refuseFollowed`. */
export const programsAreEdited = 'Programs are edited and published'

/** Takes the bank's lock, so that everything read afterwards remains valid until the end of the transaction. */
export async function openEdit(tx: Transaction, document: unknown): Promise<EditedProgram> {
  await lockQuestionBank(tx)
  await refuseFollowed(tx, programsAreEdited)
  const slug = member(document, 'slug')
  const program = isSlug(slug) ? await findProgram(tx, slug) : undefined
  if (program === undefined) return { program, active: undefined, draft: undefined }
  return {
    program,
    active: await findActiveVersion(tx, program.program_id),
    draft: await findDraftVersion(tx, program.program_id),
  }
}

/**
 * Prevents two people who edit one program from undoing each other's changes: `based_on` in a document names the version it was derived from, the
 * active one or the draft, and the document is rejected if that has been replaced. Returns the draft if the document was derived from it. Throws
 * `conflict` with the changes since and the way out. A malformed `based_on` is reported by the check of the document.
 */
export async function refuseStaleBasis(
  tx: Transaction,
  { program, active, draft }: EditedProgram,
  document: unknown,
): Promise<StoredProgramVersion | undefined> {
  if (program === undefined) return undefined
  const { slug } = program
  const basedOn = member(document, 'based_on')
  if (basedOn === undefined) throw noBasis(slug, active, draft)
  if (basedOn !== null && !Number.isSafeInteger(basedOn)) return undefined
  const newest = active?.program_version_id ?? null
  const edited = draft !== undefined && basedOn === draft.program_version_id ? draft : undefined
  const published = edited === undefined ? (basedOn as number | null) : edited.based_on
  if (published !== newest) throw await outdated(tx, program, published, newest)
  return edited
}

function noBasis(
  slug: string,
  active: StoredProgramVersion | undefined,
  draft: StoredProgramVersion | undefined,
): Problem {
  const there = [
    ...(active === undefined
      ? []
      : [`version ${active.version_number} (ID ${active.program_version_id}), published by ${active.published_by}`]),
    ...(draft === undefined ? [] : [`the draft (ID ${draft.program_version_id}), saved by ${draft.created_by}`]),
  ]
  return new Problem('conflict', {
    detail: `A program "${slug}" already exists: ${there.join(' and ')}. Nothing was changed.`,
    errors: [
      {
        path: '/based_on',
        code: 'based_on_required',
        detail:
          'Is required: the ID of the version that this document is based on, so that no concurrent change is lost.' +
          ` \`scripts/program show ${slug}\` prints the active version with this ID, or the draft with --draft.`,
      },
    ],
  })
}

/** The conflict that names what was published since an edit began. */
export async function outdated(
  tx: Transaction,
  program: Program,
  basedOn: number | null,
  newest: number | null,
): Promise<Problem> {
  const { slug } = program
  const before = basedOn === null ? undefined : await findProgramVersion(tx, basedOn)
  const isOurs = before === undefined ? basedOn === null : before.program_id === program.program_id
  const after = newest === null ? undefined : await loadProgramVersion(tx, newest)
  const advice = `\`scripts/program show ${slug}\` prints the current version with its \`based_on\`; add your changes to it.`
  if (!isOurs || after === undefined) {
    return new Problem('conflict', {
      detail: `Program "${slug}" has no version with the ID ${basedOn}: a draft has since been saved again, published or discarded. Nothing was changed. ${advice}`,
    })
  }
  const changes = diffVersions(before ?? withoutQuestions(after), after)
  return new Problem('conflict', {
    internal: 'outdated',
    detail:
      `Program "${slug}" has changed since this edit began: ${after.published_by} published version ${after.version_number} (ID ${newest})` +
      `, but this edit is based on ${basedOn === null ? 'no version' : `ID ${basedOn}`}. Nothing was changed. ${advice} That version changed:`,
    errors: changes.map(({ code, subject, detail }) => ({
      path: '',
      code,
      detail: subject === '' ? detail : `"${subject}": ${detail}`,
    })),
  })
}

/** Whether a document and a version are equal, so that there is nothing to save or publish, whatever the document is based on. */
export async function says(tx: Transaction, document: unknown, version: StoredProgramVersion): Promise<boolean> {
  const bank = await loadBankFor(tx, document)
  try {
    const definition = completeDefinition(await parseDefinition(document, bank, Number.POSITIVE_INFINITY), bank)
    return diffDefinitions(describeWhole(version), definition).length === 0
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

/**
 * Checks the document as if the draft that it replaces had never existed: questions that only that draft uses are removed from the bank first, so
 * that a wrong name or kind in it can be corrected.
 */
export async function checkEdit(
  tx: Transaction,
  document: unknown,
  active: StoredProgramVersion | undefined,
  replaces: StoredProgramVersion | undefined,
  { enumeratorDepthMax }: EditOptions,
): Promise<CheckedEdit> {
  if (replaces !== undefined) await removeDraft(tx, replaces)
  const bank = await loadBankFor(tx, document)
  const definition = completeDefinition(await parseDefinition(document, bank, enumeratorDepthMax), bank)
  return { definition, bank, changes: changesAgainst(active, definition) }
}

/** The changes in a complete definition; if nothing is published, every question counts as added. */
export function changesAgainst(
  active: StoredProgramVersion | undefined,
  definition: ProgramDefinition,
): VersionChange[] {
  const before = active === undefined ? { ...definition, questions: [], screens: [] } : describeWhole(active)
  return diffDefinitions(before, definition)
}

export function noDraft(slug: string): Problem {
  return new Problem('not_found', { detail: `The program "${slug}" has no draft.` })
}

/** Throws `conflict` unless the draft is still the one that was reviewed. */
export function refuseOtherDraft(draft: StoredProgramVersion, reviewed: number | undefined): void {
  if (reviewed === undefined || reviewed === draft.program_version_id) return
  throw new Problem('conflict', {
    detail: `${draft.created_by} has since changed the draft of "${draft.slug}"; its ID is now ${draft.program_version_id}.`,
    internal: 'outdated',
  })
}

/** Removes a draft with its questions and question versions that no other version uses. */
export async function removeDraft(tx: Transaction, draft: StoredProgramVersion): Promise<void> {
  await refuseFollowed(tx, programsAreEdited)
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

export async function recordDiscarded(
  tx: Transaction,
  draft: StoredProgramVersion,
  { actor, address }: { actor: string; address: string | undefined },
): Promise<void> {
  const detail = { program_version_id: draft.program_version_id }
  await appendAuditEvent(tx, { actor, address, action: 'program_draft_discarded', subject: draft.slug, detail })
}
