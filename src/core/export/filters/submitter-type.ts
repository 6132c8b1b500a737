// The filter by submitter type. Source: spec, `submitter_type` of the application object.

import { oneOf } from './one-of.ts'

export const submitterType = oneOf({
  name: 'submitterType',
  values: ['APPLICANT', 'TRUSTED_INTERMEDIARY'],
  description:
    'Only applications submitted by the applicant (APPLICANT) or by a trusted intermediary on their behalf (TRUSTED_INTERMEDIARY). Default: all.',
  bit: 8,
})
