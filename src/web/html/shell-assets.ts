// The files that pages are shown with, from our own origin: style sheet, script, fonts, mark. They contain no data, so they are
// public.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import publicSansExt from '@fontsource-variable/public-sans/files/public-sans-latin-ext-wght-normal.woff2' with {
  type: 'file',
}
import publicSans from '@fontsource-variable/public-sans/files/public-sans-latin-wght-normal.woff2' with {
  type: 'file',
}
import robotoMono from '@fontsource-variable/roboto-mono/files/roboto-mono-latin-wght-normal.woff2' with {
  type: 'file',
}
import { Elysia } from 'elysia'
import { Problem } from '../../base/problem.ts'
import type { Coding } from '../http/headers/negotiation.ts'
import { hiddenRoute } from '../http/openapi/route-detail.ts'
import { methodNotAllowed } from '../http/server/errors.ts'
import consoleStyle from './assets/console.css' with { type: 'file' }
import docsStyle from './assets/docs.css' with { type: 'file' }
import docsScript from './assets/docs.js' with { type: 'file' }
import enhance from './assets/enhance.js' with { type: 'file' }
import find from './assets/find.js' with { type: 'file' }
import mark from './assets/mark.svg' with { type: 'file' }
import progress from './assets/progress.js' with { type: 'file' }
import rearrange from './assets/rearrange.js' with { type: 'file' }
import { codedBody, codingFor } from './coded-body.ts'

const css = 'text/css; charset=utf-8'
const javaScript = 'text/javascript; charset=utf-8'
const woff2 = 'font/woff2'

/** Imported, not looked for by name, so that scripts/build puts them into the binary. */
const files: Readonly<Record<string, { path: string; type: string }>> = {
  'console.css': { path: consoleStyle, type: css },
  'docs.css': { path: docsStyle, type: css },
  'docs.js': { path: docsScript, type: javaScript },
  'find.js': { path: find, type: javaScript },
  'rearrange.js': { path: rearrange, type: javaScript },
  'progress.js': { path: progress, type: javaScript },
  'enhance.js': { path: enhance, type: javaScript },
  'mark.svg': { path: mark, type: 'image/svg+xml' },
  'public-sans.woff2': { path: publicSans, type: woff2 },
  'public-sans-ext.woff2': { path: publicSansExt, type: woff2 },
  'roboto-mono.woff2': { path: robotoMono, type: woff2 },
}

interface Asset {
  bytes: Uint8Array<ArrayBuffer>
  type: string
  tag: string
  fields: Readonly<Record<string, string>>
}

/** Read on first use and kept: some hundred kilobytes. */
const read = new Map<string, Asset>()

function asset(name: string, coding: Coding | undefined): Asset {
  const file = Object.hasOwn(files, name) ? files[name] : undefined
  if (file === undefined) throw new Problem('not_found', { detail: 'There is nothing at this address.' })
  // Fonts are compressed as they are.
  const used = file.type === woff2 ? undefined : coding
  const key = `${name} ${used}`
  let found = read.get(key)
  if (found === undefined) {
    const bytes = readFileSync(file.path)
    const { body, fields } = codedBody(bytes, used)
    const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22)
    found = { bytes: body, type: file.type, tag: `"${hash}"`, fields }
    read.set(key, found)
  }
  return found
}

const path = '/assets/:name'

export const shellAssets = () => {
  const answer = (request: Request, name: string): Response => {
    const coding = codingFor(request)
    const { bytes, type, tag, fields } = asset(name, coding)
    const headers = {
      'Content-Type': type,
      ETag: tag,
      // Kept for an hour; then asked for again, since a release may change it.
      'Cache-Control': 'public, max-age=3600',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept-Encoding',
      ...fields,
    }
    if (request.headers.get('if-none-match')?.includes(tag)) return new Response(null, { status: 304, headers })
    return new Response(bytes, { headers })
  }
  return new Elysia({ name: 'shell-assets' })
    .get(path, ({ request, params }) => answer(request, params.name), hiddenRoute)
    .head(path, ({ request, params }) => answer(request, params.name), hiddenRoute)
    .all(path, methodNotAllowed(['GET', 'HEAD']), hiddenRoute)
}
