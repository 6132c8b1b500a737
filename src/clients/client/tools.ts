// What the command-line tool shares with the client but the published package leaves out.

export { exportFilters } from './api-types.ts'
export * from './client-errors.ts'
export { programTypes } from './typescript-types.ts'
export { visibleText } from './visible-text.ts'
