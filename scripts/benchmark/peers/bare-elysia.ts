// Elysia with one route that does nothing but answer, with as many bytes as checkAuth does: the most that any route can be.

import { Elysia } from 'elysia'

const body = JSON.parse(process.env.BODY ?? '{}') as Record<string, unknown>

new Elysia()
  .get('/ready', () => 'ready')
  .get('/api/v1/checkAuth', () => body)
  .listen({ hostname: '127.0.0.1', port: Number(process.env.PORT) })
