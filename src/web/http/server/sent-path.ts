// Whether a path came as it is. Bun normalizes an address before it shows it: `/docs/../admin` and `/docs\\..\\admin` arrive as `/admin`, and a
// proxy that keeps /admin from strangers by how a path begins has let them pass. Bun's own router alone sees the path as it was sent. So
// it gets a route for each number of segments, and these are looked at here.

import { invalidRequest, type Problem } from '../../../base/problem.ts'
import { pathOf } from '../headers/host.ts'

type Answer<Connected> = (request: Request, server: Connected, isAsSent: boolean) => Response | Promise<Response>

/** More than any address here has. */
const segmentsMax = 16

/** What a normalized path does not have; Bun has decoded `%2e` and `%5c`. */
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
  // Without a route are an empty segment, and more segments than there are in any address here: the latter is nowhere.
  const fetch = (request: Request, server: Connected): Response | Promise<Response> => {
    const segments = pathOf(request.url).slice(1).split('/')
    return answer(request, server, segments.length > segmentsMax && !segments.slice(0, -1).includes(''))
  }
  return { routes, fetch }
}

/** The refusal of a path that was sent otherwise than it is shown. */
export const notAsSent = (): Problem =>
  invalidRequest('The path is not in its normal form.', [
    {
      parameter: 'path',
      code: 'path_not_normal',
      detail:
        'must have no empty segment (//), no . or .. as a segment, and no backslash. A base address needs no slash at its end.',
    },
  ])
