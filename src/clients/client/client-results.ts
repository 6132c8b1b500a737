// What the client returns: applications by page, changes, receipts and the programs of a key.

import type { Application } from './api-types.ts'
import type { PageEnd } from './whole-page.ts'

/** The end of a page, and the facts of its walk. */
export interface WalkedPage extends PageEnd {
  /**
   * Only on the walk's first page: the next `fromDate`, to get everything submitted since. During a bulk load, the walk already has some of that: to
   * get nothing twice, first request a page with one application, and walk with its `snapshotTime` as `toDate`.
   */
  snapshotTime: string | undefined
  /** On the walk's first page only: identifies the walk when its receipt is requested. */
  walkToken: string | undefined
  /** On the walk's first page only: the cursor from which the change feed continues after the walk. */
  changeCursor: string | undefined
  /** On the walk's first page only: the publication whose questions it contains. If changes report a different one, start a new walk. */
  questionsAsOf: string | undefined
}

/**
 * All applications of a page as they arrived, each as the bytes of its JSON, and together in `bytes`, each followed by a line feed; then the
 * end of the page. The bytes are only valid until the next page: copy what you keep.
 */
export type WalkStep =
  | { applications: readonly Uint8Array[]; bytes: Uint8Array; page?: undefined }
  | { page: WalkedPage }

export interface WalkReceipt {
  /** Number of applications in the walk that still exist. */
  applications: number
  /** SHA-256 over their IDs in the order of the walk, each in decimal digits followed by a line feed. */
  sha256: string
  /** Erased after the walk began and not counted, though its pages may have contained them. */
  erased_application_ids: readonly number[]
}

/** A change to an application, with only the members of its kind; more kinds may be added. */
export interface Change<P = Application> {
  change: number
  kind: 'submitted' | 'superseded' | 'status' | 'note' | 'erased' | (string & {})
  application_id: number
  time: string | null
  superseded_by?: number | null
  status?: string | null
  application_note?: string | null
  /** With `include`, for `submitted`, `status` and `note`: as in a walk that begins now. */
  application?: P
}

export interface ChangesPage<P = Application> {
  payload: readonly Change<P>[]
  /** The cursor to continue from: store it together with the results of this page. */
  nextCursor: string
  hasMore: boolean
  /** The values of a walk that starts now. */
  snapshotTime: string
  changeCursor: string
  questionsAsOf: string | null
}

export interface ReadablePrograms {
  /** The same at every address of one service. */
  installation_id: string
  payload: readonly { program_name: string; applications: number }[]
}
