// An answer as applicants see it before they submit.

import { dayText, isCalendarDate } from '../../domain/question-types/date.ts'
import { type ExportedObject, linesOf } from '../../domain/readable/exported-answers.ts'
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  pointerTokens,
  writeJson,
} from '../../domain/values/json-text.ts'
import type { FormPlace } from '../questions/filled-form.ts'
import { datesIn } from './texts-in-language.ts'

/** The lines of an answer; none if it is unanswered. */
export function answerLines(
  { asked, path }: FormPlace,
  answers: JsonObject,
  { language, nameOf }: { language: string; nameOf: ((url: string) => string) | undefined },
): readonly string[] {
  const { question, type } = asked
  const found = at(answers, path)
  if (type === undefined || !isJsonObject(found)) return []
  if (type === 'ENUMERATOR') {
    const entities = found.get('entities')
    return (isJsonArray(entities) ? entities : []).map(item =>
      String(isJsonObject(item) ? item.get('entity_name') : ''),
    )
  }
  const urls = found.get('file_urls')
  if (type === 'FILE_UPLOAD' && isJsonArray(urls)) return urls.map(String).map(url => nameOf?.(url) ?? url)
  const date = found.get('date')
  if (type === 'DATE' && typeof date === 'string') return [dateIn(language, date)]
  const object = JSON.parse(writeJson(found)) as ExportedObject
  return linesOf({ question, type, conditions: [], repeated: [] }, object)
    .filter(({ look }) => look !== 'aside')
    .map(({ text }) => text)
}

function dateIn(language: string, date: string): string {
  if (!isCalendarDate(date)) return date
  // Dates would read a year before 100 as one of the last century.
  return date.startsWith('00') ? dayText(date) : datesIn(language, 'UTC').format(new Date(`${date}T00:00:00Z`))
}

function at(answers: JsonObject, path: string): Json | undefined {
  let found: Json | undefined = answers
  for (const token of pointerTokens(path))
    found = isJsonObject(found) ? found.get(token) : isJsonArray(found) ? found[Number(token)] : undefined
  return found
}
