// Writes a program's texts as a CSV file for translators, and finds what a returned file changes. Pure.

import { csvRecords } from '../../base/csv-records.ts'
import { byteOrderMark, csvHeader, csvRecord, formulaStarts } from '../../base/csv-text.ts'
import type { ProgramDefinition } from '../../domain/definitions/program-definition.ts'
import { defaultLanguageOf } from '../../domain/languages/localized.ts'
import { type ProgramText, programTexts } from '../../domain/languages/program-texts.ts'
import { canonicalLanguageTag } from '../../domain/values/language-tag.ts'

/** A row for each text: its pointer, its context, the default text, and a column for each of these languages. */
export function translationFile(definition: ProgramDefinition, languages: readonly string[]): string {
  const names = ['pointer', 'context', defaultLanguageOf(definition), ...languages]
  const rows = programTexts(definition).map(({ pointer, context, text, element, field }) =>
    csvRecord([pointer, context, text, ...languages.map(tag => element.translations?.[tag]?.[field] ?? '')]),
  )
  return byteOrderMark + csvHeader(names) + rows.join('')
}

export interface TranslationChange {
  pointer: string
  context: string
  language: string
  was: string | null
  text: string
}

export interface TranslationPlan {
  changes: TranslationChange[]
  /** Languages that the program does not offer yet. */
  added: string[]
  /** Rows whose default text is no longer in the program, by row number. */
  skipped: { row: number; context: string }[]
  definition: ProgramDefinition
}

/** An error that concerns the whole file. */
export interface TranslationFault {
  code: 'no_csv' | 'no_columns' | 'wrong_language'
  detail: string
}

/**
 * The definition with a file's translations. A row belongs to the text with its context, which stays the same when questions move, or to the text at
 * its pointer, if the default text is still the same. Empty cells change nothing.
 */
export function planTranslations(definition: ProgramDefinition, file: string): TranslationPlan | TranslationFault {
  const records = csvRecords(file)
  if (records === undefined)
    return { code: 'no_csv', detail: 'The file is not valid CSV: a quotation mark is never closed.' }
  const [header = [], ...rows] = records
  const [pointer, context, standard, ...columns] = header.map(name => name.trim())
  if (pointer !== 'pointer' || context !== 'context' || standard === undefined || columns.length === 0)
    return {
      code: 'no_columns',
      detail: 'The columns must be pointer, context, the default language, and one or more languages.',
    }
  const tags = columns.map(canonicalLanguageTag)
  const wrong = columns.find((_, i) => tags[i] === undefined || tags[i] === defaultLanguageOf(definition))
  if (wrong !== undefined)
    return { code: 'wrong_language', detail: `“${wrong}” must be the tag of a language other than the default one.` }
  const copy = structuredClone(definition)
  const texts = programTexts(copy)
  const byPointer = new Map(texts.map(text => [text.pointer, text]))
  const byContext = new Map(texts.map(text => [text.context, text]))
  const plan: TranslationPlan = { changes: [], added: [], skipped: [], definition: copy }
  for (const [index, cells] of rows.entries()) {
    const [at = '', where = '', text = '', ...translated] = cells.map(asWritten)
    const found = [byContext.get(where), byPointer.get(at)].find(
      item => item !== undefined && sameText(item.text, text),
    )
    if (found === undefined) plan.skipped.push({ row: index + 2, context: where })
    else for (const [i, tag] of tags.entries()) translate(plan, found, tag!, translated[i] ?? '')
  }
  const offered = new Set(copy.languages)
  plan.added = [...new Set(plan.changes.map(({ language }) => language))].filter(tag => !offered.has(tag))
  if (plan.added.length > 0) copy.languages = [...(copy.languages ?? []), ...plan.added]
  return plan
}

function translate({ changes }: TranslationPlan, found: ProgramText, language: string, text: string): void {
  const { element, field, pointer, context } = found
  const was = element.translations?.[language]?.[field] ?? null
  if (text.trim() === '' || text === was) return
  element.translations = { ...element.translations, [language]: { ...element.translations?.[language], [field]: text } }
  changes.push({ pointer, context, language, was, text })
}

/** Spreadsheets change line endings. */
const sameText = (a: string, b: string): boolean => a.replaceAll(/\r\n?/g, '\n') === b.replaceAll(/\r\n?/g, '\n')

/** Without the apostrophe that keeps a spreadsheet from interpreting a formula. */
function asWritten(cell: string): string {
  const text = cell.replaceAll(/\r\n?/g, '\n')
  return text.startsWith("'") && formulaStarts.includes(text[1] ?? '') ? text.slice(1) : text
}
