// Puts the finished page scripts into a binary, which has neither the editor's sources nor Scalar's package when it runs.

import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { compressScript, editorScript } from '@tributary/web/scripts'

/**
 * Builds them first, because Bun waits forever for a build within a build. `folder` contains a file that goes into the binary. So does its path,
 * which must always be the same for the binary to be reproducible.
 */
export async function withScripts(folder: string): Promise<Bun.BunPlugin> {
  const packed = join(folder, 'scalar.js.zst')
  // Complete from the beginning, because builds for other systems may read it meanwhile.
  const unfinished = `${packed}.${process.pid}`
  await Bun.write(unfinished, await compressScript(19))
  await rename(unfinished, packed)
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
