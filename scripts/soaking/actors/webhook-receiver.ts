// A webhook receiver: verifies each message as it arrives, and keeps it.

import { Webhook } from 'standardwebhooks'
import { addWebhook } from '../../../src/core/webhooks/endpoints.ts'
import { findProgram } from '../../../src/db/programs/programs.ts'
import { loopbackCertificate } from '../../processes/loopback-certificate.ts'
import { type Installation, slug } from '../installation/installation.ts'
import type { Ledger } from '../seen/ledger.ts'

export interface Receiver {
  /** The number of the last change that it was notified of. */
  notified(): number
  stop(): Promise<void>
}

interface Message {
  type: string
  program: string
  change_cursor: string
}

/** Adds a webhook to the program and receives its messages. */
export async function receive({ sql, webhookKey }: Installation, ledger: Ledger): Promise<Receiver> {
  let notified = 0
  const bodies = new Map<string, string>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    development: false,
    tls: loopbackCertificate,
    fetch: async request => {
      const [body, headers] = [await request.text(), Object.fromEntries(request.headers)]
      const id = headers['webhook-id'] ?? ''
      ledger.messages++
      if ((bodies.get(id) ?? body) !== body) ledger.note(`webhook-id ${id} arrived with two different bodies (D44)`)
      bodies.set(id, body)
      try {
        const message = new Webhook(secret).verify(body, headers) as Message
        if (message.type !== 'program.changed' || message.program !== slug)
          ledger.note(`a webhook message contains ${body}`)
        notified = Math.max(notified, Number.parseInt(message.change_cursor, 10))
      } catch (error) {
        // While the database's clock is set back, so is the time in a message: a receiver rejects it, and gets it again with another time.
        if (/timestamp too (old|new)/.test(String(error))) return new Response(null, { status: 400 })
        ledger.note(`a webhook's message cannot be verified: ${error}`)
      }
      return new Response(null, { status: 204 })
    },
  })
  const program = (await findProgram(sql, slug))!
  const url = new URL(`https://127.0.0.1:${server.port}/`)
  const by = { actor: 'operator:soak', now: Date.now() * 1000 }
  const endpoint = { program_id: program.program_id, slug, url }
  const { secret } = await addWebhook(sql, { keys: [webhookKey], allowedNetworks: [] }, endpoint, by)
  return { notified: () => notified, stop: () => server.stop(true) }
}
