// Reads CSV as spreadsheets write it (RFC 4180): UTF-8 or UTF-16, with or without a byte order mark, separated by commas, semicolons or tabs.

/** The text of a file in UTF-8 or, with a byte order mark, in UTF-16. Undefined for other bytes. */
export function decodeText(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The separator of most fields in the first record. */
function separatorOf(text: string): string {
  const [first = ''] = text.replaceAll(/"(?:[^"]|"")*"/g, '').split(/\r?\n|\r/)
  const counts = [',', ';', '\t'].map(separator => [separator, first.split(separator).length] as const)
  return counts.reduce((best, count) => (count[1] > best[1] ? count : best))[0]
}

/** Records of a CSV text, without empty lines and with any line endings; undefined if a quote is never closed. */
export function csvRecords(text: string): string[][] | undefined {
  const content = text.replace(/^\ufeff/, '')
  const separator = separatorOf(content)
  const records: string[][] = []
  let record: string[] = []
  let at = 0
  while (at < content.length) {
    let field = ''
    if (content[at] === '"') {
      const end = closingQuote(content, at + 1)
      if (end === -1) return undefined
      field = content.slice(at + 1, end).replaceAll('""', '"')
      at = end + 1
    }
    const stop = nextOf(content, at, separator)
    field += content.slice(at, stop)
    record.push(field)
    at = stop + 1
    if (content[stop] === separator && at < content.length) continue
    if (content[stop] === separator) record.push('')
    if (content[stop] === '\r' && content[at] === '\n') at++
    if (record.some(value => value !== '')) records.push(record)
    record = []
  }
  return records
}

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at
  return -1
}

function nextOf(text: string, from: number, separator: string): number {
  let at = from
  while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at++
  return at
}
