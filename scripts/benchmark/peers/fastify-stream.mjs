// What one would write on Node once pages got large: Fastify with pg-query-stream, each row turned into text as it comes.
// In its favour: a pool, batches of 500 rows, pieces of text joined before they are sent, the whole object in one jsonb value,
// no authentication, no log.

import { Readable } from 'node:stream'
import Fastify from 'fastify'
import pg from 'pg'
import QueryStream from 'pg-query-stream'

const pool = new pg.Pool({ max: 10 })
const app = Fastify({ logger: false })
const statement = 'select position, application from bench_naive where position > $1 order by position limit $2'
const pieceChars = 64 * 1024

app.get('/ready', async () => {
  await pool.query('select 1')
  return 'ready'
})

app.get('/applications', async (request, reply) => {
  const pageSize = Number(request.query.pageSize ?? 1000)
  const after = Number(request.query.after ?? 0)
  reply.type('application/json; charset=utf-8')
  return reply.send(Readable.from(pageText(pageSize, after), { objectMode: false }))
})

async function* pageText(pageSize, after) {
  const client = await pool.connect()
  const rows = client.query(new QueryStream(statement, [after, pageSize + 1], { batchSize: 500 }))
  try {
    let piece = '{"payload":['
    let count = 0
    let last
    let more = false
    for await (const row of rows) {
      if (count === pageSize) {
        more = true
        break
      }
      piece += (count === 0 ? '' : ',') + JSON.stringify(row.application)
      count++
      last = row.position
      if (piece.length >= pieceChars) {
        yield piece
        piece = ''
      }
    }
    yield `${piece}],"nextPageToken":${more ? JSON.stringify(last) : 'null'}}`
  } finally {
    rows.destroy()
    client.release()
  }
}

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
