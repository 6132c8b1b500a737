// Loads a file in small batches, in a process of its own that is there to be killed: bun killed-load.ts <database> <file>

import { loadLines } from '../../../src/core/load/load-lines.ts'
import { openDatabase } from '../../../src/db/client.ts'

const [url, path] = process.argv.slice(2) as [string, string]
const sql = openDatabase({ url, connectionsMax: 2 })
const options = { timeZone: 'UTC', actor: 'operator:test', source: 'killed.ndjson', batchBytes: 5_000 }
await loadLines(sql, Bun.file(path).stream(), { ...options, now: Date.now() * 1000 })
await sql.end()
