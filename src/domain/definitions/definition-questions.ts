// Checks the questions of a definition document: names, keys, enumerators and settings (D15).
// The document may be malformed elsewhere.

import { type QuestionKind, type QuestionSettings, questionKinds } from '../questions/question.ts'
import { foldedKeyOf, foldedQuestionKey, questionKey, reservedQuestionKeys } from '../questions/question-key.ts'
import { type Check, type DefinitionError, member, members, none, oneError } from './definition-form.ts'
import { kindsWith, type QuestionSetting, settingNames } from './definition-schemas.ts'
import { isObject } from './stepwise-check.ts'

/** What a check needs to know of a question in the bank. `enumerator` is the admin name of the question it is repeated under. */
export interface KnownQuestion {
  admin_name: string
  kind: QuestionKind
  enumerator: string | null
  settings: QuestionSettings
}

/** The valid parts of a question in the document. */
export interface ReadQuestion {
  path: string
  admin_name: string
  kind: QuestionKind | undefined
  enumerator: string | null
  /** Undefined without a list of options. */
  optionIds: () => ReadonlySet<string> | undefined
  /** Whether the document leaves its content to the bank. */
  banked?: boolean
}

/** The document's questions that have a name, in order. */
export function readQuestions(document: unknown): ReadQuestion[] {
  const questions = members(document, 'questions').flatMap(({ value, path }) => {
    const admin_name = member(value, 'admin_name')
    if (typeof admin_name !== 'string' || admin_name === '') return []
    const kind = questionKinds.find(known => known === member(value, 'kind'))
    const enumerator = member(value, 'enumerator')
    return [
      {
        path,
        admin_name,
        kind,
        enumerator: typeof enumerator === 'string' ? enumerator : null,
        optionIds: optionIdsOf(member(value, 'options')),
      },
    ]
  })
  return questions.toArray()
}

/** Computed when a condition first uses the question: few questions need it, and the list may be long. */
function optionIdsOf(options: unknown): ReadQuestion['optionIds'] {
  if (!Array.isArray(options)) return () => undefined
  let ids: ReadonlySet<string> | undefined
  return () => {
    ids ??= new Set(options.map(option => member(option, 'admin_id')).filter(id => typeof id === 'string'))
    return ids
  }
}

/** Every error of the questions of a document. `bank` is undefined if there is none to check against. */
export function* questionErrors(
  document: unknown,
  bank: readonly KnownQuestion[] | undefined,
  enumeratorDepthMax: number,
): Check {
  const questions = readQuestions(document)
  yield* questions.values().map(keyErrors)
  yield* duplicateNameErrors(questions)
  yield* collisionErrors(questions, bank)
  yield* enumeratorErrors(questions, bank, enumeratorDepthMax)
  const banked = new Map(bank?.map(known => [known.admin_name, known]))
  for (const question of questions) yield immutableErrors(question, banked.get(question.admin_name))
  for (const { value, path } of members(document, 'questions')) yield* settingErrors(value, path)
}

/** D15: "Refused when the question is created: an empty key, a reserved key". */
function keyErrors({ path, admin_name }: ReadQuestion): readonly DefinitionError[] {
  const key = questionKey(admin_name)
  if (key === '') {
    return oneError(
      `${path}/admin_name`,
      'empty_question_key',
      `Must contain a letter or a space, from which the question key is derived.`,
    )
  }
  const folded = foldedQuestionKey(key)
  const reserved = [...reservedQuestionKeys].find(name => foldedQuestionKey(name) === folded)
  if (reserved === undefined) return none
  return oneError(
    `${path}/admin_name`,
    'reserved_question_key',
    `Must not result in the question key "${key}": \`${reserved}\` is reserved in exports.`,
  )
}

function* duplicateNameErrors(questions: readonly ReadQuestion[]): Check {
  const first = new Map<string, string>()
  for (const { admin_name, path } of questions) {
    const earlier = first.get(admin_name)
    if (earlier === undefined) first.set(admin_name, path)
    yield earlier === undefined
      ? none
      : oneError(
          `${path}/admin_name`,
          'duplicate_admin_name',
          `Must be defined once; "${admin_name}" is already defined at ${earlier}.`,
        )
  }
}

