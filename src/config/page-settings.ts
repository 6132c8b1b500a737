// Settings for addresses and times in responses, for pages and for page tokens.

import { parser, secretSetting, setting, Unusable } from './kinds/setting.ts'
import { httpUrl, ianaTimeZone, keysOf32Bytes, wholeNumber } from './kinds/setting-kinds.ts'

// biome-ignore format: a table, as SETTINGS.md is
export const pageSettings = {
  baseUrl: setting('BASE_URL', '', httpUrl,
    'Address clients use, for docs and links; `https://…` in production. Empty: the requested address.'),
  timeZone: setting('INSTANCE_TIME_ZONE', 'UTC', ianaTimeZone,
    'IANA time zone of exported times, and of dates sent without one. Fixed by the first application.'),
  maxPageSize: setting('MAX_PAGE_SIZE', '1000', wholeNumber(1, 1_000_000),
    'Default and maximum number of applications per page, 1 to 1000000.'),
  pageTokenKeys: secretSetting('PAGE_TOKEN_KEYS', undefined, keysOf32Bytes,
    'Keys that seal page tokens: 32 bytes in Base64, comma-separated, the current key first.'),
  apiKeyPepper: secretSetting('API_KEY_PEPPER', undefined, parser(['Zk3J9vXq2LmZ8wR5tYb7NcD4fGhP6sUaE1iOxZk3J9vXq2LmZ8wR5tYb7NcD4fGh'], pepper),
    'At least 32 random characters for hashing API key secrets. A change invalidates keys and applicants’ codes.'),
}

function pepper(text: string): string {
  if (text.length < 32 || new Set(text).size < 8)
    throw new Unusable('must be at least 32 random characters (openssl rand -base64 48)')
  if (/change.?me|example|default|pepper|secret|password/i.test(text))
    throw new Unusable('must not be a placeholder (openssl rand -base64 48)')
  return text
}
