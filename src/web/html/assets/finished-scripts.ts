// What `scripts/build` finishes: the scripts of pages that a checkout makes when they are first requested.

export { editorScript } from './editor-bundle.ts'
export { compressScript } from './scalar-bundle.ts'
