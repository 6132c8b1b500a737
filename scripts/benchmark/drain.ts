// A process that asks PostgreSQL for rows and throws them away: the least any client can do, and so the limit of every other.
// Takes one JSON line with a DrainRequest on standard input at a time, answers each with one line (DrainAnswer or an error).
// It does not look at what it reads, beyond the heads of messages, to count rows and to know when they have ended.

import { answerLines } from './answer-lines.ts'
import { BlockingSocket, type SocketAddress } from './blocking-socket.ts'
import { executeMessages, MessageCounter, prepareMessages, startupMessage } from './wire-messages.ts'

export interface DrainSetup {
  address: SocketAddress
  user: string
  database: string
}

export interface DrainRequest {
  statement: string
  parameters: readonly (string | number)[]
  repeats: number
}

export interface DrainAnswer {
  /** One entry a repeat. Milliseconds from asking to the first row, and to the end. */
  runs: readonly { firstByteMs: number; wallMs: number; rows: number; bytes: number }[]
}

/** As large as a processor's own cache holds; larger buffers were slower. */
const bufferBytes = 256 * 1024
const timeoutSeconds = 60

function serveRequests(setup: DrainSetup): (request: DrainRequest) => DrainAnswer {
  const socket = new BlockingSocket(setup.address, timeoutSeconds)
  const buffer = Buffer.allocUnsafeSlow(bufferBytes)
  const prepared = new Map<string, string>()

  const ask = (messages: Uint8Array): DrainAnswer['runs'][number] => {
    const counter = new MessageCounter()
    const startedAt = performance.now()
    let firstByteMs = 0
    socket.write(messages)
    while (!counter.ready) {
      counter.take(buffer, socket.read(buffer))
      if (firstByteMs === 0 && counter.rows > 0) firstByteMs = performance.now() - startedAt
      // Before a session has begun, a complaint is the last that is heard.
      if (counter.error !== undefined && prepared.size === 0) break
    }
    const wallMs = performance.now() - startedAt
    if (counter.error !== undefined) throw new Error(`PostgreSQL says: ${counter.error}`)
    return { firstByteMs, wallMs, rows: counter.rows, bytes: counter.bytes }
  }

  ask(startupMessage(setup.user, setup.database))
  return ({ statement, parameters, repeats }) => {
    let name = prepared.get(statement)
    if (name === undefined) {
      name = `s${prepared.size}`
      ask(prepareMessages(name, statement))
      prepared.set(statement, name)
    }
    const messages = executeMessages(name, parameters)
    return { runs: Array.from({ length: repeats }, () => ask(messages)) }
  }
}

if (import.meta.main) await answerLines(serveRequests(JSON.parse(process.argv[2]!) as DrainSetup))
