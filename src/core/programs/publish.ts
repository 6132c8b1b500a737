// Publishes an edit or draft as the program's active version, and applies its changes to shared questions in every program that asks them.
// One transaction under the question bank's lock. It requests derived data (announce) but computes none.

import { appendAuditEvent } from '../../db/audit/audit.ts'
import type { Sql, Transaction } from '../../db/client.ts'
import { refuseFollowed } from '../../db/origin.ts'
import {
  activateDraft,
  deleteDraft,
  insertDraft,
  insertProgram,
  readQuestionReleases,
  retireActiveVersion,
  setProgramContent,
} from '../../db/programs/program-versions.ts'
import {
  findActiveVersion,
  findDraftVersion,
  findProgram,
  type StoredProgramVersion,
} from '../../db/programs/programs.ts'
import { lockQuestionBank } from '../../db/programs/questions.ts'
import { diffVersions, type VersionChange } from '../../domain/comparison/version-diff.ts'
import type { ProgramDefinition } from '../../domain/definitions/program-definition.ts'
import { describeVersion, withoutQuestions } from '../../domain/definitions/version-definition.ts'
import { announcePublication } from './announce.ts'
import {
  checkEdit,
  type EditOptions,
  noDraft,
  openEdit,
  outdated,
  programsAreEdited,
  recordDiscarded,
  refuseOtherDraft,
  refuseStaleBasis,
  removeDraft,
  says,
} from './edit.ts'
import {
  type AllowedMoves,
  findOutdatedQuestions,
  type MovedProgram,
  moveSharedQuestions,
  restoreDraft,
} from './move-questions.ts'
import { loadBankFor, parseDefinition } from './parse-definition.ts'
import { storeContent } from './store-content.ts'

interface PublishOptions extends EditOptions {
  /** The other programs that may get a new version because they ask a question that changes; none if omitted. */
  move?: AllowedMoves
  /** Called with the number of other programs changed so far. */
  onMoved?: (programsDone: number) => void
}

export interface PublicationResult {
  program_id: number
  slug: string
  program_version_id: number
  version_number: number
  /** False if this is already published: no version was created, and the IDs are those of the active one. */
  published: boolean
  /** Compared with the previously published version; in the first version, every question counts as added. */
  changes: VersionChange[]
  /** Other programs with a new version because they ask a question that changed. */
  also_published: MovedProgram[]
}

/**
 * Saves and publishes a definition in one step. It checks the definition again, so the caller may pass any document. `basis.draft` names the draft
 * being published; it is removed. Any other draft is kept and becomes outdated. Throws `invalid_request` with every error, or `conflict` with what
 * changed since the edit began or with the programs that would be moved and may not be.
 */
export async function publishDefinition(
  sql: Sql,
  definition: ProgramDefinition,
  actor: string,
  options: PublishOptions = {},
): Promise<PublicationResult> {
  return sql.begin('isolation level read committed', async tx => {
    const edited = await openEdit(tx, definition)
    const { program, active, draft } = edited
    if (active !== undefined && draft === undefined && (await says(tx, definition, active))) return unchanged(active)
    const used = await refuseStaleBasis(tx, edited, definition)
    const kept = used === undefined ? draft : undefined
    const edit = await checkEdit(tx, definition, active, used, options)
    const { changes } = edit
    const { slug } = edit.definition
    if (active !== undefined && changes.length === 0) {
      if (used !== undefined) await recordDiscarded(tx, used, { actor, address: options.address })
      return unchanged(active)
    }
    if (kept !== undefined) await deleteDraft(tx, kept.program_version_id)
    const program_id = program?.program_id ?? (await insertProgram(tx, edit.definition))
    const content = await storeContent(tx, edit.definition, edit.bank)
    const based_on = active?.program_version_id ?? null
    const program_version_id = await insertDraft(tx, { ...content, program_id, based_on, created_by: actor })
    return release(tx, { program_id, slug, program_version_id, replaces: active, kept, changes, actor }, options)
  })
}

