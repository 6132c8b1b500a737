// Writes src/web/html/icon-paths.ts: the shapes of the icons that pages name, taken from the lucide package. Run it after naming a new one.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '../..')
const fileOf = (name: string): string => join(root, `node_modules/lucide-static/icons/${name}.svg`)

/** lucide's names, as pages write them: `icon="plus"`, `icon: 'inbox'`, `icon={on ? 'pause' : 'play'}`, `<Icon name="copy" />`. */
function iconNames(): string[] {
  const pages = [...new Bun.Glob('src/web/{html,docs,console}/**/*.{ts,tsx}').scanSync(root)]
  const places = pages.flatMap(
    path =>
      readFileSync(join(root, path), 'utf8').match(/(?:\bicon(?:=|: )|<Icon name=)(?:\{[^}]*\}|["'][^"']*["'])/g) ?? [],
  )
  const names = places.flatMap(place => [...place.matchAll(/["']([a-z0-9-]+)["']/g)].map(([, name]) => name!))
  return [...new Set(names)].filter(name => existsSync(fileOf(name))).sort()
}

/** The file's text, with the shapes of the package that is installed. */
export function iconFile(): string {
  const entries = iconNames().map(name => {
    const svg = readFileSync(fileOf(name), 'utf8')
    const inner = svg.slice(svg.indexOf('>', svg.indexOf('<svg')) + 1, svg.lastIndexOf('</svg>'))
    return `  '${name}':\n    '${inner.replace(/\s+/g, ' ').replaceAll(' />', '/>').replaceAll('> <', '><').trim()}',\n`
  })
  return `// Written by scripts/releasing/make-icons.ts out of lucide (ISC License, https://lucide.dev). Not to be edited.\n// biome-ignore-all format: generated\n\nexport const iconPaths = {\n${entries.join('')}} as const\n`
}

if (import.meta.main) writeFileSync(join(root, 'src/web/html/icon-paths.ts'), iconFile())
