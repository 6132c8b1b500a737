// A CiviForm that is followed (CIVIFORM.md).

import { secretSetting, setting } from './setting.ts'
import { duration, httpUrl, ianaTimeZone, oneOf, optional, postgresUrl, text, wholeNumber } from './setting-kinds.ts'

// biome-ignore format: a table, as SETTINGS.md is
export const civiformSettings = {
  civiformDatabaseUrl: setting('CIVIFORM_DATABASE_URL', '', optional(postgresUrl),
    'The PostgreSQL database of a CiviForm to follow, with a role that may only read. For `workers/follow-civiform.ts` alone; see CIVIFORM.md.'),
  civiformDatabaseZone: setting('CIVIFORM_DATABASE_TIME_ZONE', 'UTC', ianaTimeZone,
    'IANA time zone of the times in that database. UTC, unless TZ was set for CiviForm’s servers.'),
  civiformBaseUrl: setting('CIVIFORM_BASE_URL', '', httpUrl,
    'Where that CiviForm is reached: addresses of uploaded files in exports lead there. `https://forms.example.gov`.'),
  civiformApiUrl: setting('CIVIFORM_API_URL', '', httpUrl,
    'Where the API of that CiviForm itself is still reached once clients are led here, for `scripts/civiform compare`. Empty: `CIVIFORM_BASE_URL`.'),
  civiformApiSalt: secretSetting('CIVIFORM_API_SECRET_SALT', '', optional(text),
    'That CiviForm’s setting of the same name: with it its API keys are good here. For the service.'),
  civiformProfile: setting('CIVIFORM_PROFILE', 'contract', oneOf('contract', 'civiform'),
    '`contract`: followed programs are exported as the manual says. `civiform`: as CiviForm’s code does it, where the two differ; CIVIFORM.md lists each difference. The same for the service and the follower.'),
  civiformWriterRoles: setting('CIVIFORM_WRITER_ROLES', '', optional(roles),
    'Roles under which CiviForm submits, comma-separated. Empty: the owner of its applications, and whoever may write them.'),
  civiformClockSlackMs: setting('CIVIFORM_CLOCK_SLACK', '2s', duration('10ms', '10m'),
    'How far clocks of CiviForm’s servers may be behind its database’s, 10ms to 10m: an application is followed that much later.'),
  civiformPollIntervalMs: setting('CIVIFORM_POLL_INTERVAL', '2s', duration('100ms', '10m'),
    'Pause between two looks at CiviForm’s database, 100ms to 10m.'),
  civiformScanRows: setting('CIVIFORM_SCAN_ROWS', '5000', wholeNumber(100, 100_000),
    'Applications compared at each look, for what changed in ways that no event tells, 100 to 100000.'),
  civiformReconcileMs: setting('CIVIFORM_RECONCILE_INTERVAL', '1d', duration('1h', '30d'),
    'How often every application is read whole and compared, 1h to 30d.'),
}

function roles(text: string): string[] {
  return text.split(',').map(role => role.trim())
}
