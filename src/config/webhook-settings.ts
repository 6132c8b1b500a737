// Webhooks: with what their secrets are made, and where they may lead.

import { parser, secretSetting, setting } from './kinds/setting.ts'
import { keysOf32Bytes, subnets } from './kinds/setting-kinds.ts'

// biome-ignore format: a table, as SETTINGS.md is
export const webhookSettings = {
  webhookKeys: secretSetting('WEBHOOK_KEYS', '', parser(keysOf32Bytes.examples, text => (text === '' ? [] : keysOf32Bytes(text))),
    'Keys of 32 bytes in Base64 that the secrets of webhooks are derived from, comma-separated: the current one, then earlier ones. For the service and the workers. Empty: no webhook can be added.'),
  webhookAllowedNetworks: setting('WEBHOOK_ALLOWED_NETWORKS', '', subnets,
    'Subnets (comma-separated CIDR) that webhooks may lead to though they are not on the public internet. For the service and the workers.'),
}
