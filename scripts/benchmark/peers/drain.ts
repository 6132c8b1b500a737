// Requests rows from PostgreSQL and discards them: the minimum any client on Bun must do, and so the reference for all others. Takes a
// DrainRequest as JSON and prints an array of DrainRun. Parses nothing but the end of the data.

export interface DrainRequest {
  address: { unix: string } | { hostname: string; port: number }
  user: string
  database: string
  /** Runs once before all others. */
  prepare: string
  statement: string
  repeats: number
}

/** A transfer whose bytes are discarded: milliseconds from the request to the first bytes, and to the end. */
export interface Transfer {
  firstByteMs: number
  wallMs: number
  bytes: number
}

export interface DrainRun extends Transfer {
  rows: number
}

/** Enough for the last messages of a response: the number of rows or the error, and that the server is ready (`Z`). */
const endBytes = 512
const ready = Buffer.from('Z\0\0\0\x05I', 'latin1')

async function drain({ address, user, database, prepare, statement, repeats }: DrainRequest): Promise<DrainRun[]> {
  let end: Uint8Array = Buffer.alloc(0)
  let bytes = 0
  let firstByteAt = 0
  let answered = Promise.withResolvers<void>()
  const socket = await Bun.connect({
    ...address,
    socket: {
      data: (_, chunk) => {
        firstByteAt ||= performance.now()
        bytes += chunk.length
        end = (chunk.length < endBytes ? Buffer.concat([end, chunk]) : chunk).subarray(-endBytes)
        // No text that PostgreSQL stores has a zero byte, so nothing else ends like this.
        if (ready.equals(end.subarray(-ready.length))) answered.resolve()
      },
      close: () => answered.reject(new Error('the server closed the connection')),
    },
  } as Bun.TCPSocketConnectOptions)
  const ask = async (message: Buffer): Promise<DrainRun> => {
    answered = Promise.withResolvers()
    ;[end, bytes, firstByteAt] = [Buffer.alloc(0), 0, 0]
    const askedAt = performance.now()
    socket.write(message)
    await answered.promise
    const wallMs = performance.now() - askedAt
    const received = Buffer.from(end).toString('latin1')
    // A statement, a `prepare`, or the start of the session; otherwise the server has sent an error.
    const rows = /C\0\0\0.(?:SELECT ([0-9]+)|PREPARE)\0Z|K\0\0\0\f.{8}Z/s.exec(received)
    if (rows === null) throw new Error(`PostgreSQL reported: ${received}`)
    return { firstByteMs: firstByteAt - askedAt, wallMs, rows: Number(rows[1]), bytes }
  }
  await ask(message('', `\0\x03\0\0user\0${user}\0database\0${database}\0application_name\0bench-drain\0`))
  await ask(message('Q', prepare))
  await ask(message('Q', statement))
  const runs: DrainRun[] = []
  for (let i = 0; i < repeats; i++) runs.push(await ask(message('Q', statement)))
  return runs
}

/** A message of PostgreSQL's protocol: its type, its length, and a text with a zero byte. The first message of a session has no type. */
function message(type: string, text: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(Buffer.byteLength(text) + 5)
  return Buffer.concat([Buffer.from(type), length, Buffer.from(`${text}\0`)])
}

if (import.meta.main) {
  console.log(JSON.stringify(await drain(JSON.parse(process.argv[2]!) as DrainRequest)))
  process.exit(0)
}
