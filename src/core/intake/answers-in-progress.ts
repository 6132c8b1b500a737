// Stored answers in progress: JSON text that intake can read, merge and check again without changing a single digit.

import { type Answers, noEntityEnd, renderAnswer } from '../../domain/questions/answers.ts'
import type { KeyMap } from '../../domain/questions/key-map.ts'
import { isJsonObject, type Json, type JsonObject, parseJson, writeJson } from '../../domain/values/json-text.ts'

/** Maximum nesting of stored text: that of a request, plus the unanswered entries in its entities. */
const keptDepthMax = 1024

/** Saved answers by question key. */
export function readSavedAnswers(text: string): JsonObject {
  const parsed = parseJson(text, { depthMax: keptDepthMax })
  if ('error' in parsed || !isJsonObject(parsed.json)) throw new Error('saved answers are not a JSON object')
  return parsed.json
}

/** Saved answers with those of `keys` replaced by `answers`, in the form of a version with that shape. A key without an answer is removed. */
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
    // Rendered like an export, so that saved answers have exactly the export's form.
    if (answer !== undefined) merged.set(node.question_key, readAnswer(renderAnswer(node, answer, noEntityEnd)))
  }
  return merged
}

export const writeSavedAnswers = (saved: JsonObject): string => writeJson(saved)

function readAnswer(text: string): Json {
  const parsed = parseJson(text, { depthMax: keptDepthMax })
  if ('error' in parsed) throw new Error(`a rendered answer is not JSON: ${parsed.error.detail}`)
  return parsed.json
}
