// The exports of @tributary/client.

export type * from './api-types.ts'
export type { RetryOptions } from './attempts.ts'
export { ForeignAnswer, GaveUp, NotNow, RequestRefused, Unreachable } from './client-errors.ts'
export * from './tributary-client.ts'
export { BrokenPage, type PageEnd } from './whole-page.ts'
