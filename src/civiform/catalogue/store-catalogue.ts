// Stores CiviForm's programs here, with the same versions and IDs, and keeps them in step.
//
// Every version published here is compared with CiviForm's each time. It changes there only if it was a draft that a user had applied to,
// or through CiviForm's own upgrades. It is then replaced and counts as published at that moment.

import { enqueue } from '../../core/queue/enqueue.ts'
import type { Transaction } from '../../db/client.ts'
import { deleteDraft, type VersionContent } from '../../db/programs/program-versions.ts'
import { insertQuestionVersion, lockQuestionBank } from '../../db/programs/questions.ts'
import type { Condition } from '../../domain/questions/program-version.ts'
import type { QuestionSettings } from '../../domain/questions/question.ts'
import {
  activateFollowedVersion,
  type BankedQuestion,
  type FollowedVersion,
  insertFollowedProgram,
  insertFollowedQuestion,
  insertFollowedVersion,
  publishFollowedVersion,
  readBankedQuestions,
  readFollowedPrograms,
  readFollowedVersions,
  replaceFollowedVersion,
  setFollowedProgram,
} from '../db/followed-programs.ts'
import type { CatalogueQuestion, CatalogueVersion } from '../definitions/catalogue-version.ts'
import type { ProgramFamily } from './program-families.ts'

/** Stores families of programs in their current state. `statuses` are by program name. Safe to repeat. */
export async function storeCatalogue(
  tx: Transaction,
  families: readonly ProgramFamily[],
  statuses: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  await lockQuestionBank(tx)
  const bank = new QuestionBank(tx, await readBankedQuestions(tx))
  const programs = new Map((await readFollowedPrograms(tx)).map(program => [program.origin_name, program]))
  const stored = Map.groupBy(await readFollowedVersions(tx), version => version.program_id)
  const takenSlugs = new Set([...programs.values()].map(program => program.slug))
  for (const family of families) {
    const newest = family.versions.findLast(version => version.state === 'ACTIVE') ?? family.versions.at(-1)!
    const program_id =
      programs.get(family.name)?.program_id ??
      (await insertFollowedProgram(tx, {
        slug: freeSlug(family.slug, takenSlugs),
        display_name: newest.displayName,
        origin_name: family.name,
      }))
    await storeVersions(tx, program_id, family.versions, stored.get(program_id) ?? [], bank)
    await setFollowedProgram(tx, program_id, newest.displayName, statuses.get(family.name) ?? [])
  }
}

/** A program keeps its first slug, so a new program's slug may be taken. */
function freeSlug(wanted: string, taken: Set<string>): string {
  let slug = wanted
  for (let i = 2; taken.has(slug); i++) slug = `${wanted}-${i}`
  taken.add(slug)
  return slug
}

async function storeVersions(
  tx: Transaction,
  program_id: number,
  versions: readonly CatalogueVersion[],
  stored: readonly FollowedVersion[],
  bank: QuestionBank,
): Promise<void> {
  const known = new Map(stored.map(version => [version.program_version_id, version]))
  const changed: number[] = []
  const contents = new Map<number, VersionContent>()
  for (const version of versions) contents.set(version.id, await bank.contentOf(version))
  const oldDraft = stored.find(version => version.state === 'DRAFT')
  const draft = versions.find(version => version.state === 'DRAFT')
  const draftStays =
    oldDraft !== undefined && draft?.id === oldDraft.program_version_id && isSame(oldDraft, contents.get(draft.id)!)
  if (oldDraft !== undefined && !draftStays) {
    await deleteDraft(tx, oldDraft.program_version_id)
    known.delete(oldDraft.program_version_id)
  }
  const arriving = versions.filter(version => version.state !== 'DRAFT' && !known.has(version.id))
  // One draft at a time: each new version starts as one.
  if (draftStays && arriving.length > 0) {
    await deleteDraft(tx, oldDraft!.program_version_id)
    known.delete(oldDraft!.program_version_id)
  }
  for (const version of versions) {
    const content = contents.get(version.id)!
    const before = known.get(version.id)
    if (version.state === 'DRAFT') continue
    if (before === undefined) {
      await insertFollowedVersion(tx, version.id, program_id, content)
      await publishFollowedVersion(tx, version.id, version.publishedAt)
    } else if (isSame(before, content)) continue
    else await replaceFollowedVersion(tx, version.id, program_id, content)
    changed.push(version.id)
  }
  const active = versions.findLast(version => version.state === 'ACTIVE')
  await activateFollowedVersion(tx, program_id, active?.id ?? null)
  if (draft !== undefined && !known.has(draft.id)) {
    await insertFollowedVersion(tx, draft.id, program_id, contents.get(draft.id)!)
    await enqueue(tx, [{ name: 'refresh-docs-example', payload: { program_version_id: draft.id } }])
  }
  // If several arrive together, only the newest is considered; a sweep finds the rest.
  const newest = changed.at(-1)
  if (newest === undefined) return
  await enqueue(tx, [
    { name: 'refresh-key-map', payload: { program_version_id: newest } },
    { name: 'refresh-docs-example', payload: { program_version_id: newest } },
  ])
}

