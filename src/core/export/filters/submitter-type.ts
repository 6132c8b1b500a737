// The filter by who submitted. Source: spec, `submitter_type` of the application object.

import { oneOf } from './one-of.ts'

export const submitterType = oneOf({
  name: 'submitterType',
  values: ['APPLICANT', 'TRUSTED_INTERMEDIARY'],
  description:
    'Only applications that were submitted by the applicant (APPLICANT), or by a trusted intermediary on their behalf (TRUSTED_INTERMEDIARY). All when left out.',
  bit: 8,
})
