// Routes for the files that pages load. They contain no data, so they are public.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import extended from '@fontsource-variable/public-sans/files/public-sans-latin-ext-wght-normal.woff2' with {
  type: 'file',
}
import latin from '@fontsource-variable/public-sans/files/public-sans-latin-wght-normal.woff2' with { type: 'file' }
import { Elysia } from 'elysia'
import { Problem } from '../../base/problem.ts'
import { codedBody, codingFor } from '../http/headers/coded-body.ts'
import type { Coding } from '../http/headers/negotiation.ts'
import { hiddenRoute } from '../http/openapi/route-detail.ts'
import { methodNotAllowed } from '../http/server/errors.ts'
import faces from './assets/public-sans.css' with { type: 'file' }

export const css = 'text/css; charset=utf-8'
export const javaScript = 'text/javascript; charset=utf-8'
export const woff2 = 'font/woff2'

/** A file on disk, its text, a function that generates it, or a large file compressed with zstd. */
export type AssetFile = { type: string } & (
  | { path: string }
  | { text: string }
  | { make: () => Promise<string> }
  | { packed: () => Promise<Uint8Array<ArrayBuffer>> }
)

/** The font of all pages. */
export const fonts: Readonly<Record<string, AssetFile>> = {
  'public-sans.woff2': { path: latin, type: woff2 },
  'public-sans-ext.woff2': { path: extended, type: woff2 },
}

/** A style sheet, preceded by the faces of these fonts. */
export const withFonts = (path: string): AssetFile => ({
  make: async () => [faces, path].map(part => readFileSync(part, 'utf8')).join('\n'),
  type: css,
})

interface Asset {
  bytes: Uint8Array<ArrayBuffer>
  type: string
  tag: string
  /** For a large file: an address that contains this version always has the same bytes. */
  version?: string
  fields: Readonly<Record<string, string>>
}

/** Cached for an hour, because a release may change the file, unless the address contains its version. */
const cacheControl = (isVersioned: boolean): string =>
  isVersioned ? 'public, max-age=31536000, immutable' : 'public, max-age=3600'

/** Changes whenever the bytes do. */
export const versionOf = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('base64url').slice(0, 22)

const gzipInBackground = promisify(gzip)

/** A large file. Compressing it takes 100 ms or more, so a thread does it. */
async function unpack(packed: Uint8Array<ArrayBuffer>, coding: Coding | undefined): Promise<Uint8Array<ArrayBuffer>> {
  if (coding === 'zstd') return packed
  const bytes = await Bun.zstdDecompress(packed)
  return new Uint8Array(coding === undefined ? bytes : await gzipInBackground(bytes))
}

/** `{folder}/{name}` for each of these files. Each is read at its first use and cached: some hundred kilobytes. */
export const assetRoutes = (folder: string, files: Readonly<Record<string, AssetFile>>) => {
  const read = new Map<string, Promise<Asset>>()
  const load = async (file: AssetFile, coding: Coding | undefined): Promise<Asset> => {
    if ('packed' in file) {
      const packed = await file.packed()
      const bytes = await unpack(packed, coding)
      const fields: Asset['fields'] = coding === undefined ? {} : { 'Content-Encoding': coding }
      return { bytes, type: file.type, tag: `"${versionOf(bytes)}"`, version: versionOf(packed), fields }
    }
    const bytes = 'path' in file ? readFileSync(file.path) : Buffer.from('text' in file ? file.text : await file.make())
    const { body, fields } = codedBody(bytes, coding)
    return { bytes: body, type: file.type, tag: `"${versionOf(body)}"`, fields }
  }
  const asset = (name: string, coding: Coding | undefined): Promise<Asset> => {
    const file = Object.hasOwn(files, name) ? files[name] : undefined
    if (file === undefined) throw new Problem('not_found', { detail: 'There is nothing at this address.' })
    // Fonts are already compressed.
    const used = file.type === woff2 ? undefined : coding
    const key = `${name} ${used}`
    const found = read.get(key) ?? load(file, used)
    read.set(key, found)
    return found
  }
  const answer = async (request: Request, name: string): Promise<Response> => {
    const { bytes, type, tag, version, fields } = await asset(name, codingFor(request))
    const headers = {
      'Content-Type': type,
      ETag: tag,
      'Cache-Control': cacheControl(new URL(request.url).searchParams.get('v') === version),
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept-Encoding',
      ...fields,
    }
    if (request.headers.get('if-none-match')?.includes(tag)) return new Response(null, { status: 304, headers })
    return new Response(bytes, { headers })
  }
  const path = `${folder}/:name` as '/assets/:name'
  return new Elysia({ name: `assets ${folder}` })
    .get(path, ({ request, params }) => answer(request, params.name), hiddenRoute)
    .head(path, ({ request, params }) => answer(request, params.name), hiddenRoute)
    .all(path, methodNotAllowed(['GET', 'HEAD']), hiddenRoute)
}