const isSame = (before: FollowedVersion, content: VersionContent): boolean =>
  before.display_name === content.display_name &&
  Bun.deepEquals(before.screens, content.screens) &&
  Bun.deepEquals(
    before.question_version_ids,
    content.questions.map(question => question.question_version_id),
  )

/** Questions already stored, and those stored as they are found. */
class QuestionBank {
  readonly #byName: Map<string, BankedQuestion>

  constructor(
    private readonly tx: Transaction,
    banked: readonly BankedQuestion[],
  ) {
    this.#byName = new Map(banked.map(question => [question.admin_name, question]))
  }

  /** The content of one version, with our IDs. */
  async contentOf(version: CatalogueVersion): Promise<VersionContent> {
    const questions: { question_id: number; question_version_id: number }[] = []
    const ids = new Map<number, number>()
    const place = async (among: readonly CatalogueQuestion[], enumerator_id: number | null): Promise<void> => {
      for (const question of among) {
        const stored = await this.#question(question, enumerator_id)
        // A version contains a question once, in its first position.
        if (questions.some(other => other.question_id === stored.question_id)) continue
        const question_version_id = await this.#version(stored, settingsOf(question))
        questions.push({ question_id: stored.question_id, question_version_id })
        ids.set(question.id, stored.question_id)
        await place(question.children, stored.question_id)
      }
    }
    await place(version.questions, null)
    return {
      display_name: version.displayName,
      statuses: [],
      details: {},
      screens: version.screens.map(screen => ({
        name: screen.name,
        visible_when: screen.visibleWhen && withIds(screen.visibleWhen, ids),
        questions: screen.questions.flatMap(({ id, optional }) => {
          const question_id = ids.get(id)
          return question_id === undefined ? [] : [{ question_id, optional, visible_when: null }]
        }),
      })),
      questions,
    }
  }

  /**
   * A question is identified by name, kind and parent. In CiviForm, a name belongs to one question; if there are two, the later one gets a longer
   * name.
   */
  async #question({ name, kind, key }: CatalogueQuestion, enumerator_id: number | null): Promise<BankedQuestion> {
    const short = name.length <= 150 ? name : `${name.slice(0, 140)}…${Bun.hash(name).toString(36)}`
    for (let i = 1; ; i++) {
      const admin_name = i === 1 ? short : `${short} (${kind}, ${i})`
      const found = this.#byName.get(admin_name)
      if (found !== undefined && (found.kind !== kind || found.enumerator_id !== enumerator_id)) continue
      if (found !== undefined) return found
      const question_id = await insertFollowedQuestion(this.tx, { admin_name, question_key: key, kind, enumerator_id })
      const made: BankedQuestion = { question_id, admin_name, kind, enumerator_id, versions: [] }
      this.#byName.set(admin_name, made)
      return made
    }
  }

  async #version(question: BankedQuestion, settings: QuestionSettings): Promise<number> {
    const same = question.versions.findLast(version => Bun.deepEquals(version.settings, settings))
    if (same !== undefined) return same.question_version_id
    const { question_id } = question
    const question_version_id = await insertQuestionVersion(this.tx, { question_id, settings, based_on: null })
    question.versions.push({ question_version_id, settings })
    return question_version_id
  }
}

/** The same condition, with the IDs of the questions stored here. */
function withIds(condition: Condition, ids: ReadonlyMap<number, number>): Condition | null {
  if ('not' in condition) {
    const inner = withIds(condition.not, ids)
    return inner && { not: inner }
  }
  if ('all' in condition || 'any' in condition) {
    const inner = ('all' in condition ? condition.all : condition.any).map(condition => withIds(condition, ids))
    if (inner.includes(null)) return null
    return 'all' in condition ? { all: inner as Condition[] } : { any: inner as Condition[] }
  }
  const question_id = ids.get(condition.question_id)
  return question_id === undefined ? null : { ...condition, question_id }
}

function settingsOf({ text, help, options, kind, corrected, type }: CatalogueQuestion): QuestionSettings {
  const seen = new Set<string>()
  const distinct = options.filter(({ adminName }) => !seen.has(adminName) && seen.add(adminName))
  const settings: Record<string, unknown> = { text }
  if (help !== undefined) settings.help = help
  if (distinct.length > 0)
    settings.options = distinct.map(({ adminName, text: label }) => ({ admin_id: adminName, text: label }))
  if (kind === 'ADDRESS' && corrected) settings.correct_addresses = true
  if (isUnknown(kind, type)) settings.origin_type = type
  return settings as QuestionSettings
}

/** A question of a type that this release does not know is stored as a text question with the type's name. */
const isUnknown = (kind: string, type: string): boolean => kind === 'TEXT' && type !== 'TEXT'
