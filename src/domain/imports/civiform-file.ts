// Reads a program file that CiviForm exports as one of our definitions, and lists by name what can't be expressed in one. Question names
// are kept exactly, because keys are derived from them.

import { member, members } from '../definitions/definition-form.ts'
import { screenErrors } from '../definitions/definition-screens.ts'
import type {
  PlacementDefinition,
  ProgramDefinition,
  QuestionDefinition,
  ScreenDefinition,
} from '../definitions/program-definition.ts'
import { namedCondition } from '../definitions/version-definition.ts'
import { asciiName, isSlug } from '../values/slug.ts'
import { blockCondition } from './block-conditions.ts'
import { type FileQuestion, isEmpty, type Loss, oneLine, readQuestion } from './civiform-questions.ts'
import { civiformTexts, translatedElement } from './civiform-texts.ts'

/** The definition in a CiviForm file, and the content that is not in it. */
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

/** American English if any text has it, otherwise the most frequent language. */
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

/** Members of a program that a definition cannot hold, each with the values for which nothing is lost. */
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
  const slug = isSlug(name) ? name : asciiName(name, '-') || 'imported-program'
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
      lose('condition', 'Not imported: the conditions under which its questions are optional.')
    const { condition, why } = blockCondition(member(block, 'hidePredicate'), named)
    if (why !== undefined) lose('condition', `Its condition can’t be expressed: it ${why}. The screen is always shown.`)
    const visible_when = condition === null ? undefined : namedCondition(condition, id => named.get(id)!.name)
    // A repeated screen's condition is evaluated for each entity, which is only possible for its questions.
    const isRepeated = !isEmpty(member(block, 'repeaterId'))
    const placements = [...members(block, 'questionDefinitions')].flatMap(({ value }): PlacementDefinition[] => {
      const id = Number(member(value, 'id'))
      const question = questions.get(id)
      if (question === undefined)
        lose(
          'missing_question',
          `Not imported: its question ${String(member(value, 'id'))}, which is missing from the file or unknown here.`,
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

/** Removes conditions that cannot be evaluated here, and reports them. */
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
