// Replaces lazy-apply in a build without the applicants' pages (scripts/build --without apply).

import { Problem } from '../base/problem.ts'
import { absentRoutes } from './http/server/absent-routes.ts'

export const applicantPages = () =>
  absentRoutes(
    ['/apply', '/apply/*'],
    () => new Problem('not_found', { detail: 'This build does not include the applicants’ pages.' }),
  )
