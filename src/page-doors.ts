// The doors for people. Loaded when the first of them is opened: they are more than half of what this service is made of, and a
// process that only exports has no use for them (app).

export { adminConsole } from './console/console.ts'
export { apiDocs } from './docs/api-docs.ts'
export { notFoundPage } from './docs/not-found-page.tsx'
export { shellAssets } from './html/shell-assets.ts'
