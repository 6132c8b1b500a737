// What a process needs besides routes to serve them.

export { health } from './http/server/health.ts'
export { Metrics } from './http/server/metrics.ts'
export { bySentPath } from './http/server/sent-path.ts'
export { readTlsFiles, type TlsTexts } from './http/server/tls-files.ts'
