// Settings for the applicants' pages.

import { parser, secretSetting, setting, Unusable } from './kinds/setting.ts'
import { duration, httpUrl, onOff, optional, text, wholeNumber } from './kinds/setting-kinds.ts'

// biome-ignore format: a table, as SETTINGS.md is
export const applySettings = {
  apply: setting('APPLY', 'off', onOff,
    '`on` or `off`: pages at `/apply` where people apply. Off removes their routes.'),
  applyCodeDays: setting('APPLY_CODE_DAYS', '90', wholeNumber(1, 3650),
    'Days after its last use until an applicant’s code expires, 1 to 3650.'),
  applyIdleMs: setting('APPLY_IDLE', '20m', duration('1m', '24h'),
    'How long an applicant’s session lasts without a request, 1m to 24h.'),
  applyColor: setting('APPLY_COLOR', '#0b5a6f', parser(['#0b5a6f', '#7a1f5c'], darkColor),
    'Color of the header and buttons of these pages, dark enough for white text: `#0b5a6f`.'),
  applyLogo: setting('APPLY_LOGO', '', text('/etc/tributary/logo.svg'),
    'Logo in the header of these pages: path of an SVG or PNG file. The name beside it is INSTALLATION_NAME.'),
  filesDir: setting('FILES_DIR', '', optional(parser(['/var/lib/tributary-files', 's3://bucket', 's3://bucket/folder'], filesPlace)),
    'Storage for uploaded files, the same for service and worker: a folder, or `s3://bucket/folder`. Empty: no uploads.'),
  filesBytesMax: setting('FILES_MAX_BYTES', '107374182400', wholeNumber(0, 100_000_000_000_000),
    'Total size of uploaded files at which no more are accepted, 0 to 100000000000000 bytes.'),
  s3Endpoint: setting('S3_ENDPOINT', 'https://s3.amazonaws.com', httpUrl,
    'Address of the S3-compatible storage, for FILES_DIR with `s3://`.'),
  s3Region: setting('S3_REGION', 'us-east-1', text('us-east-1', 'auto'),
    'Region of the bucket.'),
  s3AccessKeyId: setting('S3_ACCESS_KEY_ID', '', optional(text('AKIAIOSFODNN7EXAMPLE')),
    'Access key ID for the bucket. Requires S3_SECRET_ACCESS_KEY.'),
  s3SecretAccessKey: secretSetting('S3_SECRET_ACCESS_KEY', '', optional(text('wJalrXUtnFEMI/K7MDENG')),
    'Secret access key for S3_ACCESS_KEY_ID.'),
}

/** A folder, as an absolute path so that service and worker use the same one, or a bucket with a prefix for its object names. */
function filesPlace(text: string): { folder: string } | { bucket: string; prefix: string } {
  if (text.startsWith('/')) return { folder: text }
  const [, bucket, folder = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{2,62})(?:\/(.*))?$/.exec(text) ?? []
  if (bucket === undefined) throw new Unusable('must be an absolute path, or s3://bucket/folder')
  const path = folder.replace(/^\/+|\/+$/g, '')
  return { bucket, prefix: path === '' ? '' : `${path}/` }
}

/** White text on it has a contrast of at least 4.5 : 1 (WCAG 1.4.3). */
function darkColor(text: string): string {
  const [, ...parts] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text) ?? []
  const [red = 1, green = 1, blue = 1] = parts.map(part => {
    const value = Number.parseInt(part, 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  if (parts.length === 3 && 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05) >= 4.5)
    return text.toLowerCase()
  throw new Unusable('must be a color such as #0b5a6f on which white text can be read (contrast 4.5 : 1)')
}
