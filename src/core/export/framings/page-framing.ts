// The interface of an export format: its media types, and its framing, which renders the applications and the text around them.

import type { ExportProfile, KeyMap } from '../../../domain/questions/key-map.ts'
import type { VersionFill } from '../../../domain/questions/version-fill.ts'
import type { StoredRow } from './splice.ts'

/** The questions of a walk: all of them, and those of each version. */
export interface WalkQuestions {
  keyMap: KeyMap
  shapes: ReadonlyMap<number, KeyMap>
  /** Copied applications can have the form of the system they come from. */
  profile?: ExportProfile
  /** The shapes of stored texts, if part of them is hidden: see `cut-text`. */
  stored?: ReadonlyMap<number, KeyMap>
}

/** A stored row, and the program version it was submitted to. */
export interface VersionedRow extends StoredRow {
  programVersionId: number
  /** Position on a page of the change feed, from 1. */
  submitSeq?: number
}

/** Turns stored rows into bytes of the page. */
export interface RowWriter {
  /**
   * Writes a row into `target` at `offset` and returns the offset after it, or -1 if it may not fit. `target` must not overlap the row.
   * `index` is the number of rows before it on the page. A row can be written again, followed by the rows after it.
   */
  write(target: Buffer, offset: number, row: VersionedRow, fill: VersionFill, index?: number): number
  /** Upper bound of a row's bytes. */
  bytes(row: VersionedRow, fill: VersionFill): number
}

/** Layout of a page. Its end, or the headers of an announced page, must prove to readers that the page is complete (contract G9). */
export interface PageFraming {
  opening: Buffer
  rows: RowWriter
  /** Separator between two applications. */
  between: Buffer
  /** Whether the page ends with a digest of its bytes, computed while it is sent. */
  isDigested?: true
  /** Whether the response headers announce how many applications the page has and the token of the next one, because it has no place for them. */
  isAnnounced?: true
  /**
   * Text after the last application, with the next page token or null and the number of applications. For a digested framing, `digest`
   * returns the hexadecimal SHA-256 of the page so far and the given text.
   */
  end(nextPageToken: string | null, applications: number, digest: (text: string) => string): string
}

/** An export format: media types, description and framing. */
export interface PageFormat {
  /** Media type and its aliases. The response has the one requested. */
  types: readonly [string, ...string[]]
  /** Parameters of the media type, such as `; charset=utf-8`. */
  parameters: string
  /** Its number in page tokens, from 1 to 7, never that of a removed format. */
  inToken: number
  /** Whether only the parameter `format` selects it, never the Accept header. */
  isByNameOnly?: true
  /** In OpenAPI, for a format other than JSON: describes a page, or the value of the parameter if only that selects the format. */
  description?: string
  framing(questions: WalkQuestions): PageFraming
}
