// What the questions of a definition document must keep to: names, keys, parents and settings (D15).
// It reads documents that may be malformed elsewhere.

import { type QuestionKind, type QuestionSettings, questionKinds } from '../questions/question.ts'
import { foldedKeyOf, foldedQuestionKey, questionKey, reservedQuestionKeys } from '../questions/question-key.ts'
import { type DefinitionError, isObject, member, members, oneError } from './definition-form.ts'
import { kindsWith, type QuestionSetting, settingNames } from './definition-schemas.ts'

/** A question of the bank, as a check needs it. `enumerator` is the admin name of the question it is repeated under. */
export interface KnownQuestion {
  admin_name: string
  kind: QuestionKind
  enumerator: string | null
  settings: QuestionSettings
}

/** What the document says of a question, as far as it is well formed. */
export interface ReadQuestion {
  path: string
  admin_name: string
  kind: QuestionKind | undefined
  enumerator: string | null
  option_ids: readonly string[] | undefined
  /** Whether the document leaves it to the bank. */
  banked?: boolean
}

/** The questions of a document that have a name at all, in its order. */
export function readQuestions(document: unknown): ReadQuestion[] {
  return members(document, 'questions').flatMap(({ value, path }) => {
    const admin_name = member(value, 'admin_name')
    if (typeof admin_name !== 'string' || admin_name === '') return []
    const kind = questionKinds.find(known => known === member(value, 'kind'))
    const enumerator = member(value, 'enumerator')
    const option_ids = members(value, 'options').flatMap(option => {
      const id = member(option.value, 'admin_id')
      return typeof id === 'string' ? [id] : []
    })
    return [
      {
        path,
        admin_name,
        kind,
        enumerator: typeof enumerator === 'string' ? enumerator : null,
        option_ids: Array.isArray(member(value, 'options')) ? option_ids : undefined,
      },
    ]
  })
}

/** Every error of the questions of a document. `bank` undefined: without a bank to look in. */
export function questionErrors(
  document: unknown,
  bank: readonly KnownQuestion[] | undefined,
  enumeratorDepthMax: number,
): DefinitionError[] {
  const questions = readQuestions(document)
  return [
    ...questions.flatMap(keyErrors),
    ...duplicateNameErrors(questions),
    ...collisionErrors(questions, bank ?? []),
    ...enumeratorErrors(questions, bank, enumeratorDepthMax),
    ...questions.flatMap(question => immutableErrors(question, bank ?? [])),
    ...members(document, 'questions').flatMap(({ value, path }) => settingErrors(value, path)),
  ]
}

/** D15: "Refused when the question is created: an empty key, a reserved key". */
function keyErrors({ path, admin_name }: ReadQuestion): DefinitionError[] {
  const key = questionKey(admin_name)
  if (key === '') {
    return oneError(
      `${path}/admin_name`,
      'empty_question_key',
      `Must have a letter or a space: of "${admin_name}" nothing is left as a question key.`,
    )
  }
  const reserved = [...reservedQuestionKeys].find(name => foldedQuestionKey(name) === foldedQuestionKey(key))
  if (reserved === undefined) return []
  return oneError(
    `${path}/admin_name`,
    'reserved_question_key',
    `Must not make the question key "${key}": \`${reserved}\` has a meaning of its own in an export.`,
  )
}

function duplicateNameErrors(questions: readonly ReadQuestion[]): DefinitionError[] {
  const first = new Map<string, string>()
  return questions.flatMap(({ admin_name, path }) => {
    const earlier = first.get(admin_name)
    if (earlier === undefined) {
      first.set(admin_name, path)
      return []
    }
    return oneError(
      `${path}/admin_name`,
      'duplicate_admin_name',
      `Must be defined once: "${admin_name}" is also defined at ${earlier}.`,
    )
  })
}

/** D15: "a key equal to another question's under the same parent, compared without case". Names both questions. */
function collisionErrors(questions: readonly ReadQuestion[], bank: readonly KnownQuestion[]): DefinitionError[] {
  const holders = new Map<string, string>()
  const place = (question: { admin_name: string; enumerator: string | null }): string =>
    JSON.stringify([question.enumerator, foldedKeyOf(question.admin_name)])
  for (const known of bank) holders.set(place(known), known.admin_name)
  return questions.flatMap(question => {
    const { admin_name, enumerator, path } = question
    const key = questionKey(admin_name)
    const holder = holders.get(place(question))
    if (holder === undefined) holders.set(place(question), admin_name)
    if (holder === undefined || holder === admin_name || key === '') return []
    const where = enumerator === null ? 'at the top level' : `under "${enumerator}"`
    return oneError(
      `${path}/admin_name`,
      'question_key_taken',
      `Must make a question key of its own ${where}: "${admin_name}" and "${holder}" both make "${key}" (compared without case).`,
    )
  })
}

function enumeratorErrors(
  questions: readonly ReadQuestion[],
  bank: readonly KnownQuestion[] | undefined,
  enumeratorDepthMax: number,
) {
  const known = knownQuestions(questions, bank)
  return questions.flatMap(({ admin_name, kind, enumerator, path }): DefinitionError[] => {
    if (enumerator === null) return []
    const error = (code: string, detail: string) => oneError(`${path}/enumerator`, code, detail)
    const parent = known.get(enumerator)
    if (parent === undefined) {
      return bank === undefined
        ? []
        : error('unknown_question', `Must name a question: "${enumerator}" is neither defined here nor in the bank.`)
    }
    if (parent.kind !== undefined && parent.kind !== 'ENUMERATOR') {
      return error('not_an_enumerator', `Must name an ENUMERATOR question: "${enumerator}" is of kind ${parent.kind}.`)
    }
    const above = ancestors(enumerator, known)
    if (above.includes(admin_name)) {
      const chain = [admin_name, ...above.slice(0, 10)].map(n => `"${n}"`).join(' → ')
      return error('enumerator_cycle', `Must not lead back to itself: ${chain}${above.length > 10 ? ' → …' : ''}.`)
    }
    return kind === 'ENUMERATOR' && above.length === enumeratorDepthMax
      ? error('too_deep', enumeratorDepthLabel(admin_name, enumeratorDepthMax))
      : []
  })
}

