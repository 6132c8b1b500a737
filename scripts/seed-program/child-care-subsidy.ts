// The second, small demo program. A key that may read only one of the two shows the purpose of grants. It shares questions with the first
// program, unchanged, to show that the question bank is shared.

import { utilityAssistance } from './utility-assistance.ts'
import { options, type VersionedProgram, type VersionedQuestion } from './versioned-definition.ts'

function shared(adminName: string): VersionedQuestion {
  for (const { questions } of utilityAssistance.screens)
    for (const question of questions) if (question.admin_name === adminName) return question
  throw new Error(`${utilityAssistance.slug} has no question "${adminName}"`)
}

export const childCareSubsidy: VersionedProgram = {
  slug: 'child-care-subsidy',
  display_name: 'Child Care Subsidy',
  description: 'Help with the cost of child care.',
  confirmation: 'We’ll tell you within two weeks whether there is a place.',
  statuses: ['Received', 'Waiting list', 'Approved', 'Denied'],
  status_details: [
    { status: 'Received', color: 'blue' },
    { status: 'Waiting list', color: 'amber', public_name: 'You are on the waiting list' },
    { status: 'Approved', color: 'green' },
    { status: 'Denied', color: 'red', public_name: 'Not this time' },
  ],
  versions: 1,
  screens: [
    { name: 'About you', questions: ['applicant name', 'email address', 'home address'].map(shared) },
    {
      name: 'Your children',
      questions: [
        { admin_name: 'children', kind: 'ENUMERATOR', text: 'Which children need care?', min_count: 1, max_count: 8 },
        { admin_name: 'child name', kind: 'NAME', enumerator: 'children', text: 'What is their name?' },
        {
          admin_name: 'days of care',
          kind: 'CHECKBOX',
          enumerator: 'children',
          text: 'On which days?',
          options: options({ mon: 'Monday', tue: 'Tuesday', wed: 'Wednesday', thu: 'Thursday', fri: 'Friday' }),
        },
        {
          admin_name: 'monthly cost',
          kind: 'CURRENCY',
          text: 'How much does the care cost each month?',
          optional: true,
        },
      ],
    },
  ],
}
