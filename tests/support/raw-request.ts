// One HTTP request written byte by byte, for what fetch would tidy up: repeated header lines, odd Host headers.

export interface RawAnswer {
  status: number
  headers: Headers
  /** As received, in that order. */
  headerLines: string[]
  /** As received; a chunked body keeps its chunk sizes. */
  body: string
}

/** Sends the lines unchanged, with `Connection: close` added, and reads until the server closes. With `tls`, any certificate is accepted. */
export async function rawRequest(port: number, lines: readonly string[], { tls = false } = {}): Promise<RawAnswer> {
  const chunks: Buffer[] = []
  const closed = Promise.withResolvers<void>()
  await Bun.connect({
    hostname: '127.0.0.1',
    port,
    ...(tls && { tls: { rejectUnauthorized: false } }),
    socket: {
      open: socket => void socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`),
      data: (_, chunk) => void chunks.push(Buffer.from(chunk)),
      close: () => closed.resolve(),
      error: (_, error) => closed.reject(error),
    },
  })
  await closed.promise
  const text = Buffer.concat(chunks).toString()
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...fields] = text.slice(0, end).split('\r\n')
  const headers = new Headers(
    fields.map(field => [field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 1).trim()]),
  )
  return { status: Number(statusLine.split(' ')[1]), headers, headerLines: fields, body: text.slice(end + 4) }
}
