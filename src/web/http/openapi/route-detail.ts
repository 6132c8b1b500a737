// A route's own part of OpenAPI.

import type { DocumentDecoration } from 'elysia'

/** An OpenAPI 3.1 operation as the `detail` of a route, whose type in Elysia is still that of 3.0. */
export const routeDetail = (operation: object): DocumentDecoration => operation as DocumentDecoration

/** For routes that are not in the OpenAPI document: pages, HEAD, and the refusal of other methods. */
export const hiddenRoute = { parse: 'none', detail: { hide: true } } as const
