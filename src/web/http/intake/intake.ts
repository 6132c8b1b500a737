// The intake API, with which form front ends register applicants, save answers and submit applications.

import { Elysia } from 'elysia'
import type { Deps } from '../server/deps.ts'
import { answerRoutes } from './answer-routes.ts'
import { applicantRoutes } from './applicant-routes.ts'
import { programRoutes } from './program-routes.ts'
import { submissionRoutes } from './submission-routes.ts'

/** `/intake/v1/…`, for API keys that can submit. */
export const intake = (deps: Deps) =>
  new Elysia({ name: 'intake' })
    .use(programRoutes(deps))
    .use(applicantRoutes(deps))
    .use(answerRoutes(deps))
    .use(submissionRoutes(deps))
