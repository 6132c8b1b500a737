// Page routes and the console's API, loaded at the first request for one: they are more than half of the service's code, and a process
// that only exports never needs them (app).

export { adminConsole } from './console/console.ts'
export { apiDocs } from './docs/api-docs.ts'
export { refusalPage } from './docs/refusal-page.tsx'
export { shellAssets } from './html/shell-assets.ts'
