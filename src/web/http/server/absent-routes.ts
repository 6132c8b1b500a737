// Responses of an export-only service in place of intake and console.

import { Elysia } from 'elysia'
import { Problem } from '../../../base/problem.ts'
import { hiddenRoute } from '../openapi/route-detail.ts'

/** Not 404: at intake that would mean that no such applicant exists. */
function absent(): never {
  throw new Problem('unavailable', {
    detail: 'This instance only exports. Submissions and the console are at another one.',
    retryAfterSeconds: 60,
    internal: 'export_only',
  })
}

const unread = { ...hiddenRoute, parse: 'none' } as const

export const absentIntake = () => new Elysia({ name: 'absent-intake' }).all('/intake/*', absent, unread)

export const absentConsole = () =>
  new Elysia({ name: 'absent-console' }).all('/admin', absent, unread).all('/admin/*', absent, unread)