/**
 * Publishes the program's draft; with `options.reviewed`, only if that is still the draft. Throws `not_found` if there is no draft; `conflict` if
 * another publication has changed something it was based on, with the difference, or if programs would be moved that may not be; and
 * `invalid_request` if it no longer fits the question bank.
 */
export async function publishDraft(
  sql: Sql,
  slug: string,
  actor: string,
  options: DraftPublishOptions = {},
): Promise<PublicationResult> {
  return sql.begin('isolation level read committed', tx => publishDraftIn(tx, slug, actor, options))
}

type DraftPublishOptions = PublishOptions & { reviewed?: number }

/** Like `publishDraft`, in the caller's transaction. */
export async function publishDraftIn(
  tx: Transaction,
  slug: string,
  actor: string,
  options: DraftPublishOptions,
): Promise<PublicationResult> {
  await lockQuestionBank(tx)
  await refuseFollowed(tx, programsAreEdited)
  const program = await findProgram(tx, slug)
  const draft = program && (await findDraftVersion(tx, program.program_id))
  if (program === undefined || draft === undefined) throw noDraft(slug)
  refuseOtherDraft(draft, options.reviewed)
  const active = await findActiveVersion(tx, program.program_id)
  const newest = active?.program_version_id ?? null
  if (draft.based_on !== newest) throw await outdated(tx, program, draft.based_on, newest)
  const changes = diffVersions(active ?? withoutQuestions(draft), draft)
  if (active !== undefined && changes.length === 0) {
    await removeDraft(tx, draft)
    await recordDiscarded(tx, draft, { actor, address: options.address })
    return unchanged(active)
  }
  const overtaken = await findOutdatedQuestions(tx, draft)
  if (overtaken !== undefined) throw overtaken
  const definition = describeVersion(draft)
  await parseDefinition(definition, await loadBankFor(tx, definition), options.enumeratorDepthMax)
  const { program_id } = program
  const { program_version_id } = draft
  const released = { program_id, slug, program_version_id, replaces: active, kept: undefined, changes, actor }
  return release(tx, released, options)
}

function unchanged({ program_id, slug, program_version_id, version_number }: StoredProgramVersion): PublicationResult {
  return {
    program_id,
    slug,
    program_version_id,
    version_number: version_number!,
    published: false,
    changes: [],
    also_published: [],
  }
}

interface Release {
  program_id: number
  slug: string
  program_version_id: number
  replaces: StoredProgramVersion | undefined
  /** Another edit's draft, which was removed for this publication, is restored. */
  kept: StoredProgramVersion | undefined
  changes: VersionChange[]
  actor: string
}

async function release(
  tx: Transaction,
  { program_id, slug, program_version_id, replaces, kept, changes, actor }: Release,
  { move: allowed, address, onMoved }: PublishOptions,
): Promise<PublicationResult> {
  const releases = await readQuestionReleases(tx, program_version_id)
  await retireActiveVersion(tx, program_id)
  await activateDraft(tx, program_version_id, actor)
  await setProgramContent(tx, program_version_id)
  await appendAuditEvent(tx, {
    actor,
    address,
    action: 'program_published',
    subject: slug,
    detail: { program_version_id, replaces: replaces?.program_version_id ?? null, changes: changes.length },
  })
  const also_published = await moveSharedQuestions(tx, releases, {
    becauseOf: slug,
    actor,
    address,
    allowed: allowed ?? [],
    onMoved,
  })
  if (kept !== undefined) await restoreDraft(tx, kept, releases, kept.based_on)
  await announcePublication(tx, [program_version_id, ...also_published.map(other => other.program_version_id)])
  const version_number = (replaces?.version_number ?? 0) + 1
  return { program_id, slug, program_version_id, version_number, published: true, changes, also_published }
}
