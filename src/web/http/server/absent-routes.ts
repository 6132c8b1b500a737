// Responses in place of what a service lacks: intake and console where it only exports, pages in a program that is built without them.

import { Elysia } from 'elysia'
import { Problem } from '../../../base/problem.ts'
import { hiddenRoute } from '../openapi/route-detail.ts'

/** Routes that answer everything at these paths with this problem, and read no body. */
export function absentRoutes(paths: readonly string[], problem: () => Problem) {
  const routes = new Elysia()
  const absent = (): never => {
    throw problem()
  }
  for (const path of paths) routes.all(path, absent, { ...hiddenRoute, parse: 'none' })
  return routes
}

/** Not 404: at intake that would mean that no such applicant exists. */
const exportOnly = (): Problem =>
  new Problem('unavailable', {
    detail: 'This instance only exports. Submissions and the console are at another one.',
    retryAfterSeconds: 60,
    internal: 'export_only',
  })

export const absentIntake = () => absentRoutes(['/intake/*'], exportOnly)

export const absentConsole = () => absentRoutes(['/admin', '/admin/*'], exportOnly)
