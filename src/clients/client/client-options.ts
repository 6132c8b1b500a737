// The client's options, and the check for unknown ones.

import { type ExportParameters, exportFilters } from './api-types.ts'
import type { RetryOptions } from './attempts.ts'

export interface ClientOptions extends RetryOptions {
  /** Where the service is, such as `https://apply.example.gov`. Plain HTTP is for loopback only. */
  baseUrl: string
  /** Username of the API key. */
  username: string
  password: string
  /** How long a connection may say nothing before it counts as broken; 90 seconds unless given. */
  silenceMs?: number
  /** How long one answer may take in all, however steadily it comes; an hour unless given. */
  answerMs?: number
  fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** null is as good as leaving it out. The client chooses the format. */
export type WalkFilters = {
  [Name in keyof Omit<ExportParameters, 'format' | 'pageSize' | 'nextPageToken'>]:
    | ExportParameters[Name]
    | (Name extends `${string}Date` ? Date : never)
    | null
}

export interface WalkOptions extends WalkFilters {
  /** Applications on a page at most; the maximum of the service unless given. A page is held in memory. */
  pageSize?: number
  signal?: AbortSignal
}

export interface StepOptions extends WalkOptions {
  /** Continues with a walk, at the page of this token; filters are then those it began with. */
  nextPageToken?: string
}

export interface ChangesOptions {
  /** Changes on a page at most; the maximum of the service unless given. */
  pageSize?: number
  /**
   * Waits for changes when none are left, and never ends by itself. Without it, the walk over changes ends with those that exist
   * now. Seconds that one request may wait: 30 is as much as the service grants.
   */
  waitSeconds?: number
  /** With each change its application, which may be newer than the change; `fields` chooses of its questions. A page is held in memory. */
  include?: 'application'
  fields?: string
  /** `current` for those of the newest published version. */
  questions?: 'current'
  signal?: AbortSignal
}

export const clientOptions: Record<keyof Required<ClientOptions>, true> = {
  baseUrl: true,
  username: true,
  password: true,
  silenceMs: true,
  answerMs: true,
  fetch: true,
  retriesMax: true,
  waitMs: true,
  waitMsMax: true,
  onRetry: true,
}
export const filterNames = [...Object.keys(exportFilters), 'fields', 'questions'] as (keyof WalkFilters)[]
export const stepOptions: Record<keyof Required<StepOptions>, unknown> = {
  ...exportFilters,
  fields: true,
  questions: true,
  pageSize: true,
  nextPageToken: true,
  signal: true,
}
export const changesOptions: Record<keyof Required<ChangesOptions>, true> = {
  pageSize: true,
  waitSeconds: true,
  include: true,
  fields: true,
  questions: true,
  signal: true,
}

/** Without types a misspelt filter would be left out, and more be sent than was asked for. */
export function requireKnown(options: object, known: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(options).find(name => !Object.hasOwn(known, name))
  if (unknown !== undefined)
    throw new TypeError(`Unknown option ${unknown}. The options are ${Object.keys(known).join(', ')}.`)
}
