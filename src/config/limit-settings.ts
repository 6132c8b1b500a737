// Limits of one API key or one request.

import { enumeratorDepthUsual } from '../domain/definitions/program-definition.ts'
import { setting } from './kinds/setting.ts'
import { oneOf, onOff, wholeNumber } from './kinds/setting-kinds.ts'

// biome-ignore format: a table, as SETTINGS.md is
export const limitSettings = {
  requestsPerMinute: setting('REQUESTS_PER_MINUTE', '600', wholeNumber(0, 10_000_000),
    'Requests a minute of one API key: of all processes together with REDIS_URL, else of each process. 0 for no limit.'),
  exportsAtATime: setting('EXPORTS_AT_A_TIME', '4', wholeNumber(0, 10_000),
    'Exports of one API key under way at once: of all processes together with REDIS_URL, else of each process. Pages whose entry in the audit log is not stored count too. 0 for no limit, and 16 such pages.'),
  auditRequired: setting('AUDIT_REQUIRED', 'on', onOff,
    '`on` or `off`: whether an API key gets no further page (503) while the audit log cannot take the line on one it got.'),
  intermediaries: setting('INTERMEDIARIES', 'any', oneOf('any', 'listed'),
    '`any` or `listed`: whether a submission may name any intermediary, or only one that the console has under Intermediaries.'),
  authFailuresPerMinute: setting('AUTH_FAILURES_PER_MINUTE', '60', wholeNumber(0, 10_000_000),
    'Failed authentications a minute from one address before further ones get 429; 0 for no limit. A valid key is never refused for it. Passwords are counted apart, and right ones are then refused too.'),
  enumeratorDepthMax: setting('ENUMERATOR_DEPTH_MAX', String(enumeratorDepthUsual), wholeNumber(1, 100),
    'Most enumerators within one another that a program may have, 1 to 100. What intake takes is nested as deep as that asks for, and at least 64 deep.'),
}
