// Routes of the docs and the console, loaded at the first request for one. They are more than half of the service's code, and a process that
// only exports never needs them.

export { adminConsole } from './console/console.ts'
export { apiDocs } from './docs/api-docs.ts'
export { refusalPage } from './docs/refusal-page.tsx'
export { shellAssets } from './html/shell-assets.ts'
