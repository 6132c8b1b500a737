// Why a search found an application: the text that has the words, or, where they are spread over several, each of these.

import { expect, test } from 'bun:test'
import type { ExportedObject } from '../../../src/domain/readable/exported-answers.ts'
import { matchReason } from '../../../src/domain/readable/match-reason.ts'

const named = (first_name: string, last_name: string) => ({
  question_type: 'NAME',
  first_name,
  middle_name: null,
  last_name,
  suffix: null,
})
const application = {
  applicant_name: named('Søren', 'Williams'),
  mail: { question_type: 'EMAIL', email: 'w.soren@example.org' },
  member: {
    question_type: 'ENUMERATOR',
    entities: [
      { entity_name: 'One', member_name: named('Grace', 'Vale') },
      { entity_name: 'Two', member_name: named('Ana', 'Gonçalves') },
    ],
  },
} as unknown as ExportedObject

test.each([
  ['grace vale', 'member: Grace Vale'],
  ['GONCALVES', 'member: Ana Gonçalves'],
  ['w.soren@', 'mail: w.soren@example.org'],
  ['grace goncalves', 'member: Grace Vale; member: Ana Gonçalves'],
  ['grace williams', 'member: Grace Vale; applicant name: Søren Williams'],
  ['nobody', undefined],
])('%p: %p', (sought, reason) => {
  expect(matchReason(application, sought)).toBe(reason)
})
