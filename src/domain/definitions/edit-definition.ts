// Edits of a program's document: a question, its place, or a screen. Each returns a new document, which may have errors.
// It does not validate the document; saving does.

import type {
  NamedCondition,
  PlacementDefinition,
  ProgramDefinition,
  QuestionDefinition,
  ScreenDefinition,
} from './program-definition.ts'

/** The place of a question: the numbers of its screen and of the question in it. */
export interface EditPlace {
  screen: number
  index: number
}

export function placeOf(definition: ProgramDefinition, name: string): EditPlace | undefined {
  for (const [screen, { questions }] of definition.screens.entries()) {
    const index = questions.findIndex(({ question }) => question === name)
    if (index >= 0) return { screen, index }
  }
  return undefined
}

/** How this program asks a question. */
export interface Asking {
  screen: number
  optional: boolean
  visible_when: NamedCondition | undefined
}

const placement = (question: string, { optional, visible_when }: Asking): PlacementDefinition => ({
  question,
  optional: optional || undefined,
  visible_when,
})

/** A question with other settings, asked otherwise; last on its screen, where that is another. */
export function changeQuestion(
  definition: ProgramDefinition,
  changed: QuestionDefinition,
  asking: Asking,
): ProgramDefinition {
  const { admin_name } = changed
  const { screen } = placeOf(definition, admin_name)!
  const placed = placement(admin_name, asking)
  return {
    ...definition,
    questions: definition.questions.map(question => (question.admin_name === admin_name ? changed : question)),
    screens:
      screen === asking.screen
        ? withQuestions(definition, screen, questions =>
            questions.map(one => (one.question === admin_name ? placed : one)),
          )
        : append(without(definition, admin_name), asking.screen, placed).screens,
  }
}

/** A question more, last on its screen; without its settings, it is one of the bank. */
export function addQuestion(
  definition: ProgramDefinition,
  question: QuestionDefinition | string,
  asking: Asking,
): ProgramDefinition {
  if (typeof question === 'string') return append(definition, asking.screen, placement(question, asking))
  const questions = [...definition.questions, question]
  return append({ ...definition, questions }, asking.screen, placement(question.admin_name, asking))
}

export function removeQuestion(definition: ProgramDefinition, name: string): ProgramDefinition {
  const questions = definition.questions.filter(({ admin_name }) => admin_name !== name)
  return { ...without(definition, name), questions }
}

/** One place up or down; over the edge of a screen, to the end or beginning of the next. */
export function moveQuestion(definition: ProgramDefinition, name: string, by: 1 | -1): ProgramDefinition {
  const { screen, index } = placeOf(definition, name)!
  const { questions } = definition.screens[screen]!
  if (questions[index + by] !== undefined)
    return { ...definition, screens: withQuestions(definition, screen, all => swapped(all, index, by)) }
  if (definition.screens[screen + by] === undefined) return definition
  const moved = questions[index]!
  const rest = without(definition, name)
  return {
    ...rest,
    screens: withQuestions(rest, screen + by, all => (by === 1 ? [moved, ...all] : [...all, moved])),
  }
}

export const addScreen = (definition: ProgramDefinition, name: string): ProgramDefinition => ({
  ...definition,
  screens: [...definition.screens, { name, questions: [] }],
})

export const changeScreen = (
  definition: ProgramDefinition,
  index: number,
  change: Partial<ScreenDefinition>,
): ProgramDefinition => ({
  ...definition,
  screens: definition.screens.map((screen, i) => (i === index ? { ...screen, ...change } : screen)),
})

export const moveScreen = (definition: ProgramDefinition, index: number, by: 1 | -1): ProgramDefinition =>
  definition.screens[index + by] === undefined
    ? definition
    : { ...definition, screens: swapped(definition.screens, index, by) }

/** A screen less, with the questions on it. */
export function removeScreen(definition: ProgramDefinition, index: number): ProgramDefinition {
  const gone = new Set(definition.screens[index]?.questions.map(({ question }) => question))
  return {
    ...definition,
    questions: definition.questions.filter(({ admin_name }) => !gone.has(admin_name)),
    screens: definition.screens.filter((_, i) => i !== index),
  }
}

function swapped<T>(all: readonly T[], index: number, by: 1 | -1): T[] {
  const other = [...all]
  ;[other[index], other[index + by]] = [all[index + by]!, all[index]!]
  return other
}

const withQuestions = (
  { screens }: ProgramDefinition,
  index: number,
  change: (questions: readonly PlacementDefinition[]) => PlacementDefinition[],
): ScreenDefinition[] =>
  screens.map((screen, i) => (i === index ? { ...screen, questions: change(screen.questions) } : screen))

const without = (definition: ProgramDefinition, name: string): ProgramDefinition => ({
  ...definition,
  screens: definition.screens.map(screen => ({
    ...screen,
    questions: screen.questions.filter(({ question }) => question !== name),
  })),
})

const append = (definition: ProgramDefinition, screen: number, placed: PlacementDefinition): ProgramDefinition => ({
  ...definition,
  screens: withQuestions(definition, screen, questions => [...questions, placed]),
})
