// Kinds of questions, as people say them.

import type { QuestionKind } from '../questions/question.ts'

interface KindLabel {
  kind: QuestionKind
  label: string
  /** What its answer is like. */
  hint: string
}

/** Every kind of question, as people say it, in groups in which they look for one. */
export const kindGroups: readonly { label: string; kinds: readonly KindLabel[] }[] = [
  {
    label: 'Words and numbers',
    kinds: [
      { kind: 'TEXT', label: 'Text', hint: 'in one’s own words' },
      { kind: 'NUMBER', label: 'Number', hint: 'a whole one' },
      { kind: 'CURRENCY', label: 'Money', hint: 'dollars and cents' },
      { kind: 'DATE', label: 'Date', hint: 'a day' },
      { kind: 'ID', label: 'Id number', hint: 'digits of a case or card' },
    ],
  },
  {
    label: 'A choice',
    kinds: [
      { kind: 'RADIO', label: 'One of several', hint: 'all in view' },
      { kind: 'DROPDOWN', label: 'One of a long list', hint: 'folded' },
      { kind: 'CHECKBOX', label: 'Some of several', hint: 'all that apply' },
      { kind: 'MAP', label: 'Places on a map', hint: 'features of it' },
    ],
  },
  {
    label: 'A person',
    kinds: [
      { kind: 'NAME', label: 'Name', hint: 'first and last' },
      { kind: 'ADDRESS', label: 'Address', hint: 'in the USA' },
      { kind: 'PHONE', label: 'Phone', hint: 'with its country' },
      { kind: 'EMAIL', label: 'E-mail', hint: 'one address' },
    ],
  },
  {
    label: 'More',
    kinds: [
      { kind: 'FILE_UPLOAD', label: 'File', hint: 'one or more' },
      { kind: 'ENUMERATOR', label: 'List of people or things', hint: 'questions repeat for each' },
      { kind: 'STATIC', label: 'Text to read', hint: 'no answer' },
    ],
  },
]

const labels = new Map<string, string>(kindGroups.flatMap(({ kinds }) => kinds.map(({ kind, label }) => [kind, label])))

export const kindLabel = (kind: string): string => labels.get(kind) ?? kind
