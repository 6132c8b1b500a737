// The few messages of PostgreSQL's protocol (version 3) that a client needs which asks and does not listen.
// Pure: bytes in, bytes out.

/** Begins a session of a user on a database, on a server that trusts it. */
export function startupMessage(user: string, database: string): Buffer {
  const text = Buffer.from(`user\0${user}\0database\0${database}\0application_name\0bench-drain\0\0`)
  const message = Buffer.alloc(8 + text.length)
  message.writeInt32BE(message.length, 0)
  message.writeInt32BE(196_608, 4)
  text.copy(message, 8)
  return message
}

/** Prepares a statement under a name and asks for an answer. */
export function prepareMessages(name: string, statement: string): Buffer {
  return Buffer.concat([framed('P', Buffer.from(`${name}\0${statement}\0`), int16(0)), framed('S')])
}

/** Runs a prepared statement to its end, every column in binary (for text, that is the text itself), and asks for an answer. */
export function executeMessages(name: string, parameters: readonly (string | number)[]): Buffer {
  const values = parameters.flatMap(parameter => {
    const text = Buffer.from(String(parameter))
    return [int32(text.length), text]
  })
  return Buffer.concat([
    framed('B', Buffer.from(`\0${name}\0`), int16(0), int16(parameters.length), ...values, int16(1), int16(1)),
    framed('E', Buffer.from('\0'), int32(0)),
    framed('S'),
  ])
}

/** What came in since the last `take`, as far as it is looked at: the heads of messages, never what is in them. */
export class MessageCounter {
  rows = 0
  bytes = 0
  /** The server has answered all that was asked. */
  ready = false
  /** The server's own words, had it a complaint. */
  error: string | undefined
  /** Bytes of the message under way that are still to come. */
  #left = 0
  /** A head that arrived in two pieces. */
  #head = Buffer.alloc(5)
  #headBytes = 0

  /** Steps through `count` bytes from message to message. */
  take(chunk: Buffer, count: number): void {
    this.bytes += count
    let at = 0
    while (at < count) {
      if (this.#left > 0) {
        const step = Math.min(this.#left, count - at)
        this.#left -= step
        at += step
        continue
      }
      if (this.#headBytes === 0 && count - at >= 5) {
        this.#begin(chunk[at]!, chunk.readInt32BE(at + 1), chunk, at + 5, count)
        at += 5
        continue
      }
      this.#head[this.#headBytes++] = chunk[at++]!
      if (this.#headBytes === 5) {
        this.#headBytes = 0
        this.#begin(this.#head[0]!, this.#head.readInt32BE(1), chunk, at, count)
      }
    }
  }

  #begin(type: number, length: number, chunk: Buffer, bodyAt: number, count: number): void {
    this.#left = length - 4
    if (type === 0x44) this.rows++
    else if (type === 0x5a) this.ready = true
    else if (type === 0x45) {
      const body = chunk.toString('utf8', bodyAt, Math.min(count, bodyAt + length - 4))
      this.error =
        body
          .split('\0')
          .find(field => field.startsWith('M'))
          ?.slice(1) ?? 'the server refused'
    }
  }
}

function framed(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
