// Detects paths that Bun has normalized. Bun shows `/docs/../admin` and `/docs\\..\\admin` as `/admin`, while a proxy that blocks /admin by prefix
// lets both pass. Only Bun's own router sees the path as sent, so it gets a route for each number of segments, and they are checked here.

import { invalidRequest, type Problem } from '../../../base/problem.ts'
import { pathOf } from '../headers/host.ts'

type Answer<Connected> = (request: Request, server: Connected, isAsSent: boolean) => Response | Promise<Response>

/** More segments than any address of the service has. */
const segmentsMax = 16

/** Segments that a normalized path cannot contain. Bun has already decoded `%2e` and `%5c`. */
const isMoving = (segment: string): boolean => segment === '.' || segment === '..' || segment.includes('\\')

/** `fetch` and `routes` of `Bun.serve`. */
export function bySentPath<Connected>(answer: Answer<Connected>) {
  const route = (request: Bun.BunRequest, server: Connected): Response | Promise<Response> =>
    answer(request, server, !Object.values(request.params).some(isMoving))
  const routes: Record<string, typeof route> = { '/': route }
  for (let path = '', segments = 0; segments < segmentsMax; segments++) {
    path += `/:segment${segments}`
    routes[path] = routes[`${path}/`] = route
  }
  // Paths without a route have an empty segment, or more segments than any address of the service.
  const fetch = (request: Request, server: Connected): Response | Promise<Response> => {
    const segments = pathOf(request.url).slice(1).split('/')
    return answer(request, server, segments.length > segmentsMax && !segments.slice(0, -1).includes(''))
  }
  return { routes, fetch }
}

/** Error for a path that is not in normal form. */
export const notAsSent = (): Problem =>
  invalidRequest('The path is not in normal form.', [
    {
      parameter: 'path',
      code: 'path_not_normal',
      detail:
        'must not contain empty segments (//), the segments . or .., or backslashes. Omit the trailing slash of a base URL.',
    },
  ])
