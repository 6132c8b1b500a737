// A CiviForm that is followed (CIVIFORM.md).

import { parser, secretSetting, setting, Unusable } from './kinds/setting.ts'
import { httpUrl, ianaTimeZone, oneOf, optional, postgresUrl, text } from './kinds/setting-kinds.ts'

const sourceUrl = parser(
  postgresUrl.examples.flatMap(url => [url, `${url}?timezone=America/New_York`]),
  parseSourceUrl,
)

// biome-ignore format: a table, as SETTINGS.md is
export const civiformSettings = {
  civiformDatabase: setting('CIVIFORM_DATABASE_URL', '', optional(sourceUrl),
    'The PostgreSQL database of a CiviForm to follow, with a role that may only read. Its times are in UTC, or in the zone that the address ends with, where TZ was set for CiviForm’s servers: `?timezone=America/New_York`. For `workers/follow-civiform.ts` alone; see CIVIFORM.md.'),
  civiformBaseUrl: setting('CIVIFORM_BASE_URL', '', httpUrl,
    'Where that CiviForm is reached: addresses of uploaded files in exports lead there. `https://forms.example.gov`.'),
  originApiSalt: secretSetting('CIVIFORM_API_SECRET_SALT', '', optional(text('x2bVq0mS8nR4')),
    'That CiviForm’s setting of the same name: with it its API keys are good here. For the service.'),
  exportProfile: setting('CIVIFORM_PROFILE', 'contract', oneOf('contract', 'origin'),
    '`contract`: followed programs are exported as the manual says. `origin`: as CiviForm’s code does it, where the two differ; CIVIFORM.md lists each difference. The same for the service, the workers and the follower: one that is set otherwise does not start.'),
}

/**
 * The address itself, and the zone that times without one are in. The driver would give PostgreSQL any other spelling of `timezone` as a
 * setting of the session, which changes nothing of such times.
 */
function parseSourceUrl(text: string): { url: string; zone: string } {
  const url = new URL(postgresUrl(text))
  const given = [...url.searchParams].filter(([name]) => name.toLowerCase() === 'timezone')
  if (given.length > 1 || given.some(([name]) => name !== 'timezone'))
    throw new Unusable('must name its time zone once, in small letters: ?timezone=America/Los_Angeles')
  const zone = url.searchParams.get('timezone') ?? 'UTC'
  try {
    ianaTimeZone(zone)
  } catch {
    throw new Unusable('must name an IANA time zone, such as ?timezone=America/Los_Angeles')
  }
  url.searchParams.delete('timezone')
  return { url: url.href, zone }
}
