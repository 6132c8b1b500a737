// What the HTTP process loads when it starts: each package costs every process memory and time, asked for or not.

import { expect, test } from 'bun:test'
import { join } from 'node:path'

const source = join(import.meta.dir, '../../src')

test('packages of the HTTP process are these; the queue, and the schemas of program definitions, are for others', async () => {
  const main = await Bun.file(join(source, 'main.ts')).text()
  const imported = [...main.matchAll(/^import .* from '\.\/(.*)'$/gm)].map(match => join(source, match[1]!))
  expect(imported.length).toBeGreaterThan(5)
  const program = `
    for (const path of ${JSON.stringify(imported)}) await import(path)
    console.log(JSON.stringify(Object.keys(require.cache)))`
  const child = Bun.spawn([process.execPath, '--eval', program], { stdout: 'pipe', stderr: 'inherit' })
  const paths = JSON.parse(await new Response(child.stdout).text()) as string[]
  const packages = paths.map(path => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? 'tributary')
  const direct = new Set(Object.keys((await Bun.file(join(source, '../package.json')).json()).dependencies as object))
  expect([...new Set(packages)].filter(name => direct.has(name)).sort()).toEqual([
    'elysia',
    'ipaddr.js',
    'libphonenumber-js',
    'pino',
    'postgres',
    'preact',
    'preact-render-to-string',
  ])
})
