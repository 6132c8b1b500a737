// Names of the question kinds for people.

import type { QuestionKind } from '../questions/question.ts'

interface KindLabel {
  kind: QuestionKind
  label: string
  /** A short description of its answer. */
  hint: string
}

/** Every kind of question, grouped as in the menu. */
export const kindGroups: readonly { label: string; kinds: readonly KindLabel[] }[] = [
  {
    label: 'Words and numbers',
    kinds: [
      { kind: 'TEXT', label: 'Text', hint: 'free text' },
      { kind: 'NUMBER', label: 'Number', hint: 'whole number' },
      { kind: 'CURRENCY', label: 'Money', hint: 'dollars and cents' },
      { kind: 'DATE', label: 'Date', hint: 'a day' },
      { kind: 'ID', label: 'ID number', hint: 'case or card number' },
    ],
  },
  {
    label: 'Choice',
    kinds: [
      { kind: 'RADIO', label: 'Single choice – radio buttons', hint: 'all options visible' },
      { kind: 'DROPDOWN', label: 'Single choice – dropdown', hint: 'for long lists' },
      { kind: 'CHECKBOX', label: 'Multiple choice – checkboxes', hint: 'all that apply' },
      { kind: 'MAP', label: 'Places on a map', hint: 'map features' },
    ],
  },
  {
    label: 'Person',
    kinds: [
      { kind: 'NAME', label: 'Name', hint: 'first and last' },
      { kind: 'ADDRESS', label: 'Address', hint: 'in the USA' },
      { kind: 'PHONE', label: 'Phone', hint: 'with country' },
      { kind: 'EMAIL', label: 'Email', hint: 'one address' },
    ],
  },
  {
    label: 'More',
    kinds: [
      { kind: 'FILE_UPLOAD', label: 'File', hint: 'one or more' },
      { kind: 'ENUMERATOR', label: 'List of people or things', hint: 'questions repeat for each' },
      { kind: 'STATIC', label: 'Information text', hint: 'no answer' },
    ],
  },
]

const labels = new Map<string, string>(kindGroups.flatMap(({ kinds }) => kinds.map(({ kind, label }) => [kind, label])))

export const kindLabel = (kind: string): string => labels.get(kind) ?? kind
