// The straightforward implementation on Bun: applications as jsonb, read through a pool, turned back into text with JSON.stringify. Kept
// simple, in its own favor: each object is one jsonb value, so nothing is assembled, and there is no authentication or log.

import postgres from 'postgres'

const sql = postgres({ max: 10 })

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
  idleTimeout: 0,
  development: false,
  routes: {
    '/ready': async () => {
      await sql`select 1`
      return new Response('ready')
    },
    '/applications': async request => {
      const query = new URL(request.url).searchParams
      const pageSize = Number(query.get('pageSize') ?? 1000)
      const after = Number(query.get('after') ?? 0)
      const rows = await sql<{ position: string; application: unknown }[]>`
        select position, application
        from bench_naive
        where position > ${after}
        order by position
        limit ${pageSize + 1}`
      const page = rows.slice(0, pageSize)
      const last = rows.length > pageSize ? page.at(-1) : undefined
      return Response.json({ payload: page.map(row => row.application), nextPageToken: last?.position ?? null })
    },
  },
})
