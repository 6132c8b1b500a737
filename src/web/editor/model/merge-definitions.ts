// Merges two people's changes to one document, question by question, where they changed different things.

import type {
  PlacementDefinition,
  ProgramDefinition,
  QuestionDefinition,
} from '../../../domain/definitions/program-definition.ts'
import { isSame } from './checking.ts'

interface Merged {
  document: ProgramDefinition
  /** Admin names of the questions, and names of other items, that both changed in different ways. */
  clashes: string[]
}

/** Both changes to `base`; where they conflict, `mine`. */
export function mergeDefinitions(base: ProgramDefinition, mine: ProgramDefinition, theirs: ProgramDefinition): Merged {
  const clashes = new Set<string>()
  const merge = <One>(name: string, was: One, my: One, their: One): One => {
    if (isSame(my, was)) return their
    if (!isSame(their, was) && !isSame(my, their)) clashes.add(name)
    return my
  }
  const { questions: _, screens: __, ...members } = { ...base, ...theirs, ...mine }
  const program = Object.fromEntries(
    Object.keys(members).map(name => {
      const [was, my, their] = [base, mine, theirs].map(definition => definition[name as keyof typeof members])
      return [name, name === 'based_on' ? their : merge(name, was, my, their)]
    }),
  )
  const screens = mergeScreens(base, mine, theirs, clashes)
  const [was, my, their] = [questionsOf(base), questionsOf(mine), questionsOf(theirs)]
  const [asked, myAsked, theirAsked] = [placements(base), placements(mine), placements(theirs)]
  const names = [...new Set(screens.flatMap(({ questions }) => questions))]
  for (const [name, question] of was) {
    const left = my.get(name) ?? their.get(name)
    // Removed by one, changed by the other.
    if (my.has(name) !== their.has(name) && !isSame(left, question)) clashes.add(name)
  }
  const document = {
    ...program,
    questions: names.map(name => {
      const [item, other] = [my.get(name), their.get(name)]
      return item === undefined || other === undefined ? (item ?? other)! : merge(name, was.get(name), item, other)!
    }),
    screens: screens.map(screen => ({
      ...screen,
      questions: screen.questions.map(question => ({
        ...merge(question, asked.get(question), myAsked.get(question), theirAsked.get(question)),
        question,
      })),
    })),
  } as unknown as ProgramDefinition
  return { document, clashes: [...clashes] }
}

const questionsOf = ({ questions }: ProgramDefinition): ReadonlyMap<string, QuestionDefinition> =>
  new Map(questions.map(question => [question.admin_name, question]))
const placements = ({ screens }: ProgramDefinition): ReadonlyMap<string, PlacementDefinition> =>
  new Map(screens.flatMap(({ questions }) => questions.map(question => [question.question, question] as const)))

const outline = ({ screens }: ProgramDefinition) =>
  screens.map(({ questions, ...screen }) => ({ ...screen, questions: questions.map(({ question }) => question) }))

/** The screens in the order of whoever rearranged them, with the other's additions and removals. */
function mergeScreens(
  base: ProgramDefinition,
  mine: ProgramDefinition,
  theirs: ProgramDefinition,
  clashes: Set<string>,
) {
  const isRearranged = (definition: ProgramDefinition): boolean => {
    const [names, before] = [placements(definition), placements(base)]
    const kept = (from: ProgramDefinition) =>
      outline(from).map(screen => ({
        ...screen,
        questions: screen.questions.filter(name => names.has(name) && before.has(name)),
      }))
    return !isSame(kept(definition), kept(base))
  }
  const [iDid, theyDid] = [isRearranged(mine), isRearranged(theirs)]
  if (iDid && theyDid && !isSame(outline(mine), outline(theirs))) clashes.add('screens')
  const [by, other] = iDid ? [mine, theirs] : [theirs, mine]
  const [before, now, left] = [placements(base), placements(other), placements(by)]
  const screens = outline(by).map(screen => ({
    ...screen,
    questions: screen.questions.filter(name => now.has(name) || !before.has(name)),
  }))
  for (const [screen, { questions }] of outline(other).entries())
    for (const [index, name] of questions.entries()) {
      if (before.has(name) || left.has(name)) continue
      const after = screens.find(screen => screen.questions.includes(questions[index - 1] ?? ''))
      const to = after ?? screens[Math.min(screen, screens.length - 1)]!
      to.questions.splice(after === undefined ? 0 : after.questions.indexOf(questions[index - 1]!) + 1, 0, name)
    }
  return screens
}
