// Takes a page apart while it arrives: each application as soon as its last byte is there, and at the end what stands around them.
//
// It looks for strings and brackets only, so it is fast. It is exact all the same: what stands around the applications is kept as
// a text with a 0 in place of each, which must parse as the page that the service promises; and each application is parsed by
// its reader. A page that was cut short, or has anything wrong in it, is never taken for a whole one.

/** A page that cannot be whole: it broke off, or it is not the JSON that was promised. */
export class BrokenPage extends Error {
  override name = 'BrokenPage'
}

/** What a page says besides its applications. */
export interface PageEnd {
  nextPageToken: string | null
  /** How many applications the page had. */
  applications: number
  /** Every member of the page but `payload`, as it came. */
  members: Readonly<Record<string, unknown>>
}

/** Most bytes of one application, and of all that stands around them. */
const applicationBytesMax = 64 * 1024 * 1024
const aroundBytesMax = 64 * 1024 * 1024

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

export class PageScanner {
  private depth = 0
  private inString = false
  private escaped = false
  /** Within the list of applications, whose members are at depth 2. */
  private inPayload = false
  private inApplication = false
  /** Pieces of the application that has begun, from chunks before this one. */
  private pieces: Uint8Array[] = []
  private pieceBytes = 0
  private around = ''
  private applications = 0
  private readonly decoder = new TextDecoder('utf-8', { fatal: true })

  /** The applications that end in this chunk, each as its bytes. They are parts of the chunk where they can be. */
  push(chunk: Uint8Array): Uint8Array[] {
    const done: Uint8Array[] = []
    // Where the application, or what stands around applications, begins in this chunk.
    let from = 0
    let { depth, inString, escaped, inApplication } = this
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!
      if (inString) {
        if (escaped) escaped = false
        else if (byte === backslash) escaped = true
        else if (byte === quote) inString = false
        continue
      }
      if (this.inPayload && depth === 2) {
        if (inApplication && (byte === comma || byte === closeBracket || isSpace(byte))) {
          done.push(this.whole(chunk.subarray(from, i)))
          inApplication = false
          from = i
        } else if (!inApplication && byte !== comma && byte !== closeBracket && !isSpace(byte)) {
          this.keepAround(chunk.subarray(from, i), '0')
          inApplication = true
          from = i
        }
      }
      if (byte === quote) inString = true
      else if (byte === openBrace || byte === openBracket) {
        depth++
        if (depth === 2 && byte === openBracket) {
          this.keepAround(chunk.subarray(from, i + 1))
          from = i + 1
          this.inPayload = /"payload"\s*:\s*\[$/.test(this.around)
        }
      } else if (byte === closeBrace || byte === closeBracket) {
        depth--
        if (depth === 1) this.inPayload = false
      }
    }
    if (inApplication) this.keepPiece(chunk.slice(from))
    else this.keepAround(chunk.subarray(from))
    Object.assign(this, { depth, inString, escaped, inApplication })
    return done
  }

  /** After the last chunk. Throws BrokenPage unless the page is whole. */
  end(): PageEnd {
    const broken = (what: string): BrokenPage => new BrokenPage(`The page ${what}.`)
    if (this.inApplication || this.depth !== 0) throw broken('broke off')
    let page: Record<string, unknown>
    try {
      page = JSON.parse(this.around)
    } catch {
      throw broken(this.around.trim() === '' ? 'is empty' : 'broke off, or is not JSON')
    }
    const { payload, ...members } = page
    const { nextPageToken } = members
    if (!Array.isArray(payload) || payload.length !== this.applications) throw broken('has no list of applications')
    if (nextPageToken !== null && typeof nextPageToken !== 'string')
      throw broken('does not say whether another follows')
    return { nextPageToken, applications: this.applications, members }
  }

  private whole(last: Uint8Array): Uint8Array {
    this.applications++
    if (this.pieces.length === 0) return last
    const text = new Uint8Array(this.pieceBytes + last.length)
    let at = 0
    for (const piece of [...this.pieces, last]) {
      text.set(piece, at)
      at += piece.length
    }
    this.pieces = []
    this.pieceBytes = 0
    return text
  }

  private keepPiece(piece: Uint8Array): void {
    this.pieces.push(piece)
    this.pieceBytes += piece.length
    if (this.pieceBytes > applicationBytesMax)
      throw new BrokenPage(`The page has an application of more than ${applicationBytesMax} bytes.`)
  }

  private keepAround(bytes: Uint8Array, instead = ''): void {
    try {
      this.around += this.decoder.decode(bytes, { stream: true }) + instead
    } catch {
      throw new BrokenPage('The page is not UTF-8.')
    }
    if (this.around.length > aroundBytesMax)
      throw new BrokenPage(`The page has more than ${aroundBytesMax} bytes around its applications.`)
  }
}
