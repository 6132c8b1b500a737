// The exports of @tributary/client.

export type * from './api-types.ts'
export type { RetryOptions } from './attempts.ts'
export { ForeignAnswer, GaveUp, NotNow, RequestRefused, Unreachable } from './client-errors.ts'
export type { ChangesOptions, ClientOptions, StepOptions, WalkFilters, WalkOptions } from './client-options.ts'
export type * from './client-results.ts'
export { TributaryClient } from './tributary-client.ts'
export { BrokenPage, type PageEnd } from './whole-page.ts'
