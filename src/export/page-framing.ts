// What a page has around its applications. Another format of export is another framing; which one is asked for is decided elsewhere.

/** How applications stand in a page. From `end`, a reader must be able to tell that the page is whole (contract G9). */
export interface PageFraming {
  opening: Buffer
  /** Between two applications. */
  between: Buffer
  /** After the last one; with the token of the next page, or null when none follows. */
  end(nextPageToken: string | null): string
}
