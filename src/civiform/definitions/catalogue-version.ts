// One version of a CiviForm program: the tree of its questions, and its screens. Pure.

import { blockCondition } from '../../domain/imports/block-conditions.ts'
import { civiformKinds } from '../../domain/imports/civiform-kinds.ts'
import type { Condition } from '../../domain/questions/program-version.ts'
import type { QuestionKind } from '../../domain/questions/question.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import type { SourceProgram, SourceQuestion } from '../db/source-catalogue.ts'
import { civiformQuestionKey } from './civiform-question-key.ts'
import { type FollowedOption, readOptions } from './question-options.ts'
import { readTranslation } from './translations.ts'

/** Something in CiviForm's data that could not be copied unchanged. */
export interface Finding {
  kind: string
  /** A program, question, application or key, by its name or ID in CiviForm. */
  subject: string
  detail: string
}

/** A question in a version of a program. */
export interface CatalogueQuestion {
  /** ID of the row in `questions`. */
  id: number
  name: string
  key: string
  /** Its name in CiviForm. */
  type: string
  kind: QuestionKind
  text: string
  help: string | undefined
  options: readonly FollowedOption[]
  tags: readonly string[]
  optional: boolean
  corrected: boolean
  children: CatalogueQuestion[]
}

export interface CatalogueScreen {
  name: string
  /** With questions named by the ids of rows of `questions`; null when it is always shown, or ours cannot say when. */
  visibleWhen: Condition | null
  /** By row IDs of `questions`. */
  questions: { id: number; optional: boolean }[]
}

/** A row of `programs`. */
export interface CatalogueVersion {
  id: number
  state: 'DRAFT' | 'ACTIVE' | 'OBSOLETE'
  publishedAt: Micros | null
  displayName: string
  screens: CatalogueScreen[]
  /** Including STATIC ones; repeated questions are under their enumerator. */
  questions: CatalogueQuestion[]
  rowVersion: string
}

interface Block {
  id: unknown
  name: unknown
  localizedName: unknown
  repeaterId: unknown
  hidePredicate?: unknown
  eligibilityDefinition?: unknown
  questionDefinitions: { id: unknown; optional?: unknown; addressCorrectionEnabled?: unknown }[]
}

/** `findings` receives everything that could not be copied unchanged. */
export function versionOf(
  row: SourceProgram,
  state: CatalogueVersion['state'],
  questions: ReadonlyMap<number, SourceQuestion>,
  findings: Finding[],
): CatalogueVersion {
  const blocks = blocksOf(row, findings)
  const version = `${row.name} (version ${row.id})`
  const { top, waiting } = placeBlocks(blocks, questions, version, findings)
  const placed = new Map(everyQuestion(top).map(question => [question.id, question]))
  for (const block of waiting)
    findings.push({
      kind: 'repeated_block',
      subject: version,
      detail: `block ${String(block.id)} is repeated for block ${String(block.repeaterId)}, which has no enumerator; its questions are left out`,
    })
  return {
    id: row.id,
    state,
    publishedAt: row.published_at,
    displayName: readTranslation(row.localized_name) ?? row.name,
    screens: blocks.map((block, i) => ({
      name: nameOf(block, i),
      visibleWhen: conditionOf(block, i),
      questions: block.questionDefinitions.map(questionDefinition => ({
        id: Number(questionDefinition.id),
        optional: questionDefinition.optional === true,
      })),
    })),
    questions: top,
    rowVersion: row.row_version,
  }

  function conditionOf(block: Block, i: number): Condition | null {
    const { condition, why } = blockCondition(block.hidePredicate, placed)
    // Obsolete versions are not reported.
    const report = (detail: string): void => {
      const kind = 'condition'
      if (state !== 'OBSOLETE') findings.push({ kind, subject: `${version}, ${nameOf(block, i)}`, detail })
    }
    if (why !== undefined)
      report(`has a visibility condition that cannot be expressed here: it ${why}; the block counts as always shown`)
    if (block.eligibilityDefinition != null)
      report('has an eligibility condition, which is not supported here; it is left out')
    return condition
  }
}

