// Edits of a program's document: a question, its place, or a screen. Each returns a new document, which may have errors.
// Edits do not validate the document; saving does. Unchanged parts stay the same objects.

import type {
  NamedCondition,
  PlacementDefinition,
  ProgramDefinition,
  QuestionDefinition,
  ScreenDefinition,
} from './program-definition.ts'

/** The position of a question: the index of its screen, and its index on that screen. */
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

/** The placement of the question at a position. */
export const placementAt = ({ screens }: ProgramDefinition, { screen, index }: EditPlace): PlacementDefinition =>
  screens[screen]!.questions[index]!

export const changeQuestion = (
  definition: ProgramDefinition,
  name: string,
  change: Partial<QuestionDefinition>,
): ProgramDefinition => ({
  ...definition,
  questions: definition.questions.map(question =>
    question.admin_name === name ? { ...question, ...change } : question,
  ),
})

/** Sets whether the question must be answered, and when it is asked. */
export function changePlacement(
  definition: ProgramDefinition,
  name: string,
  change: Partial<PlacementDefinition>,
): ProgramDefinition {
  const { screen } = placeOf(definition, name)!
  return withQuestions(definition, screen, questions =>
    questions.map(question => (question.question === name ? { ...question, ...change } : question)),
  )
}

/** Adds a question at this position. */
export const addQuestion = (
  definition: ProgramDefinition,
  question: QuestionDefinition,
  place: EditPlace,
  placement: Omit<PlacementDefinition, 'question'> = {},
): ProgramDefinition =>
  insert({ ...definition, questions: [...definition.questions, question] }, place, {
    ...placement,
    question: question.admin_name,
  })

export const removeQuestion = (definition: ProgramDefinition, name: string): ProgramDefinition => ({
  ...without(definition, name),
  questions: definition.questions.filter(({ admin_name }) => admin_name !== name),
})

/** Moves a question. The new position is counted without it. */
export function moveQuestion(definition: ProgramDefinition, name: string, to: EditPlace): ProgramDefinition {
  const moved = placementAt(definition, placeOf(definition, name)!)
  return insert(without(definition, name), to, moved)
}

/** Changes an admin name everywhere in the document. */
export function renameQuestion(definition: ProgramDefinition, from: string, to: string): ProgramDefinition {
  const renamed = <Name extends string | undefined>(name: Name) => (name === from ? to : name)
  const inCondition = (condition: NamedCondition): NamedCondition => {
    if ('all' in condition) return withChanged(condition, { all: mapChanged(condition.all, inCondition) })
    if ('any' in condition) return withChanged(condition, { any: mapChanged(condition.any, inCondition) })
    if ('not' in condition) return withChanged(condition, { not: inCondition(condition.not) })
    return withChanged(condition, { question: renamed(condition.question) })
  }
  const conditioned = <One extends { visible_when?: NamedCondition | null }>(item: One): One =>
    withChanged(item, { visible_when: item.visible_when && inCondition(item.visible_when) })
  return {
    ...definition,
    questions: definition.questions.map(question =>
      withChanged(question, {
        admin_name: renamed(question.admin_name),
        enumerator: renamed(question.enumerator),
      }),
    ),
    screens: mapChanged(definition.screens, screen =>
      withChanged(conditioned(screen), {
        questions: mapChanged(screen.questions, placement =>
          conditioned(withChanged(placement, { question: renamed(placement.question) })),
        ),
      }),
    ),
  }
}

/** The item with this change; the same object if nothing changes. */
const withChanged = <Item extends object>(item: Item, change: Readonly<Record<string, unknown>>): Item =>
  Object.entries(change).every(([name, value]) => item[name as keyof Item] === value) ? item : { ...item, ...change }

/** The list with each item mapped; the same list if each is the same. */
function mapChanged<Item>(list: readonly Item[], map: (item: Item) => Item): Item[] {
  const mapped = list.map(map)
  return mapped.every((item, i) => item === list[i]) ? (list as Item[]) : mapped
}

export const addScreen = (definition: ProgramDefinition, at: number, name: string): ProgramDefinition => ({
  ...definition,
  screens: definition.screens.toSpliced(at, 0, { name, questions: [] }),
})

export const changeScreen = (
  definition: ProgramDefinition,
  index: number,
  change: Partial<ScreenDefinition>,
): ProgramDefinition => ({
  ...definition,
  screens: definition.screens.map((screen, i) => (i === index ? { ...screen, ...change } : screen)),
})

/** Moves a screen. The new position is counted without it. */
export const moveScreen = (definition: ProgramDefinition, from: number, to: number): ProgramDefinition => ({
  ...definition,
  screens: definition.screens.toSpliced(from, 1).toSpliced(to, 0, definition.screens[from]!),
})

/** Removes a screen with its questions. */
export function removeScreen(definition: ProgramDefinition, index: number): ProgramDefinition {
  const gone = new Set(definition.screens[index]?.questions.map(({ question }) => question))
  return {
    ...definition,
    questions: definition.questions.filter(({ admin_name }) => !gone.has(admin_name)),
    screens: definition.screens.filter((_, i) => i !== index),
  }
}

const withQuestions = (
  definition: ProgramDefinition,
  screen: number,
  change: (questions: readonly PlacementDefinition[]) => PlacementDefinition[],
): ProgramDefinition => changeScreen(definition, screen, { questions: change(definition.screens[screen]!.questions) })

const without = (definition: ProgramDefinition, name: string): ProgramDefinition => {
  const place = placeOf(definition, name)
  return place === undefined
    ? definition
    : withQuestions(definition, place.screen, questions => questions.toSpliced(place.index, 1))
}

const insert = (definition: ProgramDefinition, { screen, index }: EditPlace, placed: PlacementDefinition) =>
  withQuestions(definition, screen, questions => questions.toSpliced(index, 0, placed))
