// Settings for following a CiviForm (CIVIFORM.md).

import { parser, secretSetting, setting, Unusable } from './kinds/setting.ts'
import { httpUrl, ianaTimeZone, oneOf, optional, postgresUrl, text } from './kinds/setting-kinds.ts'

const sourceUrl = parser(
  postgresUrl.examples.flatMap(url => [url, `${url}?timezone=America/New_York`]),
  parseSourceUrl,
)

// biome-ignore format: a table, as SETTINGS.md is
export const civiformSettings = {
  civiformDatabase: setting('CIVIFORM_DATABASE_URL', '', optional(sourceUrl),
    'Database of the CiviForm to follow, with a read-only role. For the follower only.'),
  civiformBaseUrl: setting('CIVIFORM_BASE_URL', '', httpUrl,
    'Address of the followed CiviForm, for links to uploaded files: `https://forms.example.gov`.'),
  originApiSalt: secretSetting('CIVIFORM_API_SECRET_SALT', '', optional(text('x2bVq0mS8nR4')),
    'The CiviForm setting of the same name, which makes its API keys valid here.'),
  exportProfile: setting('CIVIFORM_PROFILE', 'contract', oneOf('contract', 'origin'),
    '`contract`: export followed programs as documented; `origin`: as CiviForm’s code does.'),
}

/**
 * The address itself, and the time zone for times without one. The driver would send PostgreSQL any other spelling of `timezone` as a session
 * setting, which does not affect such times.
 */
function parseSourceUrl(text: string): { url: string; zone: string } {
  const url = new URL(postgresUrl(text))
  const given = [...url.searchParams].filter(([name]) => name.toLowerCase() === 'timezone')
  if (given.length > 1 || given.some(([name]) => name !== 'timezone'))
    throw new Unusable('must name its time zone once, in lower case: ?timezone=America/Los_Angeles')
  const zone = url.searchParams.get('timezone') ?? 'UTC'
  try {
    ianaTimeZone(zone)
  } catch {
    throw new Unusable('must name an IANA time zone, such as ?timezone=America/Los_Angeles')
  }
  url.searchParams.delete('timezone')
  return { url: url.href, zone }
}
