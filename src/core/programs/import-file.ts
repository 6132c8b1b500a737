// Imports a program from a file: previews it, then saves it as a draft, or restores a bundle with its history.
// Used by the console, the API and scripts/program import.

import { invalidRequest, Problem, type ProblemItem } from '../../base/problem.ts'
import type { Sql } from '../../db/client.ts'
import { readProgramsAsking } from '../../db/programs/program-versions.ts'
import { findActiveVersion, findDraftVersion, findProgram, readProgramNamesById } from '../../db/programs/programs.ts'
import { type BankQuestion, readBankQuestions } from '../../db/programs/questions.ts'
import { member } from '../../domain/definitions/definition-form.ts'
import type { ProgramBundle } from '../../domain/definitions/program-bundle.ts'
import type { ProgramDefinition } from '../../domain/definitions/program-definition.ts'
import { describeVersion } from '../../domain/definitions/version-definition.ts'
import { readCiviformFile } from '../../domain/imports/civiform-file.ts'
import type { Loss } from '../../domain/imports/civiform-questions.ts'
import { identifyFile } from '../../domain/imports/identify-file.ts'
import { copyNames, type ImportChoices, type ImportPlan, planImport } from '../../domain/imports/plan-import.ts'
import { foldedKeyOf } from '../../domain/questions/question-key.ts'
import type { EditOptions } from './edit.ts'
import { loadBankFor, parseDefinition } from './parse-definition.ts'
import { checkBundle, findObstacles, importProgram } from './program-transport.ts'
import { type DraftResult, saveDraft } from './save-draft.ts'

export interface ImportRequest {
  /** A slug instead of the file's. */
  slug?: string | undefined
  /** Saves the import as the draft of the program that already has the slug. */
  update?: boolean | undefined
  questions: ImportChoices
}

export interface ImportPreview extends Pick<ImportPlan, 'questions' | 'open' | 'faults'> {
  form: 'definition' | 'bundle' | 'civiform'
  slug: string
  display_name: string
  languages: readonly string[]
  screens: number
  /** Whether a program with this slug exists, which only `update` replaces. */
  exists: boolean
  /** For a bundle without conflicts: all its versions are imported with their IDs. */
  with_history: boolean
  losses: readonly Loss[]
  /** The names of other programs that ask a question changed by the import, by the question's name. */
  affected: Readonly<Record<string, readonly string[]>>
  /** Errors in the definition that would be saved; checked once every choice has been made. */
  errors: readonly ProblemItem[]
}

interface Planned {
  preview: ImportPreview
  definition: ProgramDefinition
  document: unknown
}

/** A preview of the import. Throws `invalid_request` with what the file appears to be, or with the errors in its form. */
export const previewImport = async (
  sql: Sql,
  file: Uint8Array,
  request: ImportRequest,
  options: EditOptions,
): Promise<ImportPreview> => (await plan(sql, file, request, options)).preview

export type ImportOutcome =
  | { saved_as: 'draft'; slug: string; draft: DraftResult }
  | { saved_as: 'published'; slug: string; program_version_ids: number[] }

/** Throws `conflict` with each missing choice, and changes nothing. */
export async function importFile(
  sql: Sql,
  file: Uint8Array,
  request: ImportRequest,
  actor: string,
  options: EditOptions,
): Promise<ImportOutcome> {
  const { preview, definition, document } = await plan(sql, file, request, options)
  if (preview.with_history) {
    const { slug, program_version_ids } = await importProgram(sql, document, actor, options.enumeratorDepthMax)
    return { saved_as: 'published', slug, program_version_ids }
  }
  refuseOpen(preview, request)
  if (preview.errors.length > 0)
    throw invalidRequest('The program cannot be imported with these choices.', preview.errors)
  const based_on = await basisFor(sql, preview.slug)
  const draft = await saveDraft(sql, { ...definition, based_on: based_on.version }, actor, {
    ...options,
    over: based_on.draft,
  })
  return { saved_as: 'draft', slug: preview.slug, draft }
}

