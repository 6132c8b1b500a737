// Finds which questions the preview's sample answers lead to, screen by screen, by intake's rules.

import type {
  NamedCondition,
  ProgramDefinition,
  QuestionDefinition,
} from '../../../domain/definitions/program-definition.ts'
import { storedCondition } from '../../../domain/definitions/version-definition.ts'
import type { Answer } from '../../../domain/questions/answers.ts'
import { exportedType, questionTypes } from '../../../domain/questions/question.ts'
import { holds } from '../../../domain/questions/visibility.ts'
import { pointerTo } from '../../../domain/values/json-text.ts'
import type { FormValues } from '../../questions/form-values.ts'

export interface AskedSample {
  question: QuestionDefinition
  optional: boolean
  /** The path of its answer in the form. */
  path: string
  /** For a repeated question, the name of the entity it is about; otherwise empty. */
  about: string
}

/** The whole program, or one item of a list. */
interface Scope {
  path: string
  enumerator: string | undefined
  name: string
  around: Scope | undefined
}

/** The questions on each screen. */
export function askedSamples({ screens, questions }: ProgramDefinition, values: FormValues): AskedSample[][] {
  const known = new Map(questions.map(question => [question.admin_name, question]))
  const ids = new Map(questions.map(({ admin_name }, i) => [admin_name, i]))
  const asked = new Set<string>()
  const program: Scope = { path: '', enumerator: undefined, name: '', around: undefined }
  const pathIn = (question: QuestionDefinition, scope: Scope): string | undefined => {
    let at: Scope | undefined = scope
    while (at !== undefined && at.enumerator !== question.enumerator) at = at.around
    return at && pointerTo(at.path, question.admin_name)
  }
  const isMet = (condition: NamedCondition | null | undefined, scope: Scope): boolean => {
    if (condition == null) return true
    const find = (id: number): Answer | undefined => {
      const path = pathIn(questions[id]!, scope)
      return path !== undefined && asked.has(path) ? answerAt(values, questions[id]!, path) : undefined
    }
    return holds(
      storedCondition(condition, name => ids.get(name) ?? 0),
      find,
    )
  }
  const scopesOf = (enumerator: string | undefined): Scope[] => {
    const list = enumerator === undefined ? undefined : known.get(enumerator)
    if (list === undefined) return enumerator === undefined ? [program] : []
    return scopesOf(list.enumerator).flatMap(around => {
      const path = `${pointerTo(around.path, list.admin_name)}/entities`
      return values.entityIndexes(path).flatMap((index): Scope[] => {
        const name = values.get(`${path}/${index}/entity_name`)?.trim() ?? ''
        return name === '' ? [] : [{ path: `${path}/${index}`, enumerator, name, around }]
      })
    })
  }
  return screens.map(screen => {
    if (!isMet(screen.visible_when, program)) return []
    return screen.questions.flatMap(({ question: name, optional = false, visible_when }) => {
      const question = known.get(name)
      if (question === undefined) return []
      return scopesOf(question.enumerator).flatMap((scope): AskedSample[] => {
        if (!isMet(visible_when, scope)) return []
        const path = pointerTo(scope.path, name)
        asked.add(path)
        return [{ question, optional, path, about: scope.name }]
      })
    })
  })
}

/** The answer in the form; undefined for none. Conditions don't use anything that isn't there. */
function answerAt(values: FormValues, { kind }: QuestionDefinition, path: string): Answer | undefined {
  const type = exportedType(kind)
  if (type === undefined) return undefined
  if (type === 'ENUMERATOR')
    return values.entityIndexes(`${path}/entities`).length === 0
      ? undefined
      : ({ type, entities: [] } as unknown as Answer)
  const fields = Object.entries(questionTypes[type].fields).map(([name, { form }]) => {
    const all = values.getAll(`${path}/${name}`).filter(text => text !== '')
    if (form === 'option_list' || form === 'text_list') return [name, all]
    if (form === 'date') return [name, dateIn(values, `${path}/${name}`)]
    const [text = ''] = all
    return [name, text === '' ? null : form === 'number' ? Number(text) : text]
  })
  if (fields.every(([, value]) => value === null || (Array.isArray(value) && value.length === 0))) return undefined
  const answer = Object.fromEntries(fields) as Record<string, unknown>
  return { ...answer, type, currency_cents: Math.round(Number(answer.currency_dollars) * 100) } as unknown as Answer
}

function dateIn(values: FormValues, name: string): string | null {
  const [year, month, day] = ['year', 'month', 'day'].map(part => values.get(`${name}/${part}`)?.trim() ?? '')
  return year === '' || month === '' || day === ''
    ? null
    : `${year!.padStart(4, '0')}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`
}
