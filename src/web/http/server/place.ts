// The address of the service as clients see it, for links and examples.

import type { Config } from '../../../config/all-settings.ts'
import { recordOf } from './request-record.ts'

export interface Place {
  /** Without a trailing slash. */
  baseUrl: string
  /** The path of `baseUrl`; empty unless the service runs below a path. */
  root: string
  timeZone: string
}

/** BASE_URL, or else the origin of the request. */
export function placeOf(config: Config, request: Request): Place {
  const baseUrl = config.baseUrl === '' ? originOf(request) : config.baseUrl
  return { baseUrl, root: new URL(baseUrl).pathname.replace(/\/$/, ''), timeZone: config.timeZone }
}

function originOf(request: Request): string {
  return `${recordOf(request).origin.https ? 'https' : 'http'}://${new URL(request.url).host}`
}
