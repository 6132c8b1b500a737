// The program editor as one script for browsers: bundled from its source in a checkout. `scripts/build` replaces this file with the
// finished script (scripts/releasing/with-scripts.ts).

import { join } from 'node:path'

/** Modules that the service loads to check a document, and that a browser doesn't need or may not run. */
const replaced: Readonly<Record<string, string>> = {
  // Only reading answers parses phone numbers.
  'libphonenumber-js/min':
    'export const isSupportedCountry = () => false, parsePhoneNumberFromString = () => undefined',
  // No schema of a document has a format.
  '../../format/index.mjs': `export const Format = {
  Test: name => {
    throw new Error('The editor has no formats: ' + name)
  },
}`,
  // It compiles schemas to code, which the content security policy forbids.
  'typebox/compile': `import { Value } from 'typebox/value'
// Edits leave untouched parts of a document as they are: each is checked once.
export const Compile = schema => {
  const known = new WeakMap()
  const check = value => {
    if (typeof value !== 'object' || value === null) return Value.Check(schema, value)
    if (!known.has(value)) known.set(value, Value.Check(schema, value))
    return known.get(value)
  }
  return { Check: check }
}`,
}

const replacedPath = new RegExp(`^(${Object.keys(replaced).map(RegExp.escape).join('|')})$`)

/** The script, ready to serve. Takes a quarter of a second. */
export async function editorScript(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, '../../editor/editor-main.tsx')],
    target: 'browser',
    format: 'iife',
    minify: true,
    plugins: [
      {
        name: 'for-browsers',
        setup(build) {
          build.onResolve({ filter: replacedPath }, ({ path }) => ({ path, namespace: 'for-browsers' }))
          build.onLoad({ filter: /./, namespace: 'for-browsers' }, ({ path }) => ({
            contents: replaced[path]!,
            loader: 'js',
            resolveDir: import.meta.dir,
          }))
        },
      },
    ],
  })
  return outputs[0]!.text()
}
