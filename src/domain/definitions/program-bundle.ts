// The format that transfers a program from one database to another: its complete published history with all IDs.

import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Condition } from '../questions/program-version.ts'
import { questionKinds } from '../questions/question.ts'
import { characterErrors, type DefinitionError, definitionDepthMax, depthErrors, oneError } from './definition-form.ts'
import { enumeratorDepthLabel } from './definition-questions.ts'
import { closed, conditionRef, conditionSchema, settingSchemas } from './definition-schemas.ts'
import { detailSchemas, enumeratorDepthUsual, screenSchemas } from './program-definition.ts'

/** The first member of every bundle. Another number stands for another format. */
export const bundleFormat = 'tributary-program-1'

const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const idOrNull = Type.Union([id, Type.Null()])
const text = Type.String({ minLength: 1 })
/** An instant to the microsecond in UTC, as formatMicros writes it. */
const instant = Type.String({ pattern: '^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\\.[0-9]{6}Z$' })
const condition = Type.Union([Type.Unsafe<Condition>(conditionRef), Type.Null()])

const bundledQuestion = Type.Object(
  {
    question_id: id,
    admin_name: text,
    question_key: text,
    kind: Type.Enum([...questionKinds]),
    enumerator_id: idOrNull,
    created_at: instant,
  },
  closed,
)

const bundledQuestionVersion = Type.Object(
  {
    question_version_id: id,
    question_id: id,
    version_number: id,
    settings: Type.Object(settingSchemas, closed),
    based_on: idOrNull,
    created_at: instant,
  },
  closed,
)

const bundledScreen = Type.Object(
  {
    ...screenSchemas,
    name: text,
    visible_when: condition,
    questions: Type.Array(Type.Object({ question_id: id, optional: Type.Boolean(), visible_when: condition }, closed)),
  },
  closed,
)

const bundledVersion = Type.Object(
  {
    program_version_id: id,
    state: Type.Enum(['ACTIVE', 'OBSOLETE']),
    display_name: text,
    statuses: Type.Array(text),
    details: Type.Optional(Type.Object(detailSchemas, closed)),
    screens: Type.Array(bundledScreen),
    /** In the order of the program. */
    question_version_ids: Type.Array(id),
    based_on: idOrNull,
    created_at: instant,
    created_by: text,
    published_at: instant,
    published_by: text,
  },
  closed,
)

const bundle = Type.Object(
  {
    format: Type.Literal(bundleFormat),
    program: Type.Object({ program_id: id, slug: text, created_at: instant }, closed),
    questions: Type.Array(bundledQuestion),
    question_versions: Type.Array(bundledQuestionVersion),
    /** Oldest publication first; the last version is the active one. */
    program_versions: Type.Array(bundledVersion, { minItems: 1 }),
  },
  { ...closed, $defs: { condition: conditionSchema({ question_id: id }) } },
)

export type ProgramBundle = Static<typeof bundle>
export type BundledQuestion = Static<typeof bundledQuestion>
export type BundledQuestionVersion = Static<typeof bundledQuestionVersion>
export type BundledVersion = Static<typeof bundledVersion>

/** Every reason why a document is not a valid bundle; empty if it is valid. */
export function bundleErrors(document: unknown, enumeratorDepthMax: number = enumeratorDepthUsual): DefinitionError[] {
  // A version is nested two levels deeper here than in a document of its own.
  const unreadable = [...depthErrors(document, definitionDepthMax + 2)].flat()
  if (unreadable.length > 0) return unreadable
  const characters = [...characterErrors(document)].flat()
  if (characters.length > 0) return characters
  const form = Value.Errors(bundle, document).map(({ instancePath: path, message }) => ({
    path,
    code: 'wrong_form',
    detail: `Does not match the output of scripts/program export: ${message}.`,
  }))
  if (form.length > 0) return form
  return [
    ...referenceErrors(document as ProgramBundle),
    ...nestingErrors(document as ProgramBundle, enumeratorDepthMax),
  ]
}