function refuseOpen({ open, faults, exists, slug, questions }: ImportPreview, { update }: ImportRequest): void {
  const errors: ProblemItem[] = [
    ...(exists && update !== true
      ? [
          {
            path: '/slug',
            code: 'program_exists',
            detail: `A program "${slug}" already exists. Choose another slug, or replace its draft.`,
          },
        ]
      : []),
    ...faults.map(({ question, code, detail }) => ({ path: `/questions/${question}`, code, detail })),
    ...questions
      .filter(({ admin_name }) => open.includes(admin_name))
      .map(({ admin_name, holder, may }) => ({
        path: `/questions/${admin_name}`,
        code: 'choice_required',
        detail: `"${admin_name}" conflicts with "${holder}". Choose ${may.join(' or ')}.`,
      })),
  ]
  if (errors.length === 0) return
  throw new Problem('conflict', { detail: 'Choose how to resolve each conflict. Nothing was changed.', errors })
}

async function basisFor(sql: Sql, slug: string): Promise<{ version: number | null; draft: number | undefined }> {
  const program = await findProgram(sql, slug)
  if (program === undefined) return { version: null, draft: undefined }
  const active = await findActiveVersion(sql, program.program_id)
  const draft = await findDraftVersion(sql, program.program_id)
  return { version: active?.program_version_id ?? null, draft: draft?.program_version_id }
}

async function plan(sql: Sql, file: Uint8Array, request: ImportRequest, options: EditOptions): Promise<Planned> {
  const read = readFile(file, options)
  const { document, form } = read
  const with_history =
    form === 'bundle' &&
    request.slug === undefined &&
    (await findObstacles(sql, document as ProgramBundle)).length === 0
  const source = { ...read.definition, slug: request.slug ?? read.definition.slug }
  // Everything except the check against the bank, so that the plan may rely on a valid form.
  await parseDefinition({ ...source, based_on: null }, undefined, options.enumeratorDepthMax).catch(
    throwUnlessChoosable,
  )
  const bank = await loadBank(sql, source, request.questions)
  const { definition, questions, open, faults } = planImport(source, bank, request.questions)
  const { slug, display_name } = definition
  const languages = [definition.default_language ?? 'en', ...(definition.languages ?? [])]
  const program = await findProgram(sql, slug)
  return {
    document,
    definition,
    preview: {
      form,
      slug,
      display_name,
      languages,
      screens: definition.screens.length,
      exists: program !== undefined,
      with_history,
      questions: with_history ? questions.map(asIs) : questions,
      open: with_history ? [] : open,
      faults,
      losses: with_history ? [] : read.losses,
      affected: await affectedPrograms(sql, questions, bank, program?.program_id),
      errors: open.length > 0 || faults.length > 0 || with_history ? [] : await errorsOf(sql, definition, options),
    },
  }
}

/** Two questions of a file with the same key are a clash: a choice keeps both. Anything else wrong with it is final. */
function throwUnlessChoosable(error: unknown): void {
  const isClash = error instanceof Problem && error.kind === 'invalid_request'
  if (!isClash || error.errors.some(({ code }) => code !== 'question_key_taken')) throw error
}

const asIs = (question: ImportPlan['questions'][number]): ImportPlan['questions'][number] => ({
  ...question,
  relation: question.relation === 'clash' ? 'new' : question.relation,
  may: [],
})

interface ReadFile {
  form: ImportPreview['form']
  document: unknown
  definition: ProgramDefinition
  losses: readonly Loss[]
}

function readFile(file: Uint8Array, { enumeratorDepthMax }: EditOptions): ReadFile {
  const identified = identifyFile(file)
  if (identified.form === 'other')
    throw invalidRequest(identified.appears, [{ path: '', code: 'no_program', detail: identified.appears }])
  const { form, document } = identified
  if (form === 'civiform') return { form, document, ...readCiviformFile(document) }
  if (form === 'definition') {
    const { based_on: _, ...definition } = document as ProgramDefinition
    return { form, document, definition, losses: [] }
  }
  checkBundle(document, enumeratorDepthMax)
  const bundle = document as ProgramBundle
  const earlier = bundle.program_versions.length - 1
  const detail = 'Not imported: earlier versions, IDs, and who published them.'
  return {
    form,
    document,
    definition: describeVersion(activeVersion(bundle)),
    losses: [
      {
        code: 'history',
        subject: 'program',
        detail: earlier === 0 ? 'Not imported: IDs, and who published it.' : detail,
      },
    ],
  }
}

