// The address of the service as clients see it: for links, and for examples.

import type { Config } from '../../../config/all-settings.ts'
import { recordOf } from './request-record.ts'

export interface Place {
  /** Without a slash at the end. */
  baseUrl: string
  /** The path of `baseUrl`: empty, unless the service is reached under one. */
  root: string
  timeZone: string
}

/** BASE_URL; without it, the address of the request. */
export function placeOf(config: Config, request: Request): Place {
  const baseUrl = config.baseUrl === '' ? askedOrigin(request) : config.baseUrl
  return { baseUrl, root: new URL(baseUrl).pathname.replace(/\/$/, ''), timeZone: config.timeZone }
}

function askedOrigin(request: Request): string {
  return `${recordOf(request).origin.https ? 'https' : 'http'}://${new URL(request.url).host}`
}
