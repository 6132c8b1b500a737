// Makes programs for tests in a line or two, through the same route administrators use.

import { type PublicationResult, publishDefinition } from '../../src/core/programs/publish.ts'
import { type DraftResult, saveDraft } from '../../src/core/programs/save-draft.ts'
import type { Sql } from '../../src/db/client.ts'
import {
  findActiveVersion,
  findDraftVersion,
  findProgram,
  loadProgramVersion,
  type StoredProgramVersion,
} from '../../src/db/programs/programs.ts'
import { kindsWith } from '../../src/domain/definitions/definition-schemas.ts'
import type {
  NamedCondition,
  PlacementDefinition,
  ProgramDefinition,
  QuestionDefinition,
  ScreenDefinition,
} from '../../src/domain/definitions/program-definition.ts'
import type { ProgramDetails } from '../../src/domain/questions/program-version.ts'
import {
  type QuestionKind,
  type QuestionSettings,
  questionKinds,
  type VersionQuestion,
} from '../../src/domain/questions/question.ts'
import { runOutboxJobs } from './outbox-jobs.ts'

/** A question, its placement, and the questions repeated under it. Created with `q`. */
export interface QuestionSpec {
  question: QuestionDefinition
  placement: Omit<PlacementDefinition, 'question'>
  repeated: readonly QuestionSpec[]
}

export type QuestionOptions = Partial<QuestionSettings> & { optional?: boolean; visible_when?: NamedCondition }

const spec = (
  kind: QuestionKind,
  admin_name: string,
  { optional, visible_when, ...settings }: QuestionOptions = {},
  repeated: readonly QuestionSpec[] = [],
): QuestionSpec => ({
  question: { admin_name, kind, text: `${admin_name}?`, ...settings },
  placement: { ...(optional ? { optional } : {}), ...(visible_when === undefined ? {} : { visible_when }) },
  repeated,
})

const plain =
  (kind: QuestionKind) =>
  (admin_name: string, options?: QuestionOptions): QuestionSpec =>
    spec(kind, admin_name, options)

const choice =
  (kind: QuestionKind) =>
  (admin_name: string, ids: readonly string[], options?: QuestionOptions): QuestionSpec =>
    spec(kind, admin_name, { options: ids.map(admin_id => ({ admin_id, text: `Option ${admin_id}` })), ...options })

/** `q.text('favourite colour', { max_length: 20, optional: true })`, `q.radio('pet', ['cat', 'dog'])`, `q.enumerator('child', [q.date('born')])`. */
export const q = {
  address: plain('ADDRESS'),
  checkbox: choice('CHECKBOX'),
  currency: plain('CURRENCY'),
  date: plain('DATE'),
  dropdown: choice('DROPDOWN'),
  email: plain('EMAIL'),
  enumerator: (admin_name: string, repeated: readonly QuestionSpec[] = [], options?: QuestionOptions): QuestionSpec =>
    spec('ENUMERATOR', admin_name, options, repeated),
  file: plain('FILE_UPLOAD'),
  id: plain('ID'),
  map: choice('MAP'),
  name: plain('NAME'),
  number: plain('NUMBER'),
  phone: plain('PHONE'),
  radio: choice('RADIO'),
  static: plain('STATIC'),
  text: plain('TEXT'),
}

/** A question of any kind, with options to select if it has any. */
const ofKind = (
  kind: QuestionKind,
  admin_name: string,
  options?: QuestionOptions,
  repeated?: readonly QuestionSpec[],
): QuestionSpec =>
  kindsWith('options').includes(kind)
    ? choice(kind)(admin_name, ['red', 'green', 'blue'], options)
    : spec(kind, admin_name, options, repeated)

const knownKinds: readonly QuestionSpec[] = [
  q.static('welcome'),
  q.name('applicant name'),
  q.address('home address', { correct_addresses: true, optional: true }),
  q.currency('monthly rent', { optional: true }),
  q.date('date of birth', { optional: true }),
  q.email('contact email', { optional: true }),
  q.phone('contact phone', { optional: true }),
  q.file('proof of income', { max_count: 3, optional: true }),
  q.id('case number', { min_length: 2, max_length: 12, optional: true }),
  q.map('service location', ['north-1', 'south-2', 'Old Town'], { optional: true }),
  q.number('household size', { min: 1, max: 30, optional: true }),
  q.checkbox('utilities', ['water', 'power', 'gas'], { optional: true }),
  q.dropdown('county', ['king', 'pierce'], { optional: true }),
  q.radio('owns home', ['yes', 'no'], { optional: true }),
  q.text('anything else', { max_length: 2000, optional: true }),
  q.enumerator(
    'household member',
    [
      q.name('member name', { optional: true }),
      q.date('member birthday', { optional: true }),
      q.enumerator(
        'member job',
        [q.text('employer', { optional: true }), q.currency('monthly pay', { optional: true })],
        { optional: true },
      ),
    ],
    { optional: true },
  ),
]

