// The files that pages of the docs are shown with, from our own origin: nothing is fetched from anywhere else.
// They tell nothing of any program, so they are for everybody.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Elysia } from 'elysia'
import { Problem } from '../../problem.ts'
import { methodNotAllowed } from '../errors.ts'
import { hiddenRoute } from '../openapi/route-detail.ts'

const css = 'text/css; charset=utf-8'
const javaScript = 'text/javascript; charset=utf-8'
const own = (name: string): string => new URL(`./assets/${name}`, import.meta.url).pathname
const swaggerUi = (name: string): string => Bun.resolveSync(`swagger-ui-dist/${name}`, import.meta.dir)

const files: Readonly<Record<string, { path: string; type: string }>> = {
  'docs.css': { path: own('docs.css'), type: css },
  'service-docs.js': { path: own('service-docs.js'), type: javaScript },
  'swagger-ui.css': { path: swaggerUi('swagger-ui.css'), type: css },
  'swagger-ui-bundle.js': { path: swaggerUi('swagger-ui-bundle.js'), type: javaScript },
}

interface Asset {
  bytes: Buffer<ArrayBuffer>
  type: string
  tag: string
}

/** Read on first use and kept: some megabytes at most. */
const read = new Map<string, Asset>()

function asset(name: string): Asset {
  const file = Object.hasOwn(files, name) ? files[name] : undefined
  if (file === undefined) throw new Problem('not_found', { detail: 'There is nothing at this address.' })
  let found = read.get(name)
  if (found === undefined) {
    const bytes = readFileSync(file.path)
    found = { bytes, type: file.type, tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` }
    read.set(name, found)
  }
  return found
}

const path = '/docs/assets/:name'

export const docsAssets = () => {
  const answer = (request: Request, name: string): Response => {
    const { bytes, type, tag } = asset(name)
    const headers = {
      'Content-Type': type,
      ETag: tag,
      // Kept, but asked for anew each time: a release may change it.
      'Cache-Control': 'no-cache',
      'X-Content-Type-Options': 'nosniff',
    }
    if (request.headers.get('if-none-match')?.includes(tag)) return new Response(null, { status: 304, headers })
    return new Response(bytes, { headers })
  }
  return new Elysia({ name: 'docs-assets' })
    .get(path, ({ request, params }) => answer(request, params.name), hiddenRoute)
    .head(path, ({ request, params }) => answer(request, params.name), hiddenRoute)
    .all(path, methodNotAllowed(['GET', 'HEAD']), hiddenRoute)
}
