// Reads a program file that CiviForm exports as one of our definitions, and lists by name what can't be expressed in one. Question names
// are kept exactly, because keys are derived from them.

import { member, members } from '../definitions/definition-form.ts'
import { isOptionId } from '../definitions/definition-questions.ts'
import { kindsWith, type QuestionSetting } from '../definitions/definition-schemas.ts'
import { screenErrors } from '../definitions/definition-screens.ts'
import type {
  PlacementDefinition,
  ProgramDefinition,
  QuestionDefinition,
  ScreenDefinition,
} from '../definitions/program-definition.ts'
import { namedCondition } from '../definitions/version-definition.ts'
import { questionKey } from '../questions/question-key.ts'
import { asciiName, isSlug } from '../values/slug.ts'
import { blockCondition } from './block-conditions.ts'
import { civiformKinds } from './civiform-kinds.ts'
import { civiformTexts, translatedElement } from './civiform-texts.ts'

/** Something of a file that the definition lacks, or has in another form. */
export interface Loss {
  code: string
  /** The question, screen or part of the program. */
  subject: string
  detail: string
}

interface FileQuestion {
  id: number
  definition: QuestionDefinition
  enumeratorId: number | undefined
  options: readonly { id: string; adminName: string }[]
}

/** The definition in a CiviForm file, and what of the file is not in it. */
export function readCiviformFile(document: unknown): { definition: ProgramDefinition; losses: Loss[] } {
  const losses: Loss[] = []
  const program = member(document, 'program')
  const standard = defaultLanguage(document)
  const questions = new Map(
    [...members(document, 'questions')].flatMap(({ value }) => {
      const question = readQuestion(value, standard, losses)
      return question === undefined ? [] : [[question.id, question] as const]
    }),
  )
  const screens = readScreens(program, standard, questions, losses)
  const asked = screens.flatMap(screen => screen.questions.map(({ question }) => question))
  const names = new Map([...questions.values()].map(({ id, definition }) => [id, definition.admin_name]))
  const defined = [...questions.values()].map(({ definition, enumeratorId }): QuestionDefinition => {
    const enumerator = enumeratorId === undefined ? undefined : names.get(enumeratorId)
    return enumerator === undefined ? definition : { ...definition, enumerator }
  })
  const order = new Map(asked.map((name, index) => [name, index]))
  const definition: ProgramDefinition = {
    ...readHeading(program, standard, losses),
    questions: defined
      .filter(({ admin_name }) => order.has(admin_name))
      .sort((a, b) => order.get(a.admin_name)! - order.get(b.admin_name)!),
    screens,
  }
  const languages = languagesIn(definition)
  if (languages.length > 0) definition.languages = languages
  dropUndecidable(definition, losses)
  return { definition, losses }
}

/** American English where any text has it, else the language of most. */
function defaultLanguage(document: unknown): string {
  const counts = new Map<string, number>()
  const texts = [
    member(member(document, 'program'), 'localizedName'),
    ...[...members(document, 'questions')].map(({ value }) => member(member(value, 'config'), 'questionText')),
  ]
  for (const stored of texts)
    for (const tag of civiformTexts(stored).keys()) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  if (counts.size === 0 || counts.has('en-US')) return 'en-US'
  return [...counts].sort(([, a], [, b]) => b - a)[0]![0]
}

function languagesIn(definition: ProgramDefinition): string[] {
  const tags = new Set<string>()
  JSON.stringify(definition, (name, value: unknown) => {
    if (name === 'translations' && typeof value === 'object') for (const tag of Object.keys(value ?? {})) tags.add(tag)
    return value
  })
  return [...tags].sort()
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Members of a program that a definition has no place for, each with the values that mean nothing is lost. */
const unplaced: Readonly<Record<string, { says: string; empty?: readonly unknown[] }>> = {
  localizedShortDescription: { says: 'the short description' },
  adminDescription: { says: 'the note for administrators' },
  externalLink: { says: 'the external link' },
  displayMode: { says: 'who can see it', empty: ['PUBLIC'] },
  programType: { says: 'its type', empty: ['DEFAULT', 'default'] },
  applicationSteps: { says: 'the application steps' },
  categories: { says: 'the categories' },
  notificationPreferences: { says: 'the notification settings' },
  localizedSummaryImageDescription: { says: 'the image' },
}

function readHeading(program: unknown, standard: string, losses: Loss[]) {
  const subject = 'program'
  const name = String(member(program, 'adminName') ?? '')
  const slug = isSlug(name) ? name : asciiName(name, '-')
  if (slug !== name)
    losses.push({
      code: 'slug',
      subject,
      detail: `Its name “${name}” can’t be a slug here. It is imported as ${slug}.`,
    })
  for (const [part, { says, empty = [] }] of Object.entries(unplaced)) {
    const value = member(program, part)
    if (!isEmpty(value) && !empty.includes(value))
      losses.push({ code: 'not_kept', subject, detail: `Not imported: ${says}.` })
  }
  const { texts, translations } = translatedElement(
    {
      display_name: new Map(
        [...civiformTexts(member(program, 'localizedName'))].map(([tag, text]) => [tag, oneLine(text)]),
      ),
      description: civiformTexts(member(program, 'localizedDescription')),
      confirmation: civiformTexts(member(program, 'localizedConfirmationMessage')),
    },
    standard,
  )
  const statuses = [...members(member(program, 'statusDefinitions'), 'statuses')].flatMap(({ value }) => {
    const status = member(value, 'status')
    return typeof status === 'string' && status.trim() !== '' ? [oneLine(status)] : []
  })
  if (statuses.length === 0)
    losses.push({ code: 'no_statuses', subject, detail: 'The file has no statuses. Add them to the draft.' })
  return {
    slug,
    ...(standard === 'en' ? {} : { default_language: standard }),
    ...texts,
    display_name: texts.display_name ?? name,
    ...(translations === undefined ? {} : { translations }),
    statuses: [...new Set(statuses)],
  }
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && 'translations' in value && civiformTexts(value).size === 0)

function readQuestion(stored: unknown, standard: string, losses: Loss[]): FileQuestion | undefined {
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
      `Its key in exports is ${questionKey(name)}, which keeps the capital letters of its name. CiviForm exports the key in lower case. To change the key, import the question under another name.`,
    )
  if (texts.text?.includes('$this')) lose('entity_name', 'The text contains $this, which is kept unchanged.')
  if (member(config, 'universal') === true) lose('not_kept', 'Not imported: that it is a universal question.')
  if (!isEmpty(member(config, 'primaryApplicantInfoTags')))
    lose('not_kept', 'Not imported: that it fills the applicant’s profile.')
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
    lose('not_kept', 'Not imported: that post office boxes are refused.')
  for (const date of ['minDate', 'maxDate'])
    if (!isEmpty(member(predicates, date))) lose('not_kept', 'Not imported: the bounds of its date.')
  return read
}

