// What a question's fields need to know about their form, and error messages in plain words.

import type { ProblemItem } from '../../base/problem.ts'
import type { AskedPlace } from '../../core/intake/checking/check-all.ts'
import { fileRulesOf, fileTypeLabels } from '../../domain/files/file-types.ts'
import type { LanguageOf } from '../../domain/languages/text-languages.ts'
import type { FormValues } from './form-values.ts'
import type { Language } from './languages/en.ts'

export type QuestionWords = Language['questions']

/** A form's files. */
export interface FilesInForm {
  /** Whether files can be uploaded here. */
  isOn: boolean
  nameOf: (url: string) => string
}

/** A filled-in form. Fields are named by the JSON Pointer of their content. */
export interface FieldView {
  values: FormValues
  /** Messages by field name. */
  errors: ReadonlyMap<string, string>
  words: QuestionWords
  /** The language of a program's text, where that is another than the page's. */
  languageOf?: LanguageOf | undefined
  /** Where a question asks for files. */
  files?: FilesInForm | undefined
}

/** A text of a language file with its values filled in. */
export const filled = (text: string, values: Readonly<Record<string, unknown>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => (values[name] === undefined ? whole : String(values[name])))

/** The error message for applicants, for an error from intake. */
export function errorWords(words: QuestionWords, { asked }: AskedPlace, { path = '', code }: ProblemItem): string {
  const field = path.split('/').findLast(part => !/^\d+$/.test(part)) ?? ''
  const { errors } = words
  const isWhole = field === asked.question.question_key
  const text = errors[`${field}.${code}`] ?? (isWhole ? undefined : errors[field]) ?? errors[code] ?? errors.other ?? ''
  const { settings } = asked.question
  const { types, megabytesMax } = fileRulesOf(settings)
  return filled(text, { ...settings, types: fileTypeLabels(types), megabytes: megabytesMax })
}