/** D15: "a key equal to another question's under the same parent, compared without case". Names both questions. */
function* collisionErrors(questions: readonly ReadQuestion[], bank: readonly KnownQuestion[] = []): Check {
  const holders = new Map<string, string>()
  const place = (question: { admin_name: string; enumerator: string | null }): string =>
    JSON.stringify([question.enumerator, foldedKeyOf(question.admin_name)])
  for (const known of bank) holders.set(place(known), known.admin_name)
  for (const question of questions) {
    const { admin_name, enumerator, path } = question
    const key = questionKey(admin_name)
    const at = place(question)
    const holder = holders.get(at)
    if (holder === undefined) holders.set(at, admin_name)
    const where = enumerator === null ? 'at the top level' : `under "${enumerator}"`
    yield holder === undefined || holder === admin_name || key === ''
      ? none
      : oneError(
          `${path}/admin_name`,
          'question_key_taken',
          `Must have a unique question key ${where}: "${admin_name}" and "${holder}" both result in "${key}" (ignoring case).`,
        )
  }
}

function enumeratorErrors(
  questions: readonly ReadQuestion[],
  bank: readonly KnownQuestion[] | undefined,
  enumeratorDepthMax: number,
) {
  const known = knownQuestions(questions, bank)
  return questions.values().map(({ admin_name, kind, enumerator, path }): readonly DefinitionError[] => {
    if (enumerator === null) return none
    const error = (code: string, detail: string) => oneError(`${path}/enumerator`, code, detail)
    const parent = known.get(enumerator)
    if (parent === undefined) {
      return bank === undefined
        ? []
        : error(
            'unknown_question',
            `Must be the name of a question; "${enumerator}" is neither in this document nor in the question bank.`,
          )
    }
    if (parent.kind !== undefined && parent.kind !== 'ENUMERATOR') {
      return error(
        'not_an_enumerator',
        `Must be the name of an ENUMERATOR question; "${enumerator}" is of kind ${parent.kind}.`,
      )
    }
    const above = ancestors(enumerator, known)
    if (above.includes(admin_name)) {
      const chain = [admin_name, ...above.slice(0, 10)].map(n => `"${n}"`).join(' → ')
      return error('enumerator_cycle', `Must not be repeated under itself: ${chain}${above.length > 10 ? ' → …' : ''}.`)
    }
    return kind === 'ENUMERATOR' && above.length === enumeratorDepthMax
      ? error('too_deep', enumeratorDepthLabel(admin_name, enumeratorDepthMax))
      : []
  })
}

/** D29. Reported for the first enumerator that is too deep, but not for those within it. */
export function enumeratorDepthLabel(admin_name: string, enumeratorDepthMax: number): string {
  return `Must nest at most ${enumeratorDepthMax} enumerators (ENUMERATOR_DEPTH_MAX); "${admin_name}" exceeds that.`
}

/** All questions that can be referenced by admin name: the document's own, then the bank's. */
export function knownQuestions(
  questions: readonly ReadQuestion[],
  bank: readonly KnownQuestion[] | undefined,
): Map<string, ReadQuestion> {
  const known = new Map<string, ReadQuestion>()
  for (const { settings, ...question } of bank ?? []) {
    known.set(question.admin_name, {
      ...question,
      path: '',
      optionIds: optionIdsOf(settings.options),
      banked: true,
    })
  }
  for (const question of [...questions].reverse()) known.set(question.admin_name, question)
  return known
}

/** The question and the enumerators that contain it, innermost first. Stops where a cycle begins. */
export function ancestors(
  admin_name: string,
  known: ReadonlyMap<string, { enumerator?: string | null | undefined }>,
): string[] {
  const chain = new Set<string>()
  for (let name: string | null | undefined = admin_name; name != null && !chain.has(name); ) {
    chain.add(name)
    name = known.get(name)?.enumerator
  }
  return [...chain]
}

