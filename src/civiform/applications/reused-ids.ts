// A database restored to an earlier state issues the same IDs again, and an old draft may be submitted again. An ID alone therefore doesn't
// identify a submission, but its ID and submission time do, and that time never becomes later.

import type { Micros } from '../../domain/values/offset-time.ts'
import type { KnownApplication } from '../db/followed-applications.ts'

/** Whether the application with this ID, submitted at `now`, is not the one known under it. */
export const isReusedId = (known: { submitted_at: Micros | null }, now: Micros | null): boolean =>
  known.submitted_at !== null && now !== null && now > known.submitted_at

/**
 * Whether to copy an application: it was unknown, is another one, or had been deleted there and exists again. An application that was only erased
 * here stays erased.
 */
export const isToCopy = (known: KnownApplication | undefined, now: Micros | null): boolean =>
  known === undefined || known.deleted_there || isReusedId(known, now)
