// Answers in progress as stored: JSON text that intake can read, merge and check again, without a changed digit.

import { type Answers, noEntityEnd, renderAnswer } from '../../domain/questions/answers.ts'
import type { KeyMap } from '../../domain/questions/key-map.ts'
import { isJsonObject, type Json, type JsonObject, parseJson, writeJson } from '../../domain/values/json-text.ts'

/** Kept text is not nested more deeply than what was sent, but for the unanswered forms in its entities. */
const keptDepthMax = 1024

/** Kept answers by question key. */
export function readSavedAnswers(text: string): JsonObject {
  const parsed = parseJson(text, { depthMax: keptDepthMax })
  if ('error' in parsed || !isJsonObject(parsed.json)) throw new Error('saved answers are not a JSON object')
  return parsed.json
}

/** Kept answers with those of `keys` replaced by `answers`, as a version of that shape has them; a key without an answer is removed. */
export function mergeSavedAnswers(
  saved: JsonObject,
  shape: KeyMap,
  keys: Iterable<string>,
  answers: Answers,
): JsonObject {
  const merged = new Map<string, Json>(saved)
  for (const key of keys) if (!answers.has(key)) merged.delete(key)
  for (const node of shape) {
    const answer = answers.get(node.question_key)
    // Through the export's own text, so that what is kept has the export's shape to the letter.
    if (answer !== undefined) merged.set(node.question_key, readAnswer(renderAnswer(node, answer, noEntityEnd)))
  }
  return merged
}

export const writeSavedAnswers = (saved: JsonObject): string => writeJson(saved)

function readAnswer(text: string): Json {
  const parsed = parseJson(text, { depthMax: keptDepthMax })
  if ('error' in parsed) throw new Error(`a rendered answer is no JSON: ${parsed.error.detail}`)
  return parsed.json
}