/** Whether a condition evaluated in entities of these enumerators can find the answer to a question under this one. */
export const isVisibleIn = (inside: readonly string[], enumerator: string | null | undefined): boolean =>
  enumerator == null || inside.includes(enumerator)

function immutableErrors(question: ReadQuestion, known: KnownQuestion | undefined): readonly DefinitionError[] {
  if (known === undefined) return none
  const errors: DefinitionError[] = []
  if (question.kind !== undefined && question.kind !== known.kind) {
    const detail = `Must be ${known.kind}: the kind of "${question.admin_name}" cannot change.`
    errors.push({ path: `${question.path}/kind`, code: 'immutable', detail })
  }
  if (question.enumerator !== known.enumerator) {
    const stay = known.enumerator === null ? 'Must be omitted' : `Must be "${known.enumerator}"`
    const detail = `${stay}: the enumerator of "${question.admin_name}" cannot change.`
    errors.push({ path: `${question.path}/enumerator`, code: 'immutable', detail })
  }
  return errors
}

function* settingErrors(question: unknown, path: string): Check {
  const kind = questionKinds.find(known => known === member(question, 'kind'))
  if (!isObject(question)) return
  const misplaced = settingNames.filter(
    setting => kind !== undefined && Object.hasOwn(question, setting) && !kindsWith(setting).includes(kind),
  )
  yield misplaced.map(setting => ({
    path: `${path}/${setting}`,
    code: 'setting_not_allowed',
    detail: `Must be omitted: ${setting} is for ${kindsWith(setting).join(', ')} questions, but this question is of kind ${kind}.`,
  }))
  if (kind !== undefined && kindsWith('options').includes(kind)) yield* optionErrors(question, kind, path)
  yield [
    ...boundErrors(question, 'min', 'max', path),
    ...boundErrors(question, 'min_length', 'max_length', path),
    ...boundErrors(question, 'min_count', 'max_count', path),
  ]
}

/** D32: the rule for new ids. The id of a map feature is not ours, and may be any text. */
export function isOptionId(kind: QuestionKind, id: string): boolean {
  return kind === 'MAP' || /^[a-z0-9_-]+$/.test(id)
}

function* optionErrors(question: Readonly<Record<string, unknown>>, kind: QuestionKind, path: string): Check {
  if (!Object.hasOwn(question, 'options')) {
    yield oneError(`${path}/options`, 'required', 'Must contain at least one option.')
    return
  }
  const first = new Map<string, string>()
  let options = 0
  for (const option of members(question, 'options', path)) {
    options++
    const id = member(option.value, 'admin_id')
    const at = `${option.path}/admin_id`
    if (typeof id !== 'string') continue
    const earlier = first.get(id)
    if (earlier === undefined) first.set(id, at)
    if (!isOptionId(kind, id) && id !== '' && member(option.value, 'legacy_id') !== true)
      yield oneError(
        at,
        'wrong_characters',
        'Must consist of lowercase letters a to z, digits, `_` and `-`. To keep an older ID, add `"legacy_id": true`.',
      )
    yield earlier === undefined
      ? none
      : oneError(at, 'duplicate_option', `Must be unique within the question; "${id}" is also at ${earlier}.`)
  }
  const fewest = question.min_count
  if (options > 0 && typeof fewest === 'number' && fewest > options) {
    const detail = `Must be at most ${options}, the number of options.`
    yield oneError(`${path}/min_count`, 'bounds_inconsistent', detail)
  }
}

function boundErrors(
  question: Readonly<Record<string, unknown>>,
  least: QuestionSetting,
  most: QuestionSetting,
  path: string,
) {
  const from = question[least]
  const to = question[most]
  return typeof from === 'number' && typeof to === 'number' && from > to
    ? oneError(`${path}/${least}`, 'bounds_inconsistent', `Must be at most ${most}, which is ${to}.`)
    : []
}
