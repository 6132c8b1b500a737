// The demo program: help with utility bills, with every kind of question, nested repeated questions, and three versions. Later versions
// add questions at every depth, remove one and retire an option, as real programs do over the years.

import { options, type VersionedProgram } from './versioned-definition.ts'

const rents = { question: 'housing', field: 'selection', operator: 'equal', value: 'rent' } as const
const yesNo = options({ yes: 'Yes', no: 'No' })

export const utilityAssistance: VersionedProgram = {
  slug: 'utility-assistance',
  display_name: 'Utility Assistance',
  description: 'Help with electricity, gas, water, sewer and garbage bills.',
  confirmation: 'We’ll read your application within ten days and write to you with the result.',
  statuses: ['Received', 'In review', 'More information needed', 'Approved', 'Denied'],
  status_details: [
    { status: 'In review', color: 'blue' },
    { status: 'More information needed', color: 'amber', public_name: 'We need something from you' },
    { status: 'Approved', color: 'green' },
    { status: 'Denied', color: 'red', public_name: 'Not this time' },
  ],
  versions: 3,
  screens: [
    {
      name: 'About you',
      questions: [
        {
          admin_name: 'welcome',
          kind: 'STATIC',
          text: 'This application takes about 20 minutes. Have your latest bill ready.',
        },
        { admin_name: 'applicant name', kind: 'NAME', text: 'What is your name?' },
        { admin_name: 'date of birth', kind: 'DATE', text: 'When were you born?' },
        { admin_name: 'phone number', kind: 'PHONE', text: 'What is your phone number?' },
        { admin_name: 'email address', kind: 'EMAIL', text: 'What is your email address?', optional: true },
        { admin_name: 'home address', kind: 'ADDRESS', text: 'Where do you live?', correct_addresses: true },
        {
          admin_name: 'heard about us',
          kind: 'DROPDOWN',
          text: 'How did you hear about this program?',
          options: options({
            friend: 'A friend or relative',
            'bill-insert': 'A note with my bill',
            school: 'A school',
            clinic: 'A clinic',
            'newspaper-ad': 'A newspaper',
            web: 'The web',
          }),
          retired_options: { after: 2, admin_ids: ['newspaper-ad'] },
          optional: true,
        },
      ],
    },
    {
      name: 'Your home',
      questions: [
        {
          admin_name: 'housing',
          kind: 'RADIO',
          text: 'What is your housing situation?',
          options: options({
            rent: 'I rent',
            own: 'I own my home',
            shelter: 'I live in a shelter',
            other: 'Otherwise',
          }),
        },
        {
          admin_name: 'landlord name',
          kind: 'TEXT',
          text: 'Who is your landlord?',
          max_length: 80,
          since: 2,
          visible_when: rents,
        },
        { admin_name: 'monthly rent', kind: 'CURRENCY', text: 'How much is your rent?', visible_when: rents },
        { admin_name: 'bedrooms', kind: 'NUMBER', text: 'How many bedrooms do you have?', min: 0, max: 5 },
        { admin_name: 'move in date', kind: 'DATE', text: 'When did you move in?', since: 2, optional: true },
        {
          admin_name: 'nearest service centers',
          kind: 'MAP',
          text: 'Which of our centers can you get to?',
          help: 'Choose up to two on the map.',
          max_count: 2,
          options: options({
            'center-101': 'Northgate',
            'center-102': 'Central District',
            'center-107': 'Delridge',
            'center-115': 'Rainier Beach',
          }),
          optional: true,
        },
      ],
    },
    {
      name: 'Your bill',
      questions: [
        {
          admin_name: 'utilities',
          kind: 'CHECKBOX',
          text: 'Which bills do you need help with?',
          min_count: 1,
          options: options({
            electricity: 'Electricity',
            'natural-gas': 'Gas',
            water: 'Water',
            sewer: 'Sewer',
            garbage: 'Garbage',
          }),
        },
        {
          admin_name: 'account number',
          kind: 'ID',
          text: 'What is your account number?',
          min_length: 6,
          max_length: 12,
        },
        { admin_name: 'amount past due', kind: 'CURRENCY', text: 'How much is past due?' },
        { admin_name: 'shutoff notice', kind: 'RADIO', text: 'Have you received a shutoff notice?', options: yesNo },
        {
          admin_name: 'reason for late payment',
          kind: 'TEXT',
          text: 'Why couldn’t you pay?',
          max_length: 120,
          until: 2,
          optional: true,
        },
        {
          admin_name: 'latest bills',
          kind: 'FILE_UPLOAD',
          text: 'Upload your latest bills.',
          min_count: 1,
          max_count: 2,
        },
      ],
    },
    {
      name: 'Your household',
      questions: [
        {
          admin_name: 'household members',
          kind: 'ENUMERATOR',
          text: 'Who lives with you?',
          max_count: 12,
          optional: true,
        },
        {
          admin_name: 'member name',
          kind: 'NAME',
          enumerator: 'household members',
          text: 'What is their name?',
        },
        {
          admin_name: 'member birth date',
          kind: 'DATE',
          enumerator: 'household members',
          text: 'When were they born?',
          optional: true,
        },
        {
          admin_name: 'relationship',
          kind: 'DROPDOWN',
          enumerator: 'household members',
          text: 'How are they related to you?',
          options: options({ spouse: 'Spouse or partner', child: 'Child', parent: 'Parent', other: 'Another person' }),
        },
        {
          admin_name: 'member benefits',
          kind: 'CHECKBOX',
          enumerator: 'household members',
          text: 'Which benefits do they receive?',
          since: 2,
          optional: true,
          options: options({ snap: 'SNAP', tanf: 'TANF', ssi: 'SSI', wic: 'WIC' }),
        },
        {
          admin_name: 'member student',
          kind: 'RADIO',
          enumerator: 'household members',
          text: 'Are they in school or college?',
          since: 3,
          options: yesNo,
        },
        {
          admin_name: 'jobs',
          kind: 'ENUMERATOR',
          enumerator: 'household members',
          text: 'Which jobs do they have?',
          optional: true,
          max_count: 4,
          visible_when: {
            not: { question: 'relationship', field: 'selection', operator: 'equal', value: 'child' },
          },
        },
        {
          admin_name: 'employer',
          kind: 'TEXT',
          enumerator: 'jobs',
          text: 'Who is the employer?',
          max_length: 40,
        },
        { admin_name: 'monthly pay', kind: 'CURRENCY', enumerator: 'jobs', text: 'How much are they paid each month?' },
        {
          admin_name: 'weekly hours',
          kind: 'NUMBER',
          enumerator: 'jobs',
          text: 'How many hours a week do they work?',
          min: 1,
          max: 80,
          since: 2,
          optional: true,
        },
      ],
    },
    {
      name: 'Anything else',
      questions: [
        {
          admin_name: 'hardship',
          kind: 'DROPDOWN',
          text: 'Which of these happened in the last year?',
          since: 3,
          optional: true,
          options: options({
            'lost-job': 'I lost a job',
            illness: 'Someone in my household was ill',
            'new-child': 'A child was born',
            moved: 'I had to move',
          }),
        },
        {
          admin_name: 'anything else',
          kind: 'TEXT',
          text: 'Is there anything else you’d like us to know?',
          max_length: 160,
          optional: true,
        },
        {
          admin_name: 'consent',
          kind: 'RADIO',
          text: 'May we contact your utility about your account?',
          options: yesNo,
        },
      ],
    },
  ],
}
