// The client's options, and the check for unknown ones.

import { type ExportParameters, exportFilters } from './api-types.ts'
import type { RetryOptions } from './attempts.ts'

export interface ClientOptions extends RetryOptions {
  /** The service's address, such as `https://apply.example.gov`. Plain HTTP is for loopback only. */
  baseUrl: string
  /** Username of the API key. */
  username: string
  password: string
  /** How long a connection may send nothing before it counts as broken; 90 seconds by default. */
  silenceMs?: number
  /** Maximum duration of a response, however steadily it arrives; an hour by default. */
  answerMs?: number
  fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** null is the same as omitting it. The client chooses the format. */
export type WalkFilters = {
  [Name in keyof Omit<ExportParameters, 'format' | 'pageSize' | 'nextPageToken'>]:
    | ExportParameters[Name]
    | (Name extends `${string}Date` ? Date : never)
    | null
}

export interface WalkOptions extends WalkFilters {
  /** Maximum applications per page; the service's maximum by default. A page is held in memory. */
  pageSize?: number
  signal?: AbortSignal
}

export interface StepOptions extends WalkOptions {
  /** Continues a walk at the page of this token, with the walk's filters. */
  nextPageToken?: string
}

export interface ChangesOptions {
  /** Maximum changes per page; the service's maximum by default. */
  pageSize?: number
  /**
   * Waits for changes when none are left, and never ends. Without it, the walk over changes ends with the existing ones. Seconds that one request may
   * wait: the service allows up to 30.
   */
  waitSeconds?: number
  /** Includes with each change its application, which may be newer than the change; `fields` selects from its questions. A page is held in memory. */
  include?: 'application'
  fields?: string
  /** `current` for the questions of the newest published version. */
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

/** Without types, a misspelt filter would be ignored, and more sent than was requested. */
export function requireKnown(options: object, known: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(options).find(name => !Object.hasOwn(known, name))
  if (unknown !== undefined)
    throw new TypeError(`Unknown option ${unknown}. The options are ${Object.keys(known).join(', ')}.`)
}
