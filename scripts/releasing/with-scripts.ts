// Puts the finished page scripts into a binary, which has neither the editor's sources nor Scalar's package when it runs.

import { join } from 'node:path'
import { compressScript, editorScript } from '@tributary/web/scripts'

/** Finishes them first: Bun waits for ever for a build within a build. `folder` keeps a file until the program is built. */
export async function withScripts(folder: string): Promise<Bun.BunPlugin> {
  const packed = join(folder, 'scalar.js.zst')
  await Bun.write(packed, await compressScript(19))
  const modules = {
    'editor-bundle': `const script = ${JSON.stringify(await editorScript())}
export const editorScript = async () => script`,
    'scalar-bundle': `import path from ${JSON.stringify(packed)} with { type: 'file' }
let script
export const scalarScript = () => (script ??= Bun.file(path).bytes())`,
  }
  return {
    name: 'with-scripts',
    setup(build) {
      for (const [name, contents] of Object.entries(modules))
        build.onLoad({ filter: new RegExp(`/${name}\\.ts$`) }, () => ({ loader: 'js', contents }))
    },
  }
}