/** The last version of a bundle, in its database form. */
function activeVersion(bundle: ProgramBundle) {
  const version = bundle.program_versions.at(-1)!
  const questions = new Map(bundle.questions.map(question => [question.question_id, question]))
  const versions = new Map(bundle.question_versions.map(item => [item.question_version_id, item]))
  return {
    ...version,
    slug: bundle.program.slug,
    details: version.details ?? {},
    questions: version.question_version_ids.map(id => {
      const { question_id, settings } = versions.get(id)!
      return { ...questions.get(question_id)!, question_version_id: id, settings }
    }),
  }
}

async function loadBank(sql: Sql, definition: ProgramDefinition, choices: ImportChoices): Promise<BankQuestion[]> {
  const names = [
    ...definition.questions.flatMap(({ admin_name, enumerator }) => [
      admin_name,
      ...(enumerator === undefined ? [] : [enumerator]),
      ...copyNames(admin_name, definition.slug),
    ]),
    ...Object.values(choices).flatMap(choice => (choice.do === 'copy' ? [choice.name] : [])),
    ...definition.screens.flatMap(screen => screen.questions.map(({ question }) => question)),
  ].filter(name => !name.includes('\0'))
  return readBankQuestions(sql, {
    admin_names: [...new Set(names)],
    question_keys_folded: [...new Set(names.map(foldedKeyOf))],
  })
}

async function affectedPrograms(
  sql: Sql,
  questions: ImportPlan['questions'],
  bank: readonly BankQuestion[],
  own: number | undefined,
): Promise<Record<string, string[]>> {
  const ids = new Map(bank.map(({ admin_name, question_id }) => [admin_name, question_id]))
  const affected: Record<string, string[]> = {}
  for (const { admin_name, may } of questions) {
    const id = ids.get(admin_name)
    if (!may.includes('change') || id === undefined) continue
    const others = (await readProgramsAsking(sql, [id])).filter(program_id => program_id !== own)
    affected[admin_name] = [...(await readProgramNamesById(sql, others)).values()].sort()
  }
  return affected
}

async function errorsOf(
  sql: Sql,
  definition: ProgramDefinition,
  options: EditOptions,
): Promise<readonly ProblemItem[]> {
  try {
    await parseDefinition(
      { ...definition, based_on: null },
      await loadBankFor(sql, definition),
      options.enumeratorDepthMax,
    )
    return []
  } catch (error) {
    if (error instanceof Problem && error.kind === 'invalid_request') return error.errors
    throw error
  }
}

/** The choices in a JSON body: `{"questions": {"full name": {"do": "copy", "name": "tenant name"}}}`. */
export function parseImportRequest(value: unknown): ImportRequest {
  const errors: ProblemItem[] = []
  const questions: Record<string, ImportChoices[string]> = {}
  const given = member(value, 'questions') ?? {}
  for (const [name, choice] of Object.entries(given as object)) {
    const action = member(choice, 'do')
    const copy = member(choice, 'name')
    if (action === 'reuse' || action === 'change') questions[name] = { do: action }
    else if (action === 'copy' && typeof copy === 'string' && copy !== '') questions[name] = { do: 'copy', name: copy }
    else
      errors.push({
        path: `/questions/${name}`,
        code: 'wrong_choice',
        detail: 'Must be {"do": "reuse"}, {"do": "change"} or {"do": "copy", "name": "…"}.',
      })
  }
  const slug = member(value, 'slug')
  if (slug !== undefined && typeof slug !== 'string')
    errors.push({ path: '/slug', code: 'wrong_type', detail: 'Must be text.' })
  if (errors.length > 0) throw invalidRequest('The choices have errors.', errors)
  return { questions, update: member(value, 'update') === true, slug: slug as string | undefined }
}
