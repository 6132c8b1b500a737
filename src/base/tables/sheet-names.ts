// Sheet names that spreadsheet programs accept, and the names of their files.

import { shortName } from './short-name.ts'

/** In UTF-16 units. Source: Excel specifications and limits. */
const sheetNameMax = 31

/** Keeps names unique even if case is ignored: `jobs` after `Jobs` becomes `jobs (2)`. */
export class UniqueNames {
  readonly #taken = new Set<string>()

  constructor(private readonly lengthMax = sheetNameMax) {}

  /** The name without characters that Excel rejects, cut to fit, with a number if it is taken. */
  take(wanted: string): string {
    // Excel reserves “History”.
    const allowed = wanted.replaceAll(/[:\\/?*[\]\p{Cc}]/gu, ' ').replaceAll(/^[' ]+|[' ]+$/g, '')
    const name = allowed === '' || allowed.toLowerCase() === 'history' ? `Sheet ${allowed}`.trim() : allowed
    for (let nth = 1; ; nth++) {
      const end = nth === 1 ? '' : ` (${nth})`
      const cut =
        name
          .slice(0, this.lengthMax - end.length)
          .toWellFormed()
          .replace(/\ufffd$/, '')
          .trimEnd() + end
      const key = cut.normalize('NFC').toLowerCase()
      if (this.#taken.has(key)) continue
      this.#taken.add(key)
      return cut
    }
  }
}

/** File systems allow 255 bytes. */
export const fileName = (name: string): string => shortName(name, 200)
