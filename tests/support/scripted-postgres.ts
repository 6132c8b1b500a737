// A server that speaks PostgreSQL's protocol and answers as each statement says of itself, in pieces and with cuts as scripted:
// for what happens on a connection that no real server does at will. Over TCP, or TLS as PostgreSQL begins it (SSLRequest).

import { createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { testCertificate } from './certificate.ts'

/** The response to a statement: this many rows of `<tag>:<i>:…`, or an error at a row. Written into its text by `scriptOf`. */
export interface Script {
  tag: string
  rows: number
  failsAt?: number | null
  /** In each row, besides its tag and number. */
  rowBytes?: number
  /** The transaction it belongs to. */
  transaction?: string
}

export const scriptOf = (script: Script): string => `script ${JSON.stringify(script)}`

export interface Delivery {
  /** Sizes of the chunks in which responses are sent, repeating the list. */
  pieceBytes: readonly number[]
  /** Number of response bytes after which each connection is ended, by its number from 0. */
  cutAfter: readonly (number | undefined)[]
  /** A reset, or the orderly close that a proxy makes of it. */
  cutBy: 'reset' | 'end'
}

export interface ScriptedPostgres {
  port: number
  delivery: Delivery
  made(): number
  open(): number
  /** Ends all open connections. */
  cut(): void
  /** Statements that arrived in a transaction they do not belong to, or in none. */
  strays: string[]
  /** The response to every statement from now on, instead of the one in its text. */
  refusal: { code: string; routine?: string } | undefined
  stop(): Promise<void>
}

export const wholeDelivery: Delivery = { pieceBytes: [65_536], cutAfter: [], cutBy: 'end' }

export async function startScriptedPostgres(options: { tls?: boolean } = {}): Promise<ScriptedPostgres> {
  const sockets = new Set<Socket>()
  let made = 0
  const server = createServer(raw => {
    sockets.add(raw)
    raw.on('close', () => sockets.delete(raw))
    raw.on('error', () => {})
    raw.setNoDelay(true)
    const number = made++
    if (!options.tls) {
      new Backend(raw, raw, scripted, number)
      return
    }
    raw.once('data', () => {
      raw.write('S')
      const secured = new TLSSocket(raw, { isServer: true, ...testCertificate })
      secured.on('error', () => {})
      new Backend(secured, raw, scripted, number)
    })
  })
  const scripted: ScriptedPostgres = {
    port: 0,
    delivery: wholeDelivery,
    made: () => made,
    open: () => sockets.size,
    cut: () => {
      for (const socket of sockets) socket.end()
    },
    strays: [],
    refusal: undefined,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  scripted.port = (server.address() as { port: number }).port
  return scripted
}

/** One connection: its requests, and how much of the responses has been sent. */
class Backend {
  #received = Buffer.alloc(0)
  #started = false
  #answers = Buffer.alloc(0)
  #sending = false
  #sent = 0
  #pieces = 0
  #statements = new Map<string, string>()
  #portal: { script: Script; at: number } | undefined
  /** After an error, everything is skipped up to the next Sync. */
  #skipping = false
  #transaction: { name: string | undefined; failed: boolean } | undefined

  constructor(
    private readonly socket: Socket,
    private readonly raw: Socket,
    private readonly server: ScriptedPostgres,
    private readonly number: number,
  ) {
    socket.on('data', chunk => this.#read(chunk as Buffer))
  }

  #read(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk])
    for (;;) {
      const head = this.#started ? 1 : 0
      if (this.#received.length < head + 4) return
      const length = head + this.#received.readInt32BE(head)
      if (this.#received.length < length) return
      const message = this.#received.subarray(0, length)
      this.#received = this.#received.subarray(length)
      if (this.#started) this.#handle(String.fromCharCode(message[0]!), message.subarray(5))
      else {
        this.#started = true
        this.#answer('R', int(0))
        this.#answer('K', int(this.number), int(1))
        this.#ready()
      }
    }
  }

  #handle(type: string, body: Buffer): void {
    const { refusal } = this.server
    if (type === 'S') {
      this.#skipping = false
      this.#portal = undefined
      this.#ready()
    } else if (this.#skipping) return
    else if (refusal !== undefined && (type === 'P' || type === 'Q')) {
      this.#fail(refusal.code, 'a secret value', refusal.routine)
      if (type === 'P') return
      this.#skipping = false
      this.#ready()
    } else if (type === 'P') {
      const [name = '', text = ''] = texts(body)
      this.#statements.set(name, text)
      this.#answer('1')
    } else if (type === 'Q') this.#query(texts(body)[0]!)
    else if (type === 'D') {
      this.#answer('t', short(/\$1/.test(this.#statements.get(texts(body)[0]!.slice(1)) ?? '') ? 1 : 0), int(23))
      this.#describe()
    } else if (type === 'B') {
      if (this.#bind(this.#statements.get(texts(body)[1]!) ?? '')) this.#answer('2')
    } else if (type === 'E') this.#execute(body.readInt32BE(body.indexOf(0) + 1))
    else if (type === 'C') this.#answer('3')
    else if (type === 'X') this.socket.end()
  }

  /** The response to a statement; notes one that should not have arrived here. Undefined in a failed transaction. */
  #scriptOf(text: string): Script | undefined {
    const silent: Script = { tag: '', rows: 0 }
    if (/^begin/.test(text)) {
      if (this.#transaction !== undefined) this.server.strays.push(text)
      this.#transaction = { name: undefined, failed: false }
      return silent
    }
    if (/^(commit|rollback)/.test(text)) {
      if (this.#transaction === undefined) this.server.strays.push(text)
      this.#transaction = undefined
      return silent
    }
    const script: Script = text.startsWith('script ') ? JSON.parse(text.slice(7).replace(/ \$1$/, '')) : silent
    if (this.#transaction !== undefined) this.#transaction.name ??= script.transaction
    if (script.transaction !== this.#transaction?.name) this.server.strays.push(text)
    return this.#transaction?.failed ? undefined : script
  }

  /** The simple protocol: everything at once, and ready afterwards, whatever the outcome. */
  #query(text: string): void {
    if (this.#bind(text)) {
      this.#describe()
      this.#execute(0)
    }
    this.#skipping = false
    this.#portal = undefined
    this.#ready()
  }

  #describe(): void {
    this.#answer('T', short(1), text('v'), int(0), short(0), int(25), short(-1), int(-1), short(0))
  }

  #bind(text: string): boolean {
    const script = this.#scriptOf(text)
    if (script === undefined) this.#fail('25P02', 'current transaction is aborted')
    else this.#portal = { script, at: 0 }
    return script !== undefined
  }

  #execute(rowsMax: number): void {
    const portal = this.#portal
    if (portal === undefined) {
      this.#fail('34000', 'there is no portal')
      return
    }
    const { tag, rows, failsAt, rowBytes } = portal.script
    let sent = 0
    for (; portal.at < rows && (rowsMax === 0 || sent < rowsMax); sent++) {
      const i = ++portal.at
      if (i === failsAt) {
        this.#fail('XX001', `${tag} fails`)
        return
      }
      const value = text(`${tag}:${i}:${'x'.repeat(rowBytes ?? 0)}`).subarray(0, -1)
      this.#answer('D', short(1), int(value.length), value)
    }
    // Like PostgreSQL: suspended when the requested rows have been sent, even if they were the last.
    if (rowsMax > 0 && sent === rowsMax) this.#answer('s')
    else this.#answer('C', text(`SELECT ${sent}`))
  }

  #fail(code: string, message: string, routine = 'scripted'): void {
    this.#skipping = true
    if (this.#transaction !== undefined) this.#transaction.failed = true
    this.#answer('E', text('SERROR'), text(`C${code}`), text(`M${message}`), text(`R${routine}`), Buffer.from([0]))
  }

  #ready(): void {
    this.#answer('Z', Buffer.from(this.#transaction === undefined ? 'I' : this.#transaction.failed ? 'E' : 'T'))
  }

  #answer(type: string, ...parts: Buffer[]): void {
    const body = Buffer.concat(parts)
    this.#answers = Buffer.concat([this.#answers, Buffer.from(type), int(body.length + 4), body])
    if (this.#sending) return
    this.#sending = true
    setImmediate(() => this.#send())
  }

  /** Sends the next chunk, and then the others. */
  #send(): void {
    const { pieceBytes, cutAfter, cutBy } = this.server.delivery
    const left = (cutAfter[this.number] ?? Number.POSITIVE_INFINITY) - this.#sent
    const piece = this.#answers.subarray(0, Math.min(pieceBytes[this.#pieces++ % pieceBytes.length]!, left))
    this.#answers = this.#answers.subarray(piece.length)
    this.#sent += piece.length
    this.socket.write(piece)
    if (piece.length === left) {
      if (cutBy === 'reset') this.raw.resetAndDestroy()
      else this.socket.end()
    } else if (this.#answers.length > 0) setImmediate(() => this.#send())
    else this.#sending = false
  }
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`)
const texts = (body: Buffer): string[] => body.toString('latin1').split('\0')

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function short(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}
