// The release, and the commit if it was built by scripts/build.

import { version } from '../../package.json'

/** Put in by scripts/build; a checkout does not have it. */
declare const TRIBUTARY_COMMIT: string | undefined

export const release: { version: string; commit: string | undefined } = {
  version,
  commit: typeof TRIBUTARY_COMMIT === 'string' ? TRIBUTARY_COMMIT : undefined,
}

/** Whether one release came before another; both as `1.2.3`. */
export function isOlder(one: string, other: string): boolean {
  const [a, b] = [one, other].map(text => text.split('.').map(Number)) as [number[], number[]]
  const i = a.findIndex((number, at) => number !== b[at])
  return i !== -1 && a[i]! < b[i]!
}

/** A connection's name in PostgreSQL: what it is for, and which release made it, so that an upgrade's end can see those before it. */
export const connectionName = (purpose: string): string => `${purpose} ${version}`

/** For people: `1.0.0 (1a2b3c4)`. */
export const releaseName: string = release.commit === undefined ? version : `${version} (${release.commit})`
