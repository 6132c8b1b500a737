// Reads the questions in a CiviForm program file as our questions, with their options and limits.

import { member, members } from '../definitions/definition-form.ts'
import { isOptionId } from '../definitions/definition-questions.ts'
import { kindsWith, type QuestionSetting } from '../definitions/definition-schemas.ts'
import type { QuestionDefinition } from '../definitions/program-definition.ts'
import { questionKey } from '../questions/question-key.ts'
import { civiformKinds } from './civiform-kinds.ts'
import { civiformTexts, translatedElement } from './civiform-texts.ts'

/** Something in a file that the definition lacks or has in another form. */
export interface Loss {
  code: string
  /** The question, screen or part of the program concerned. */
  subject: string
  detail: string
}

export interface FileQuestion {
  id: number
  definition: QuestionDefinition
  enumeratorId: number | undefined
  options: readonly { id: string; adminName: string }[]
}

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && 'translations' in value && civiformTexts(value).size === 0)

export function readQuestion(stored: unknown, standard: string, losses: Loss[]): FileQuestion | undefined {
  const config = member(stored, 'config')
  const name = oneLine(String(member(config, 'name') ?? ''))
  const id = Number(member(config, 'id'))
  const type = String(member(stored, 'type') ?? '').toUpperCase()
  const known = type === 'MULTIOPTION' ? String(member(stored, 'multiOptionQuestionType')) : type.replaceAll('_', '')
  const kind = civiformKinds[known] ?? civiformKinds[type] ?? (known === 'YESNO' ? 'RADIO' : undefined)
  if (name === '' || !Number.isSafeInteger(id)) return undefined
  const lose = (code: string, detail: string): unknown => losses.push({ code, subject: name, detail })
  if (kind === undefined) {
    lose('unknown_type', `Not imported: questions of the type ${known} are unknown here.`)
    return undefined
  }
  const { texts, translations } = translatedElement(
    { text: civiformTexts(member(config, 'questionText')), help: civiformTexts(member(config, 'questionHelpText')) },
    standard,
  )
  if (questionKey(name) !== questionKey(name).toLowerCase())
    lose(
      'capitals',
      `Its key in exports is ${questionKey(name)}, which keeps the capital letters of its name. CiviForm exports the key in lowercase. To change the key, import the question under another name.`,
    )
  if (texts.text?.includes('$this')) lose('entity_name', 'The text contains $this, which is kept unchanged.')
  if (member(config, 'universal') === true) lose('not_kept', 'Not imported: whether it is a universal question.')
  if (!isEmpty(member(config, 'primaryApplicantInfoTags')))
    lose('not_kept', 'Not imported: its use to fill the applicant’s profile.')
  const options = kindsWith('options').includes(kind) ? readOptions(stored, standard, lose) : []
  const definition: QuestionDefinition = {
    admin_name: name,
    kind,
    text: texts.text ?? name,
    ...(texts.help === undefined ? {} : { help: texts.help }),
    ...(translations === undefined ? {} : { translations }),
    ...readBounds(member(config, 'validationPredicates'), kind, lose),
    ...(options.length === 0
      ? {}
      : {
          options: options.map(({ adminName, text, translations }) => ({
            admin_id: adminName,
            text,
            ...(translations === undefined ? {} : { translations }),
            ...(isOptionId(kind, adminName) ? {} : { legacy_id: true }),
          })),
        }),
  }
  const enumerator = Number(member(config, 'enumeratorId') ?? Number.NaN)
  return { id, definition, options, enumeratorId: Number.isSafeInteger(enumerator) ? enumerator : undefined }
}

interface FileOption {
  id: string
  adminName: string
  text: string
  translations?: Record<string, { text?: string }>
}

const yesNo = [
  { id: 1, adminName: 'yes', localizedOptionText: { translations: { en_US: 'Yes' } } },
  { id: 0, adminName: 'no', localizedOptionText: { translations: { en_US: 'No' } } },
]

/** In the order in which applicants see them. */
function readOptions(stored: unknown, standard: string, lose: (code: string, detail: string) => unknown): FileOption[] {
  const given = [...members(stored, 'questionOptions')].map(({ value }) => value)
  const seen = new Set<string>()
  return (given.length === 0 ? yesNo : given)
    .toSorted((a, b) => Number(member(a, 'displayOrder') ?? 0) - Number(member(b, 'displayOrder') ?? 0))
    .flatMap(option => {
      const id = String(member(option, 'id'))
      const { texts, translations } = translatedElement(
        { text: civiformTexts(member(option, 'localizedOptionText')) },
        standard,
      )
      const named = member(option, 'adminName')
      const adminName = typeof named === 'string' && named !== '' ? named : (texts.text ?? id)
      if (member(option, 'displayInAnswerOptions') === false) {
        lose('option', `Not imported: its option “${adminName}”, which applicants don’t see.`)
        return []
      }
      if (seen.has(adminName)) {
        lose('option', `Not imported: a second option “${adminName}”.`)
        return []
      }
      seen.add(adminName)
      return [{ id, adminName, text: texts.text ?? adminName, ...(translations === undefined ? {} : { translations }) }]
    })
}

const bounds: readonly (readonly [theirs: string, ours: QuestionSetting])[] = [
  ['min', 'min'],
  ['max', 'max'],
  ['minLength', 'min_length'],
  ['maxLength', 'max_length'],
  ['minChoicesRequired', 'min_count'],
  ['maxChoicesAllowed', 'max_count'],
  ['minEntities', 'min_count'],
  ['maxEntities', 'max_count'],
  ['maxFiles', 'max_count'],
]

function readBounds(
  predicates: unknown,
  kind: QuestionDefinition['kind'],
  lose: (code: string, detail: string) => unknown,
): Partial<QuestionDefinition> {
  const read: Record<string, number> = {}
  for (const [theirs, ours] of bounds) {
    const value = member(predicates, theirs)
    if (typeof value === 'number' && kindsWith(ours).includes(kind) && !(ours === 'max_count' && value < 1))
      read[ours] = value
  }
  if (member(predicates, 'disallowPoBox') === true)
    lose('not_kept', 'Not imported: the rejection of post office boxes.')
  for (const date of ['minDate', 'maxDate'])
    if (!isEmpty(member(predicates, date))) lose('not_kept', 'Not imported: the bounds of its date.')
  return read
}