function readScreens(
  program: unknown,
  standard: string,
  questions: ReadonlyMap<number, FileQuestion>,
  losses: Loss[],
): ScreenDefinition[] {
  const named = new Map(
    [...questions].map(([id, { definition, options }]) => [id, { id, name: definition.admin_name, options }]),
  )
  const placed = new Set<number>()
  return [...members(program, 'blockDefinitions')].map(({ value: block, index }): ScreenDefinition => {
    const heading = new Map(
      [...civiformTexts(member(block, 'localizedName'))].map(([tag, text]) => [tag, oneLine(text)]),
    )
    const { texts, translations } = translatedElement(
      { name: heading, description: civiformTexts(member(block, 'localizedDescription')) },
      standard,
    )
    const name = texts.name ?? oneLine(String(member(block, 'name') ?? `Screen ${index + 1}`))
    const lose = (code: string, detail: string): unknown => losses.push({ code, subject: `screen ${name}`, detail })
    if (!isEmpty(member(block, 'eligibilityDefinition')))
      lose('eligibility', 'Not imported: its eligibility condition.')
    if (!isEmpty(member(block, 'optionalPredicate')))
      lose('condition', 'Not imported: when its questions are optional.')
    const { condition, why } = blockCondition(member(block, 'hidePredicate'), named)
    if (why !== undefined) lose('condition', `Its condition can’t be expressed: it ${why}. The screen is always shown.`)
    const visible_when = condition === null ? undefined : namedCondition(condition, id => named.get(id)!.name)
    // A repeated screen is decided for each entity, which only its questions are.
    const isRepeated = !isEmpty(member(block, 'repeaterId'))
    const placements = [...members(block, 'questionDefinitions')].flatMap(({ value }): PlacementDefinition[] => {
      const id = Number(member(value, 'id'))
      const question = questions.get(id)
      if (question === undefined)
        lose(
          'missing_question',
          `Not imported: its question ${String(member(value, 'id'))}, which the file lacks or is unknown here.`,
        )
      if (question === undefined || placed.has(id)) return []
      placed.add(id)
      if (member(value, 'addressCorrectionEnabled') === true && question.definition.kind === 'ADDRESS')
        question.definition.correct_addresses = true
      return [
        {
          question: question.definition.admin_name,
          ...(member(value, 'optional') === true ? { optional: true } : {}),
          ...(isRepeated && visible_when !== undefined ? { visible_when } : {}),
        },
      ]
    })
    return {
      name: name === '' ? `Screen ${index + 1}` : name,
      ...(texts.description === undefined ? {} : { description: texts.description }),
      ...(translations === undefined ? {} : { translations }),
      ...(isRepeated || visible_when === undefined ? {} : { visible_when }),
      questions: placements,
    }
  })
}

const conditionPath = /^\/screens\/(\d+)(?:\/questions\/(\d+))?\/visible_when/

/** Leaves out the conditions that could not be decided here, and says so. */
function dropUndecidable(definition: ProgramDefinition, losses: Loss[]): void {
  for (const { path, detail } of [...screenErrors(definition, undefined, Number.POSITIVE_INFINITY)].flat()) {
    const [, screen, question] = conditionPath.exec(path) ?? []
    if (screen === undefined) continue
    const { name, ...item } = definition.screens[Number(screen)]!
    const holder = question === undefined ? definition.screens[Number(screen)]! : item.questions[Number(question)]!
    if (holder.visible_when === undefined) continue
    delete holder.visible_when
    const subject = 'question' in holder ? holder.question : `screen ${name}`
    losses.push({
      code: 'condition',
      subject,
      detail: `Its condition can’t be expressed: ${detail} It is always shown.`,
    })
  }
}