/** The questions of the blocks, repeated ones under their enumerator; and the blocks whose enumerator is missing. */
function placeBlocks(
  blocks: readonly Block[],
  questions: ReadonlyMap<number, SourceQuestion>,
  version: string,
  findings: Finding[],
): { top: CatalogueQuestion[]; waiting: readonly Block[] } {
  const enumerators = new Map<unknown, CatalogueQuestion[]>()
  const top: CatalogueQuestion[] = []
  // A block may precede the one it is repeated for; each round places those whose enumerator is placed.
  let waiting: readonly Block[] = blocks
  for (let placed = true; placed; ) {
    const later: Block[] = []
    for (const block of waiting) {
      const siblings = block.repeaterId == null ? top : enumerators.get(block.repeaterId)
      if (siblings === undefined) later.push(block)
      else placeBlock(block, siblings)
    }
    placed = later.length < waiting.length && later.length > 0
    waiting = later
  }
  return { top, waiting }

  function placeBlock(block: Block, siblings: CatalogueQuestion[]): void {
    for (const placement of block.questionDefinitions) {
      const source = questions.get(Number(placement.id))
      const question = source === undefined ? undefined : questionOf(source, placement, version, findings)
      if (question === undefined) {
        if (source === undefined)
          findings.push({
            kind: 'missing_question',
            subject: version,
            detail: `asks question ${String(placement.id)}, which does not exist; it is left out`,
          })
        continue
      }
      placeQuestion(question, siblings)
      if (question.kind === 'ENUMERATOR') enumerators.set(block.id, question.children)
    }
  }

  /** If several questions share a key under one parent, the last one in block order gets it, as in CiviForm. */
  function placeQuestion(question: CatalogueQuestion, siblings: CatalogueQuestion[]): void {
    const duplicate =
      question.kind === 'STATIC'
        ? -1
        : siblings.findIndex(other => other.kind !== 'STATIC' && other.key === question.key)
    if (duplicate === -1) {
      siblings.push(question)
      return
    }
    const [earlier] = siblings.splice(duplicate, 1, question)
    if (earlier!.name !== question.name)
      findings.push({
        kind: 'key_collision',
        subject: version,
        detail: `"${earlier!.name}" and "${question.name}" share the key ${question.key}; it is exported from "${question.name}"`,
      })
  }
}

const nameOf = (block: Block, i: number): string =>
  readTranslation(block.localizedName) ??
  (typeof block.name === 'string' && block.name !== '' ? block.name : `Screen ${i + 1}`)

const everyQuestion = (questions: readonly CatalogueQuestion[]): CatalogueQuestion[] =>
  questions.flatMap(question => [question, ...everyQuestion(question.children)])

function blocksOf(row: SourceProgram, findings: Finding[]): Block[] {
  const blocks = row.block_definitions
  if (Array.isArray(blocks))
    return blocks
      .filter((block): block is Block => typeof block === 'object' && block !== null)
      .map(block => ({
        ...block,
        questionDefinitions: Array.isArray(block.questionDefinitions) ? block.questionDefinitions.filter(Boolean) : [],
      }))
  findings.push({
    kind: 'blocks',
    subject: `${row.name} (version ${row.id})`,
    detail: 'has blocks that are not a list',
  })
  return []
}

function questionOf(
  source: SourceQuestion,
  placement: Block['questionDefinitions'][number],
  version: string,
  findings: Finding[],
): CatalogueQuestion | undefined {
  const key = civiformQuestionKey(source.name)
  const kind = civiformKinds[source.question_type]
  if (key === '' && kind !== 'STATIC') {
    findings.push({
      kind: 'empty_key',
      subject: version,
      detail: `"${source.name}" has no letters to derive a key from; it is left out`,
    })
    return undefined
  }
  if (kind === undefined)
    findings.push({
      kind: 'unknown_question_type',
      subject: version,
      detail: `"${source.name}" has the type ${source.question_type}, which this release does not know; it is exported as unanswered`,
    })
  const help = readTranslation(source.question_help_text)
  return {
    id: source.id,
    name: source.name,
    key: key === '' ? 'static' : key,
    type: source.question_type,
    kind: kind ?? 'TEXT',
    text: readTranslation(source.question_text) ?? source.name,
    help: help === undefined || help.trim() === '' ? undefined : help,
    options: readOptions(source),
    tags: source.question_tags ?? [],
    optional: placement.optional === true,
    corrected: placement.addressCorrectionEnabled === true,
    children: [],
  }
}
