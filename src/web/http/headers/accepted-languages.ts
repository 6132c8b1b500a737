// The languages that a request prefers: its `language` parameter, or the Accept-Language header (RFC 9110, 12.5.4).

import type { FieldError } from '../../../core/export/requests/sent-query.ts'
import { canonicalLanguageTag } from '../../../domain/values/language-tag.ts'
import { listItems, quality } from './negotiation.ts'

const itemPattern = new RegExp(`^([A-Za-z0-9-]+)(?:[ \\t]*;[ \\t]*q=(${quality}))?$`)

/** Maximum number of languages considered. */
const languagesMax = 20

/** By quality, then in the order sent. `*` and malformed items are ignored: they request nothing in particular. */
export function acceptedLanguages(header: string | null): string[] {
  const accepted = listItems(header).flatMap(item => {
    const match = itemPattern.exec(item.trim())
    const tag = match === null ? undefined : canonicalLanguageTag(match[1]!)
    const q = Number(match?.[2] ?? 1)
    return tag === undefined || q === 0 ? [] : [{ tag, q }]
  })
  const ranked = accepted.slice(0, languagesMax).sort((a, b) => b.q - a.q)
  return ranked.map(({ tag }) => tag)
}

/** The canonical form of a `language` parameter. */
export const parseLanguage = (value: string, error: FieldError): string | undefined =>
  canonicalLanguageTag(value) ?? error('malformed', 'must be a language tag (BCP 47), such as `es` or `zh-Hant`.')
