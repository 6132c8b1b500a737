// What one would write first on Node: Fastify with pg, applications as jsonb, a page read whole and sent as an object.
// In its favour: a pool, a prepared statement, the whole object in one jsonb value, no authentication, no log.

import Fastify from 'fastify'
import pg from 'pg'

const pool = new pg.Pool({ max: 10 })
const app = Fastify({ logger: false })

app.get('/ready', async () => {
  await pool.query('select 1')
  return 'ready'
})

app.get('/applications', async request => {
  const pageSize = Number(request.query.pageSize ?? 1000)
  const { rows } = await pool.query({
    name: 'page',
    text: 'select position, application from bench_naive where position > $1 order by position limit $2',
    values: [Number(request.query.after ?? 0), pageSize + 1],
  })
  const page = rows.slice(0, pageSize)
  const last = rows.length > pageSize ? page.at(-1) : undefined
  return { payload: page.map(row => row.application), nextPageToken: last?.position ?? null }
})

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
