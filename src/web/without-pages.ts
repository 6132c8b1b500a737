// In place of lazy-routes in a program that is built without the console and the docs (scripts/build --without console).

import { Elysia } from 'elysia'
import { Problem } from '../base/problem.ts'
import { hiddenRoute } from './http/openapi/route-detail.ts'

function absent(): never {
  throw new Problem('not_found', { detail: 'This program was built without the console and the docs.' })
}

const unread = { ...hiddenRoute, parse: 'none' } as const

export const adminConsole = () =>
  new Elysia().all('/', absent, unread).all('/admin', absent, unread).all('/admin/*', absent, unread)

export const apiDocs = () => new Elysia().all('/docs', absent, unread).all('/docs/*', absent, unread)

export const shellAssets = () => new Elysia().all('/assets/*', absent, unread)

/** A program gets the problem document, and so does a browser here. */
export const refusalPage = (_config: unknown, _request: Request, refusal: Response): Response => refusal
