// Derives names from texts: admin names of questions and export IDs of options. Also suggests a question's kind from its text.

import type { OptionDefinition, ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import { namesFor } from '../../../domain/definitions/question-names.ts'
import type { QuestionKind } from '../../../domain/questions/question.ts'
import { foldedKeyOf } from '../../../domain/questions/question-key.ts'
import { asciiName } from '../../../domain/values/slug.ts'

/** The first of these names whose key neither the document nor, as far as known, the question bank has. */
export function freeName(
  text: string,
  { questions, display_name }: ProgramDefinition,
  taken: ReadonlySet<string>,
  except?: string,
): string {
  const keys = new Set(
    questions.filter(({ admin_name }) => admin_name !== except).map(question => foldedKeyOf(question.admin_name)),
  )
  const isFree = (name: string): boolean => !keys.has(foldedKeyOf(name)) && !taken.has(foldedKeyOf(name))
  const names = namesFor(text, display_name)
  return names.find(isFree) ?? `${names[0]} ${'x'.repeat(questions.length)}`
}

/** The ID of an option, derived from its text; with a number if another option has it. */
export function optionIdFor(text: string, others: readonly OptionDefinition[]): string {
  const taken = new Set(others.map(({ admin_id }) => admin_id))
  const name = asciiName(text, '_') || 'option'
  let id = name
  for (let number = 2; taken.has(id); number++) id = `${name}_${number}`
  return id
}

/** Whether an ID was derived from this text. */
export const isIdFor = (id: string, text: string): boolean =>
  id.replace(/_\d+$/, '') === (asciiName(text, '_') || 'option').replace(/_\d+$/, '')

/** New options from these lines, after `options`. */
export function withLines(options: readonly OptionDefinition[], lines: readonly string[], at = options.length) {
  const all = [...options]
  const taken = new Set(options.map(({ admin_id }) => admin_id))
  for (const [i, text] of lines.entries()) {
    const name = asciiName(text, '_') || 'option'
    let admin_id = name
    for (let number = 2; taken.has(admin_id); number++) admin_id = `${name}_${number}`
    taken.add(admin_id)
    all.splice(at + i, 0, { admin_id, text })
  }
  return all
}

/** The items of a pasted list, one option per line, without bullets or numbers. */
export const pastedLines = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map(line => line.replace(/^\s*(?:[-*•]|\d{1,3}[.)])\s+/, '').trim())
    .filter(line => line !== '')

const suggestions: readonly (readonly [RegExp, QuestionKind])[] = [
  [/\bname\??$/i, 'NAME'],
  [/\b(born|birth ?date|date of birth|birthday|what date|on which day)\b/i, 'DATE'],
  [/\b(phone|call you|reach them)\b/i, 'PHONE'],
  [/\be-?mail\b/i, 'EMAIL'],
  [/\baddress\b|where do you live/i, 'ADDRESS'],
  [/\bhow many\b/i, 'NUMBER'],
  [/\b(how much|rent|income|cost|amount)\?$/i, 'CURRENCY'],
  [/^(who (else )?lives|list (all|every)|who is in)\b/i, 'ENUMERATOR'],
]

/** The kind of answer that a question in English suggests by its words. */
export const suggestedKind = (text: string): QuestionKind | undefined =>
  suggestions.find(([words]) => words.test(text.trim()))?.[1]
