// Routes for absent features: intake and console in an export-only process, and pages in a build without them.

import { Elysia } from 'elysia'
import { Problem } from '../../../base/problem.ts'
import { hiddenRoute } from '../openapi/route-detail.ts'

/** Routes that respond to every request at these paths with this problem, without reading the body. */
export function absentRoutes(paths: readonly string[], problem: () => Problem) {
  const routes = new Elysia()
  const absent = (): never => {
    throw problem()
  }
  for (const path of paths) routes.all(path, absent, { ...hiddenRoute, parse: 'none' })
  return routes
}

/** Not 404, which at intake would mean that the applicant does not exist. */
const exportOnly = (): Problem =>
  new Problem('unavailable', {
    detail: 'This instance only exports applications. Send submissions and open the console at another instance.',
    retryAfterSeconds: 60,
    internal: 'export_only',
  })

export const absentIntake = () => absentRoutes(['/intake/*'], exportOnly)

export const absentConsole = () => absentRoutes(['/admin', '/admin/*'], exportOnly)
