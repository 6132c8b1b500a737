// The applicants' pages.

import { parser, setting, Unusable } from './kinds/setting.ts'
import { duration, onOff, text, wholeNumber } from './kinds/setting-kinds.ts'

// biome-ignore format: a table, as SETTINGS.md is
export const applySettings = {
  apply: setting('APPLY', 'off', onOff,
    '`on` or `off`: pages at `/apply` on which people apply. Off removes their routes.'),
  applyCodeDays: setting('APPLY_CODE_DAYS', '90', wholeNumber(1, 3650),
    'Days after its last use until an applicant’s code expires, 1 to 3650.'),
  applyIdleMs: setting('APPLY_IDLE', '20m', duration('1m', '24h'),
    'How long an applicant’s session lasts without a request, 1m to 24h.'),
  applyColor: setting('APPLY_COLOR', '#0b5a6f', parser(['#0b5a6f', '#7a1f5c'], darkColor),
    'Color of the header and buttons of these pages, dark enough for white text: `#0b5a6f`.'),
  applyLogo: setting('APPLY_LOGO', '', text('/etc/tributary/logo.svg'),
    'Logo in the header of these pages: path of an SVG or PNG file. Their name is INSTALLATION_NAME.'),
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
