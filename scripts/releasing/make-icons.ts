// Writes src/html/icon-paths.ts: the shapes of the icons that pages use, out of the lucide package. Run it after adding a name.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** lucide's names. */
const iconNames = [
  'activity', 'book-open', 'chevron-left', 'chevron-right', 'circle-alert', 'copy', 'ellipsis', 'file-text', 'flask-conical',
  'folder-open', 'handshake', 'house', 'inbox', 'key-round', 'list-tree', 'log-out', 'menu', 'plus', 'scroll-text', 'search',
  'settings', 'trash-2', 'users', 'download', 'upload', 'refresh-cw', 'check', 'x', 'arrow-up', 'arrow-down', 'pencil',
  'pause', 'play', 'webhook',
] // biome-ignore format: one list

const folder = join(import.meta.dir, '../../node_modules/lucide-static/icons')

/** The file's text, made of the package that is installed. */
export function iconFile(): string {
  const entries = [...iconNames].sort().map(name => {
    const svg = readFileSync(join(folder, `${name}.svg`), 'utf8')
    const inner = svg.slice(svg.indexOf('>', svg.indexOf('<svg')) + 1, svg.lastIndexOf('</svg>'))
    return `  '${name}':\n    '${inner.replace(/\s+/g, ' ').replaceAll(' />', '/>').replaceAll('> <', '><').trim()}',\n`
  })
  return `// Written by scripts/releasing/make-icons.ts out of lucide (ISC License, https://lucide.dev). Not to be edited.\n// biome-ignore-all format: generated\n\nexport const iconPaths = {\n${entries.join('')}} as const\n`
}

if (import.meta.main) writeFileSync(join(import.meta.dir, '../../src/html/icon-paths.ts'), iconFile())
