// The interface of a format: how clients ask for it, and its framing: the text around a page's applications, and the rendering of each.

import type { ExportProfile, KeyMap } from '../../../domain/questions/key-map.ts'
import type { VersionFill } from '../../../domain/questions/version-fill.ts'
import type { StoredRow } from './splice.ts'

/** The questions of a walk: all of them, and those of each program version. */
export interface WalkQuestions {
  keyMap: KeyMap
  shapes: ReadonlyMap<number, KeyMap>
  /** What is copied from an origin may be as its code has it. */
  profile?: ExportProfile
  /** The shapes that texts are stored in, where less is shown: see `cut-text`. */
  stored?: ReadonlyMap<number, KeyMap>
}

/** A stored row, and the program version it was submitted to. */
export interface VersionedRow extends StoredRow {
  programVersionId: number
  /** On a page of the change feed: its place there, from 1. */
  submitSeq?: number
}

/** Turns stored rows into bytes of the page. */
export interface RowWriter {
  /**
   * Writes a row into `target` at `offset`, and returns the offset after it, or -1 when it may not fit. `target` must not overlap the row.
   * `index` is how many rows of the page come before it; a row may be written again, and those after it then are, too.
   */
  write(target: Buffer, offset: number, row: VersionedRow, fill: VersionFill, index?: number): number
  /** Bytes in which a row surely fits. */
  bytes(row: VersionedRow, fill: VersionFill): number
}

/** The layout of a page. Its end must prove to a reader that the page is complete (contract G9). */
export interface PageFraming {
  opening: Buffer
  rows: RowWriter
  /** Between two applications. */
  between: Buffer
  /** Whether it ends with a digest of the bytes before, which is computed while the page is sent. */
  isDigested?: true
  /**
   * After the last one; with the token of the next page, or null when none follows, and how many applications the page has. `digest`
   * is the SHA-256 in hexadecimal of the page up to here and this text; of a framing that is digested.
   */
  end(nextPageToken: string | null, applications: number, digest: (text: string) => string): string
}

/** A format of an export: how clients ask for it and what they read about it, and its pages. */
export interface PageFormat {
  /** Its media type, and other names of it: it is sent as the one that is asked for. */
  types: readonly [string, ...string[]]
  /** Parameters that the type is sent with, such as `; charset=utf-8`. */
  parameters: string
  /** For OpenAPI, of a page that is not JSON. */
  description?: string
  framing(questions: WalkQuestions): PageFraming
}
