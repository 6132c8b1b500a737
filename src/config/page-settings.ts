// Addresses and times in what is answered, pages, and what seals their tokens.

import { parser, secretSetting, setting, Unusable } from './kinds/setting.ts'
import { httpUrl, ianaTimeZone, keysOf32Bytes, wholeNumber } from './kinds/setting-kinds.ts'

// biome-ignore format: a table, as SETTINGS.md is
export const pageSettings = {
  baseUrl: setting('BASE_URL', '', httpUrl,
    'The address clients use, for docs and links; `https://…` in production. Requests for another host are refused, unless they name an IP address or localhost. Empty: the address that was asked.'),
  timeZone: setting('INSTANCE_TIME_ZONE', 'UTC', ianaTimeZone,
    'IANA time zone of the instance: zone of the times in exports and of dates without one in requests. Fixed from the first application on.'),
  maxPageSize: setting('MAX_PAGE_SIZE', '1000', wholeNumber(1, 1_000_000),
    'Most applications on one page, 1 to 1000000. Also the default page size.'),
  pageTokenKeys: secretSetting('PAGE_TOKEN_KEYS', undefined, keysOf32Bytes,
    'Keys of 32 bytes in Base64 that seal page tokens, comma-separated: the current one, then earlier ones still accepted. Only the service asks for it.'),
  apiKeyPepper: secretSetting('API_KEY_PEPPER', undefined, parser(['Zk3J9vXq2LmZ8wR5tYb7NcD4fGhP6sUaE1iOxZk3J9vXq2LmZ8wR5tYb7NcD4fGh'], pepper),
    'At least 32 random characters under which API key secrets are hashed. Changing it ends every key. Only the service and `scripts/api-key create` ask for it.'),
}

function pepper(text: string): string {
  if (text.length < 32 || new Set(text).size < 8)
    throw new Unusable('must be at least 32 characters of randomness (openssl rand -base64 48)')
  if (/change.?me|example|default|pepper|secret|password/i.test(text))
    throw new Unusable('must not be a placeholder (openssl rand -base64 48)')
  return text
}
