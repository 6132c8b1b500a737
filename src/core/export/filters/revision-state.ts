// The filter by revision state as of the walk's horizon. Source: spec, "List program applications"; contract G3.

import { oneOf } from './one-of.ts'

export const revisionState = oneOf({
  name: 'revisionState',
  values: ['CURRENT', 'OBSOLETE'],
  description:
    'Only applications in this revision state: CURRENT (the latest of each applicant) or OBSOLETE (replaced by a newer one). Default: all.',
  bit: 0,
})