/** D29, and questions repeated under themselves. */
function nestingErrors({ questions }: ProgramBundle, enumeratorDepthMax: number): DefinitionError[] {
  const byId = new Map(questions.map(question => [question.question_id, question]))
  return questions.flatMap(({ question_id, kind, enumerator_id, admin_name }, at) => {
    const path = `/questions/${at}/enumerator_id`
    const above = new Set<number>()
    for (let id = enumerator_id; id !== null && !above.has(id); id = byId.get(id)?.enumerator_id ?? null) above.add(id)
    if (above.has(question_id)) return oneError(path, 'enumerator_cycle', 'Must not be repeated under itself.')
    return kind === 'ENUMERATOR' && above.size === enumeratorDepthMax
      ? oneError(path, 'too_deep', enumeratorDepthLabel(admin_name, enumeratorDepthMax))
      : []
  })
}

/** Checks that a bundle contains everything it refers to, in order of publication. */
function referenceErrors(bundled: ProgramBundle): DefinitionError[] {
  const errors: DefinitionError[] = []
  const questions = new Set(bundled.questions.map(question => question.question_id))
  const versions = new Map(bundled.question_versions.map(item => [item.question_version_id, item]))
  const earlier = new Set<number>()
  const need = (there: boolean, path: string, what: string): void => {
    if (!there) errors.push({ path, code: 'missing', detail: `Must be in the bundle; ${what} is missing.` })
  }
  const needInstant = (written: string, path: string): void => {
    const detail = 'Must be a valid time in the years 1684 to 2255.'
    if (!isInstant(written)) errors.push({ path, code: 'no_instant', detail })
  }
  for (const [at, { enumerator_id }] of bundled.questions.entries()) {
    const path = `/questions/${at}/enumerator_id`
    need(enumerator_id === null || questions.has(enumerator_id), path, `question ${enumerator_id}`)
  }
  for (const [at, { question_id, based_on }] of bundled.question_versions.entries()) {
    need(questions.has(question_id), `/question_versions/${at}/question_id`, `question ${question_id}`)
    const path = `/question_versions/${at}/based_on`
    need(based_on === null || versions.get(based_on)?.question_id === question_id, path, `question version ${based_on}`)
  }
  for (const [at, version] of bundled.program_versions.entries()) {
    const path = `/program_versions/${at}`
    const asked = new Set<number>()
    for (const [position, question_version_id] of version.question_version_ids.entries()) {
      const used = versions.get(question_version_id)
      need(used !== undefined, `${path}/question_version_ids/${position}`, `question version ${question_version_id}`)
      if (used !== undefined) asked.add(used.question_id)
    }
    for (const question_id of questionsNamed(version.screens)) {
      need(asked.has(question_id), `${path}/screens`, `a version of question ${question_id}`)
    }
    needInstant(version.published_at, `${path}/published_at`)
    needInstant(version.created_at, `${path}/created_at`)
    const { based_on, program_version_id } = version
    need(based_on === null || earlier.has(based_on), `${path}/based_on`, `program version ${based_on}, earlier,`)
    earlier.add(program_version_id)
    const last = at === bundled.program_versions.length - 1
    if ((version.state === 'ACTIVE') !== last) {
      const detail = 'Must be ACTIVE for the last version and OBSOLETE for all others.'
      errors.push({ path: `${path}/state`, code: 'wrong_state', detail })
    }
    const before = bundled.program_versions[at - 1]?.published_at
    if (before !== undefined && version.published_at <= before) {
      const detail = 'Must be later than that of the previous version.'
      errors.push({ path: `${path}/published_at`, code: 'wrong_order', detail })
    }
  }
  for (const list of ['questions', 'question_versions'] as const) {
    for (const [at, { created_at }] of bundled[list].entries()) needInstant(created_at, `/${list}/${at}/created_at`)
  }
  needInstant(bundled.program.created_at, '/program/created_at')
  return errors
}

/** Every question that screens ask or use in a condition, at any depth. */
function questionsNamed(screens: BundledVersion['screens']): Set<number> {
  const ids = new Set<number>()
  const look = (condition: Condition | null): void => {
    if (condition === null) return
    if ('all' in condition) condition.all.forEach(look)
    else if ('any' in condition) condition.any.forEach(look)
    else if ('not' in condition) look(condition.not)
    else ids.add(condition.question_id)
  }
  for (const screen of screens) {
    look(screen.visible_when)
    for (const placement of screen.questions) {
      ids.add(placement.question_id)
      look(placement.visible_when)
    }
  }
  return ids
}

/** Whether the instant exists and its microseconds are a safe integer. */
function isInstant(written: string): boolean {
  try {
    return Number.isSafeInteger(Temporal.Instant.from(written).epochMilliseconds * 1000)
  } catch {
    return false
  }
}