/** D29. Reported for the first enumerator that is too deep, not of all within it. */
export function enumeratorDepthLabel(admin_name: string, enumeratorDepthMax: number): string {
  return `Must not have more than ${enumeratorDepthMax} enumerators within one another (ENUMERATOR_DEPTH_MAX): "${admin_name}" is one more.`
}

/** All questions that can be referred to by admin name: the document's own, then the bank's. */
export function knownQuestions(
  questions: readonly ReadQuestion[],
  bank: readonly KnownQuestion[] | undefined,
): Map<string, ReadQuestion> {
  const known = new Map<string, ReadQuestion>()
  for (const { settings, ...question } of bank ?? []) {
    known.set(question.admin_name, {
      ...question,
      path: '',
      option_ids: settings.options?.map(o => o.admin_id),
      banked: true,
    })
  }
  for (const question of [...questions].reverse()) known.set(question.admin_name, question)
  return known
}

/** The question and the enumerators it lies in, from the inside outwards. Ends where a cycle begins. */
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

/** Whether a condition that is decided in entities of these enumerators finds the answer to a question under this one. */
export const isVisibleIn = (inside: readonly string[], enumerator: string | null | undefined): boolean =>
  enumerator == null || inside.includes(enumerator)

function immutableErrors(question: ReadQuestion, bank: readonly KnownQuestion[]): DefinitionError[] {
  const known = bank.find(({ admin_name }) => admin_name === question.admin_name)
  if (known === undefined) return []
  const errors: DefinitionError[] = []
  if (question.kind !== undefined && question.kind !== known.kind) {
    const detail = `Must stay ${known.kind}: the kind of "${question.admin_name}" was fixed when it was created.`
    errors.push({ path: `${question.path}/kind`, code: 'immutable', detail })
  }
  if (question.enumerator !== known.enumerator) {
    const stay = known.enumerator === null ? 'Must be left out' : `Must stay "${known.enumerator}"`
    const detail = `${stay}: where "${question.admin_name}" belongs was fixed when it was created.`
    errors.push({ path: `${question.path}/enumerator`, code: 'immutable', detail })
  }
  return errors
}

function settingErrors(question: unknown, path: string): DefinitionError[] {
  const kind = questionKinds.find(known => known === member(question, 'kind'))
  if (!isObject(question)) return []
  const misplaced = settingNames.filter(
    setting => kind !== undefined && Object.hasOwn(question, setting) && !kindsWith(setting).includes(kind),
  )
  return [
    ...misplaced.map(setting => ({
      path: `${path}/${setting}`,
      code: 'setting_not_allowed',
      detail: `Must be left out: ${setting} is for ${kindsWith(setting).join(', ')} questions, this one is of kind ${kind}.`,
    })),
    ...(kind !== undefined && kindsWith('options').includes(kind) ? optionErrors(question, kind, path) : []),
    ...boundErrors(question, 'min', 'max', path),
    ...boundErrors(question, 'min_length', 'max_length', path),
    ...boundErrors(question, 'min_count', 'max_count', path),
  ]
}

/** D32: the rule for new ids. The id of a map feature is not ours, and may be any text. */
export function isOptionId(kind: QuestionKind, id: string): boolean {
  return kind === 'MAP' || /^[a-z0-9_-]+$/.test(id)
}

function optionErrors(
  question: Readonly<Record<string, unknown>>,
  kind: QuestionKind,
  path: string,
): DefinitionError[] {
  if (!Object.hasOwn(question, 'options')) {
    return oneError(`${path}/options`, 'required', `Must be given: a ${kind} question needs options.`)
  }
  const first = new Map<string, string>()
  const options = members(question, 'options', path)
  const errors = options.flatMap((option): DefinitionError[] => {
    const id = member(option.value, 'admin_id')
    if (typeof id !== 'string') return []
    const at = `${option.path}/admin_id`
    const earlier = first.get(id)
    if (earlier === undefined) first.set(id, at)
    return [
      ...(isOptionId(kind, id) || id === '' || member(option.value, 'legacy_id') === true
        ? []
        : oneError(
            at,
            'wrong_characters',
            'Must be lower case letters a to z, digits, `_` and `-` only. An id that is older than this rule is kept with `"legacy_id": true` alongside it.',
          )),
      ...(earlier === undefined
        ? []
        : oneError(at, 'duplicate_option', `Must be unique in its question: "${id}" is also at ${earlier}.`)),
    ]
  })
  const fewest = question.min_count
  if (options.length > 0 && typeof fewest === 'number' && fewest > options.length) {
    const detail = `Must not be more than the ${options.length} options there are.`
    errors.push({ path: `${path}/min_count`, code: 'bounds_inconsistent', detail })
  }
  return errors
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
    ? oneError(`${path}/${least}`, 'bounds_inconsistent', `Must not be more than ${most}, which is ${to}.`)
    : []
}
