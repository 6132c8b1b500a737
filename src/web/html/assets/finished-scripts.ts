// The page scripts that `scripts/build` puts into a binary. A checkout builds each of them when it is first requested.

export { editorScript } from './editor-bundle.ts'
export { compressScript } from './scalar-bundle.ts'
