// Describes the limits of a question's answers in words.

import type { QuestionSettings } from '../questions/question.ts'

/**
 * The bounds of a number, of the characters of a text, or of selections, entities or files: `at least 1, at most 12`. For files, also the size. Empty
 * without bounds.
 */
export function boundsText(settings: Partial<QuestionSettings>): string {
  const { min, max, min_length, max_length, min_count, max_count, max_megabytes } = settings
  return [
    range(min, max, ''),
    range(min_length, max_length, ' characters'),
    range(min_count, max_count, ''),
    range(undefined, max_megabytes, ' MB'),
  ]
    .filter(Boolean)
    .join('; ')
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  const words = [least === undefined ? '' : `at least ${least}`, most === undefined ? '' : `at most ${most}`]
  const bounds = words.filter(Boolean).join(', ')
  return bounds && `${bounds}${unit}`
}
