// A worker in a process of its own, for tests that kill it: prints a line when a job has begun, and never ends one.

import { openDatabase } from '../../src/db/client.ts'
import { createLog } from '../../src/log.ts'
import { connectQueue, type QueueOptions } from '../../src/queue/connect.ts'
import { startWorking } from '../../src/queue/work.ts'

const options = JSON.parse(process.argv[2]!) as QueueOptions
const begun = (): Promise<never> => {
  console.log('begun')
  return new Promise<never>(() => {})
}
const queue = await connectQueue(options, () => {})
const sql = openDatabase({ url: options.databaseUrl, connectionsMax: 2 })
const handlers = { 'refresh-key-map': begun, 'refresh-docs-example': begun, 'deliver-webhook': begun }
await startWorking(sql, queue, handlers, createLog('silent'), {})
