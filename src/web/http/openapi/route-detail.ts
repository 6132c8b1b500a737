// Attaches OpenAPI operations to routes.

import type { DocumentDecoration } from 'elysia'

/** OpenAPI 3.1 operation as the `detail` of a route; Elysia's type is still that of OpenAPI 3.0. */
export const routeDetail = (operation: object): DocumentDecoration => operation as DocumentDecoration

/** Detail of routes left out of the OpenAPI document: pages, HEAD, and the 405 of other methods. */
export const hiddenRoute = { parse: 'none', detail: { hide: true } } as const
