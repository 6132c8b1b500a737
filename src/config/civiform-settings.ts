// A CiviForm that is followed (CIVIFORM.md).

import { secretSetting, setting } from './kinds/setting.ts'
import { duration, httpUrl, ianaTimeZone, oneOf, optional, postgresUrl, text } from './kinds/setting-kinds.ts'

// biome-ignore format: a table, as SETTINGS.md is
export const civiformSettings = {
  civiformDatabaseUrl: setting('CIVIFORM_DATABASE_URL', '', optional(postgresUrl),
    'The PostgreSQL database of a CiviForm to follow, with a role that may only read. For `workers/follow-civiform.ts` alone; see CIVIFORM.md.'),
  civiformDatabaseZone: setting('CIVIFORM_DATABASE_TIME_ZONE', 'UTC', ianaTimeZone,
    'IANA time zone of the times in that database. UTC, unless TZ was set for CiviForm’s servers.'),
  civiformBaseUrl: setting('CIVIFORM_BASE_URL', '', httpUrl,
    'Where that CiviForm is reached: addresses of uploaded files in exports lead there. `https://forms.example.gov`.'),
  originApiSalt: secretSetting('CIVIFORM_API_SECRET_SALT', '', optional(text),
    'That CiviForm’s setting of the same name: with it its API keys are good here. For the service.'),
  exportProfile: setting('CIVIFORM_PROFILE', 'contract', oneOf('contract', 'origin'),
    '`contract`: followed programs are exported as the manual says. `origin`: as CiviForm’s code does it, where the two differ; CIVIFORM.md lists each difference. The same for the service and the follower.'),
  civiformWriterRoles: setting('CIVIFORM_WRITER_ROLES', '', optional(roles),
    'Roles under which CiviForm submits, comma-separated. Empty: every role that may write applications.'),
  civiformClockSlackMs: setting('CIVIFORM_CLOCK_SLACK', '2s', duration('10ms', '10m'),
    'How far clocks of CiviForm’s servers may lag its database’s, 10ms to 10m: an application is followed that much later, and looked for as often.'),
}

function roles(text: string): string[] {
  return text.split(',').map(role => role.trim())
}
