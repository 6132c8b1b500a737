// Settings for limits of an API key or a request.

import { enumeratorDepthUsual } from '../domain/definitions/program-definition.ts'
import { setting } from './kinds/setting.ts'
import { oneOf, onOff, wholeNumber } from './kinds/setting-kinds.ts'

// biome-ignore format: a table, as SETTINGS.md is
export const limitSettings = {
  requestsPerMinute: setting('REQUESTS_PER_MINUTE', '600', wholeNumber(0, 10_000_000),
    'Requests per minute for each API key; 0 for no limit.'),
  exportsAtATime: setting('EXPORTS_AT_A_TIME', '4', wholeNumber(0, 10_000),
    'Concurrent exports for each API key; 0 for no limit.'),
  auditRequired: setting('AUDIT_REQUIRED', 'on', onOff,
    '`on` or `off`: withhold a key’s next page (503) until the audit log has its previous one.'),
  intermediaries: setting('INTERMEDIARIES', 'any', oneOf('any', 'listed'),
    '`any` or `listed`: accept submissions from any intermediary, or only from those listed in the console.'),
  authFailuresPerMinute: setting('AUTH_FAILURES_PER_MINUTE', '60', wholeNumber(0, 10_000_000),
    'Failed authentications per minute from one address before it gets 429; 0 for no limit.'),
  enumeratorDepthMax: setting('ENUMERATOR_DEPTH_MAX', String(enumeratorDepthUsual), wholeNumber(1, 100),
    'How deeply enumerators may be nested in a program, 1 to 100.'),
}
