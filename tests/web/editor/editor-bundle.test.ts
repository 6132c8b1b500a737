// The editor as browsers get it: how large it is, what is in it, and that the page's content security policy lets it run.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { programDefinitionSchema } from '../../../src/domain/definitions/program-definition.ts'
import { editorScript } from '../../../src/web/html/assets/editor-bundle.ts'

const script = await editorScript()

test('the compressed editor is at most 90 KB', () => {
  expect(Bun.gzipSync(Buffer.from(script)).length).toBeLessThanOrEqual(90 * 1024)
})

test('no schema of a document has a format, since the editor leaves out the code that checks formats', () => {
  expect(JSON.stringify(programDefinitionSchema)).not.toContain('"format":')
})

test('the editor evaluates no text as code, which the pages’ policy refuses', () => {
  expect(script).not.toMatch(/\bnew Function\b|\beval\(|\.Function\)\(/)
})

test('the editor imports only the domain and packages, and nothing of the service', async () => {
  const root = join(import.meta.dir, '../../..')
  const { metafile } = await Bun.build({
    entrypoints: [join(root, 'src/web/editor/editor-main.tsx')],
    target: 'browser',
    metafile: true,
    external: ['libphonenumber-js/min'],
  })
  const sources = Object.keys(metafile!.inputs).map(path => path.replace(/^.*?(src|node_modules)\//, '$1/'))
  const rooms = new Set(sources.map(path => /^src\/(?:web\/)?[^/]+|^node_modules\/[^/]+/.exec(path)?.[0] ?? path))
  expect([...rooms].sort()).toEqual([
    'node_modules/preact',
    'node_modules/typebox',
    'src/domain',
    'src/web/editor',
    'src/web/questions',
  ])
})
