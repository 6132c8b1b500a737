// Takes a page apart while it arrives: an application a line, each as soon as its end is there, and a last line that makes the page whole.
//
// Lines, because their ends are found at the speed of memory. To find the ends of applications in a JSON page, every byte must be
// looked at, which took twice the time of parsing them. A page that is cut between two lines looks like a shorter one, so a line is
// handed over only when another follows: the last one must say whether another page comes, and how many applications this one had.

/** A page that cannot be whole: it broke off, or it is not what was promised. */
export class BrokenPage extends Error {
  override name = 'BrokenPage'
}

/** What a page says besides its applications. */
export interface PageEnd {
  nextPageToken: string | null
  /** How many applications the page had. */
  applications: number
}

/** Most bytes of one line. */
const lineBytesMax = 64 * 1024 * 1024
const lineFeed = 0x0a

export class PageLines {
  /** Pieces of the line that has begun, from chunks before this one. */
  private pieces: Uint8Array[] = []
  private pieceBytes = 0
  /** The last line that is whole: an application if another follows. */
  private held: Uint8Array | undefined
  private applications = 0

  /** The applications of which this chunk shows that they are some, each as its bytes. They are parts of the chunk where they can be. */
  push(chunk: Uint8Array): Uint8Array[] {
    const done: Uint8Array[] = []
    let from = 0
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
      if (this.held !== undefined) done.push(this.held)
      this.held = this.whole(chunk.subarray(from, at))
      from = at + 1
    }
    if (from < chunk.length) this.keepPiece(new Uint8Array(chunk.subarray(from)))
    // The chunk may be written over before the next one comes. Not by `slice`, which copies nothing of a Buffer.
    if (from > 0 && this.held !== undefined) this.held = new Uint8Array(this.held)
    this.applications += done.length
    return done
  }

  /** After the last chunk. Throws BrokenPage unless the page is whole. */
  end(): PageEnd {
    if (this.held === undefined || this.pieces.length > 0) throw new BrokenPage('The page broke off.')
    const { nextPageToken, count } = lastLine(this.held)
    if (nextPageToken !== null && typeof nextPageToken !== 'string')
      throw new BrokenPage('The page broke off, or does not say whether another follows.')
    if (count !== this.applications)
      throw new BrokenPage(`The page had ${this.applications} applications, and says that it has ${String(count)}.`)
    return { nextPageToken, applications: this.applications }
  }

  private whole(last: Uint8Array): Uint8Array {
    if (this.pieces.length === 0) return last
    const line = new Uint8Array(this.pieceBytes + last.length)
    let at = 0
    for (const piece of [...this.pieces, last]) {
      line.set(piece, at)
      at += piece.length
    }
    this.pieces = []
    this.pieceBytes = 0
    return line
  }

  private keepPiece(piece: Uint8Array): void {
    this.pieces.push(piece)
    this.pieceBytes += piece.length
    if (this.pieceBytes > lineBytesMax)
      throw new BrokenPage(`The page has an application of more than ${lineBytesMax} bytes.`)
  }
}

function lastLine(line: Uint8Array): { nextPageToken?: unknown; count?: unknown } {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    throw new BrokenPage('The page broke off, or is not made of lines of JSON.')
  }
}
