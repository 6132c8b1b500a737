// Checks the languages of a definition document: which ones it has, and which texts can be translated. The document may be malformed
// elsewhere.

import { isBlank } from '../values/folded-text.ts'
import { pointerTo } from '../values/json-text.ts'
import { canonicalLanguageTag } from '../values/language-tag.ts'
import { type Check, type DefinitionError, member, members, none, oneError } from './definition-form.ts'
import { isObject } from './stepwise-check.ts'

/** Every error in a document's languages. */
export function* languageErrors(document: unknown): Check {
  const standard = member(document, 'default_language') ?? 'en'
  yield tagErrors(standard, '/default_language')
  const offered = new Set<string>()
  for (const { value, path } of members(document, 'languages')) {
    const wrong = tagErrors(value, path)
    if (wrong.length > 0) yield wrong
    else if (value === standard)
      yield oneError(path, 'default_language', 'Must be omitted: it is the default language.')
    else if (offered.has(String(value))) yield oneError(path, 'duplicate_language', 'Must be listed once.')
    offered.add(String(value))
  }
  yield* statusDetailErrors(document)
  for (const { element, path } of translatable(document)) yield translationErrors(element, path, offered)
}

function tagErrors(tag: unknown, path: string): readonly DefinitionError[] {
  if (typeof tag !== 'string' || tag === '') return none
  const canonical = canonicalLanguageTag(tag)
  if (canonical === undefined)
    return oneError(path, 'wrong_language', 'Must be a language tag (BCP 47), such as `es`, `es-MX` or `zh-Hant`.')
  return canonical === tag ? none : oneError(path, 'wrong_language', `Must be written \`${canonical}\`.`)
}

function* statusDetailErrors(document: unknown): Check {
  const statuses = new Set([...members(document, 'statuses')].map(({ value }) => value))
  const first = new Map<unknown, string>()
  for (const { value, path } of members(document, 'status_details')) {
    const status = member(value, 'status')
    const at = `${path}/status`
    const earlier = first.get(status)
    if (typeof status !== 'string' || status === '') continue
    first.set(status, at)
    if (!statuses.has(status)) yield oneError(at, 'unknown_status', `Must be one of \`statuses\`: "${status}" is not.`)
    else if (earlier === undefined) yield none
    else yield oneError(at, 'duplicate_status', `Must be described once: "${status}" is also at ${earlier}.`)
  }
}

/** Every element of a document that may have translations. */
function* translatable(document: unknown): Generator<{ element: unknown; path: string }> {
  yield { element: document, path: '' }
  for (const { value, path } of members(document, 'status_details')) yield { element: value, path }
  for (const { value, path } of members(document, 'screens')) yield { element: value, path }
  for (const { value, path } of members(document, 'questions')) {
    yield { element: value, path }
    for (const option of members(value, 'options', path)) yield { element: option.value, path: option.path }
  }
}

function translationErrors(element: unknown, path: string, offered: ReadonlySet<string>): readonly DefinitionError[] {
  const translations = member(element, 'translations')
  if (!isObject(translations)) return none
  return Object.entries(translations).flatMap(([tag, texts]): readonly DefinitionError[] => {
    const at = pointerTo(pointerTo(path, 'translations'), tag)
    if (!offered.has(tag))
      return oneError(at, 'unlisted_language', `Must be one of \`languages\`: \`${tag}\` is not listed there.`)
    if (!isObject(texts)) return none
    return Object.entries(texts).flatMap(([name, text]) => {
      const written = member(element, name)
      if (written === undefined)
        return oneError(
          pointerTo(at, name),
          'no_default_text',
          `Must be omitted: there is no \`${name}\` to translate.`,
        )
      return typeof text === 'string' && text !== '' && isBlank(text) && !isBlank(String(written))
        ? oneError(pointerTo(at, name), 'blank', 'Must contain visible characters.')
        : none
    })
  })
}
