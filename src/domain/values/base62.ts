// Encodes bytes as digits and letters, with exactly one text for each sequence of bytes.

/** In the order of their values. */
export const base62Alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const alphabetBytes = Buffer.from(base62Alphabet)
const values = new Map([...base62Alphabet].map((character, value) => [character, value]))

/** As many characters as one division of a big integer yields: 62^8 is still exact as a number. */
const chunkLength = 8
const chunkBase = 62n ** BigInt(chunkLength)

/** The number of characters for this many bytes. It is fixed, so text of another length is rejected without reading it. */
export function base62Length(byteLength: number): number {
  return Math.ceil((byteLength * 8) / Math.log2(62))
}

/** The bytes as one big-endian number in base 62, padded with zeros to `base62Length`. About 10 µs for 150 bytes. */
export function encodeBase62(bytes: Uint8Array): string {
  let rest = BigInt(`0x0${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`)
  const text = Buffer.alloc(base62Length(bytes.length))
  for (let end = text.length; end > 0; end -= chunkLength) {
    const next = rest / chunkBase
    let chunk = Number(rest - next * chunkBase)
    rest = next
    for (let i = end - 1; i >= Math.max(0, end - chunkLength); i--) {
      text[i] = alphabetBytes[chunk % 62]!
      chunk = Math.floor(chunk / 62)
    }
  }
  return text.toString('latin1')
}

/** The reverse: exactly `byteLength` bytes, or undefined for a text that `encodeBase62` never returns for that length. */
export function decodeBase62(text: string, byteLength: number): Buffer | undefined {
  if (text.length !== base62Length(byteLength)) return undefined
  let number = 0n
  for (let at = 0; at < text.length; at += chunkLength) {
    const piece = text.slice(at, at + chunkLength)
    let chunk = 0
    for (const character of piece) {
      const value = values.get(character)
      if (value === undefined) return undefined
      chunk = chunk * 62 + value
    }
    number = number * 62n ** BigInt(piece.length) + BigInt(chunk)
  }
  const hex = number.toString(16).padStart(byteLength * 2, '0')
  // Some texts of the right length represent a number that the bytes cannot hold.
  return hex.length === byteLength * 2 ? Buffer.from(hex, 'hex') : undefined
}
