// Code shared by the client and the command-line tool that is not part of the published package.

export { exportFilters } from './api-types.ts'
export * from './client-errors.ts'
export { programTypes } from './typescript-types.ts'
export { visibleText } from './visible-text.ts'
