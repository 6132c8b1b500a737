// What a process needs to serve the routes: health, metrics, TLS and path checks.

export { health } from './http/server/health.ts'
export { Metrics } from './http/server/metrics.ts'
export { bySentPath } from './http/server/sent-path.ts'
export { readTlsFiles, type TlsTexts } from './http/server/tls-files.ts'
