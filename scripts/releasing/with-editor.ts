// Puts the bundled editor into a program: a binary has no sources to bundle it from when it runs.

import { editorScript } from '@tributary/web/editor'

/** Bundles first: Bun waits for ever for a build within a build. */
export async function withEditor(): Promise<Bun.BunPlugin> {
  const contents = `const script = ${JSON.stringify(await editorScript())}\nexport const editorScript = async () => script`
  return {
    name: 'with-editor',
    setup(build) {
      build.onLoad({ filter: /\/editor-bundle\.ts$/ }, () => ({ loader: 'js', contents }))
    },
  }
}
