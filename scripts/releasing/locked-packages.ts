// The packages that production needs, as locked in bun.lock, each with its license.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface LockedPackage {
  /** Its location in bun.lock: `pg`, or `a/b` for the `b` that only `a` gets. */
  place: string
  name: string
  version: string
  /** SHA-512 in hexadecimal. */
  sha512: string
  /** From its package.json: an SPDX ID or expression. */
  licence: string
  homepage: string | undefined
  /** Locations of its dependencies. */
  needs: string[]
}

interface Entry {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  optionalPeers?: string[]
}

type Lock = {
  workspaces: Record<
    string,
    Pick<Entry, 'optionalDependencies'> & { name: string; dependencies: Record<string, string> }
  >
  packages: Record<string, [id: string, registry: string, entry: Entry, integrity: string]>
}

/**
 * Everything that `dependencies` of package.json lead to, including installed optional packages, by location; and the locations of those listed
 * there.
 */
export async function readLockedPackages(root: string): Promise<{ direct: string[]; packages: LockedPackage[] }> {
  const { default: lock } = (await import(join(root, 'bun.lock'))) as { default: Lock }
  const { dependencies, optionalDependencies = {} } = lock.workspaces['']!
  const optional = Object.keys(optionalDependencies).filter(place => existsSync(manifestOf(root, place)))
  const direct = [...Object.keys(dependencies), ...optional]
  const found = new Map<string, LockedPackage>()
  const waiting = [...direct]
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (found.has(place)) continue
    const read = readPackage(lock, root, place)
    found.set(place, read)
    waiting.push(...read.needs)
  }
  return { direct, packages: [...found.values()].sort((a, b) => (a.place < b.place ? -1 : 1)) }
}

const compiler = 'typescript'

function readPackage(lock: Lock, root: string, place: string): LockedPackage {
  const [id, , entry, integrity] = lock.packages[place]!
  const at = id.lastIndexOf('@')
  const name = id.slice(0, at)
  const manifest = JSON.parse(readFileSync(manifestOf(root, place), 'utf8')) as {
    license?: string
    homepage?: string
  }
  const { dependencies, optionalDependencies, peerDependencies, optionalPeers = [] } = entry
  // An optional peer is installed and used if something else requires it; but nothing that runs imports the compiler.
  const peers = Object.keys(peerDependencies ?? {}).filter(peer => peer !== compiler || !optionalPeers.includes(peer))
  const optional = Object.keys(optionalDependencies ?? {})
  const names = [...new Set([...Object.keys(dependencies ?? {}), ...optional, ...peers])]
  return {
    place,
    name,
    version: id.slice(at + 1),
    sha512: Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex'),
    licence: manifest.license ?? 'none stated',
    homepage: manifest.homepage,
    needs: names.flatMap(needed => {
      const at = placeOf(lock, place, needed)
      // Optional packages may be for another system.
      const isHere = at !== undefined && (!optional.includes(needed) || existsSync(manifestOf(root, at)))
      return isHere ? [at] : []
    }),
  }
}

const manifestOf = (root: string, place: string): string =>
  join(root, 'node_modules', namesOf(place).join('/node_modules/'), 'package.json')

/** A package gets the nearest: its own, that of the package it belongs to, or the common one. */
function placeOf(lock: Lock, place: string, needed: string): string | undefined {
  for (let above = namesOf(place); ; above.pop()) {
    const candidate = [...above, needed].join('/')
    if (lock.packages[candidate] !== undefined) return candidate
    if (above.length === 0) return undefined
  }
}

/** `['a', '@scope/b']` for `a/@scope/b`. */
const namesOf = (place: string): string[] => place.match(/@[^/]+\/[^/]+|[^/]+/g)!
