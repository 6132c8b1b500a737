// The release, and the commit if it was built by scripts/build.

import { version } from '../../package.json'

/** Set by scripts/build; undefined in a checkout. */
declare const TRIBUTARY_COMMIT: string | undefined

export const release: { version: string; commit: string | undefined } = {
  version,
  commit: typeof TRIBUTARY_COMMIT === 'string' ? TRIBUTARY_COMMIT : undefined,
}

/** Whether one release, such as `1.2.3`, came before another. */
export function isOlder(release: string, than: string): boolean {
  const [a, b] = [release, than].map(text => text.split('.').map(Number)) as [number[], number[]]
  const i = a.findIndex((number, at) => number !== b[at])
  return i !== -1 && a[i]! < b[i]!
}

/**
 * A connection's name in PostgreSQL: its purpose and the release that opened it, so that finishing an upgrade can detect connections of earlier
 * releases.
 */
export const connectionName = (purpose: string): string => `${purpose} ${version}`

/** For people: `1.0.0 (1a2b3c4)`. */
export const releaseName: string = release.commit === undefined ? version : `${version} (${release.commit})`