/** One question of each kind, with two levels of repeated questions. Every kind except STATIC is exported. */
export const everyKind: readonly QuestionSpec[] = [
  ...knownKinds,
  ...questionKinds
    .filter(kind => !knownKinds.some(({ question }) => question.kind === kind))
    .map(kind => ofKind(kind, `any ${kind.toLowerCase()}`, { optional: true })),
]

export interface ProgramSpec {
  slug?: string
  display_name?: string
  statuses?: readonly string[]
  /** Languages, description, confirmation, public names of statuses. */
  details?: ProgramDetails
  /** All on one screen, each followed by the questions repeated under it. */
  questions?: readonly QuestionSpec[]
  /** Instead of `questions`: several screens. */
  screens?: readonly (Partial<Omit<ScreenDefinition, 'questions'>> & { questions: readonly QuestionSpec[] })[]
  /** Leaves the jobs of a publication in the outbox, so that derived data is computed on request. */
  computed?: boolean
}

let made = 0

/** The document of a program; without a slug, it gets a unique one in this test run. */
export function aDefinition(program: ProgramSpec = {}): ProgramDefinition {
  const slug = program.slug ?? `program-${++made}`
  const questions: QuestionDefinition[] = []
  const place = (specs: readonly QuestionSpec[], enumerator?: string): PlacementDefinition[] =>
    specs.flatMap(({ question, placement, repeated }) => {
      questions.push({ ...question, ...(enumerator === undefined ? {} : { enumerator }) })
      const { admin_name } = question
      return [{ question: admin_name, ...placement }, ...place(repeated, admin_name)]
    })
  const specs = program.screens ?? [
    { questions: program.questions ?? [q.name('applicant name'), q.text('reason', { optional: true })] },
  ]
  const screens = specs.map(
    ({ questions: asked, ...screen }, index): ScreenDefinition => ({
      name: `Screen ${index + 1}`,
      ...screen,
      questions: place(asked),
    }),
  )
  const display_name = program.display_name ?? `Program ${slug}`
  const statuses = [...(program.statuses ?? ['Approved', 'Denied'])]
  return { slug, display_name, statuses, ...program.details, questions, screens }
}

export interface PublishedTestProgram {
  program_id: number
  program_version_id: number
  slug: string
  version: StoredProgramVersion
  /** The question with this admin name, as this version asks it. */
  question(admin_name: string): VersionQuestion
}

/** A document derived from the current state: the draft if `draft` is set and there is one, otherwise the active version. */
export async function upToDate(
  sql: Sql,
  definition: ProgramDefinition,
  from: 'draft' | 'active' = 'active',
): Promise<ProgramDefinition> {
  const program = await findProgram(sql, definition.slug)
  if (program === undefined) return definition
  const draft = from === 'draft' ? await findDraftVersion(sql, program.program_id) : undefined
  const basis = draft ?? (await findActiveVersion(sql, program.program_id))
  return { ...definition, based_on: basis?.program_version_id ?? null }
}

/** Saves a draft like an editor who has seen the current state. */
export async function aDraft(sql: Sql, program: ProgramSpec, actor = 'admin:test'): Promise<DraftResult> {
  return saveDraft(sql, await upToDate(sql, aDefinition(program), 'draft'), actor)
}

/** Publishes like an editor who has seen the current state, and moves other programs along; then the worker's jobs run. */
export async function publish(sql: Sql, program: ProgramSpec, actor = 'admin:test'): Promise<PublicationResult> {
  const published = await publishDefinition(sql, await upToDate(sql, aDefinition(program)), actor, { move: 'all' })
  if (program.computed !== true) await runOutboxJobs(sql)
  return published
}

/** A published program. With the slug of an existing one, publishes it again with these questions. */
export async function aProgram(sql: Sql, program: ProgramSpec = {}): Promise<PublishedTestProgram> {
  const { program_id, program_version_id, slug } = await publish(sql, program)
  const version = await loadProgramVersion(sql, program_version_id)
  const question = (admin_name: string): VersionQuestion => {
    const found = version.questions.find(question => question.admin_name === admin_name)
    if (found === undefined) throw new Error(`program ${slug} has no question "${admin_name}"`)
    return found
  }
  return { program_id, program_version_id, slug, version, question }
}

/** Like `aProgram`, with the jobs of its publication left in the outbox: derived data is computed on request. */
export const aComputedProgram = (sql: Sql, program: ProgramSpec = {}): Promise<PublishedTestProgram> =>
  aProgram(sql, { ...program, computed: true })
