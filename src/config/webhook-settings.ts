// Settings for webhooks: keys of their secrets, and allowed networks.

import { parser, secretSetting, setting } from './kinds/setting.ts'
import { keysOf32Bytes, subnets } from './kinds/setting-kinds.ts'

// biome-ignore format: a table, as SETTINGS.md is
export const webhookSettings = {
  webhookKeys: secretSetting('WEBHOOK_KEYS', '', parser(keysOf32Bytes.examples, text => (text === '' ? [] : keysOf32Bytes(text))),
    'Keys for webhook secrets: 32 bytes in Base64, comma-separated, current first. Empty: no webhooks.'),
  webhookAllowedNetworks: setting('WEBHOOK_ALLOWED_NETWORKS', '', subnets,
    'Private networks that webhooks may reach: comma-separated CIDR.'),
}
