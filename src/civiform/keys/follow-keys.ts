// CiviForm's API keys work here unchanged, with the same IDs, secrets, grants, subnets and expiry. A key retired there loses access here
// with the next round. Keys that can't be used are reported and left out.

import { appendAuditEvent } from '../../db/audit/audit.ts'
import { inTransaction, readNow } from '../../db/client.ts'
import { readPrograms } from '../../db/programs/programs.ts'
import { parseSubnet } from '../../domain/values/ip-address.ts'
import { isOriginKeyId } from '../../domain/values/origin-key-id.ts'
import { dropFindingsBefore, noteFindings, readFindings } from '../db/follow-state.ts'
import { type FollowedKey, readFollowedKeys, retireFollowedKeys, upsertFollowedKey } from '../db/followed-keys.ts'
import { readSourceKeys, type SourceKey } from '../db/source-catalogue.ts'
import type { Finding } from '../definitions/catalogue-version.ts'
import type { FollowReading } from '../source/followed-source.ts'

const kind = 'api_key'

/** Updates the keys here, and their findings, to CiviForm's. Returns the number of changes. */
export async function followKeys({ sql, source, options }: FollowReading): Promise<number> {
  const findings: Finding[] = []
  const theirs = (await readSourceKeys(source, options.databaseZone)).flatMap(key => readKey(key, findings))
  const ours = new Map((await readFollowedKeys(sql)).map(key => [key.api_key_id, key]))
  // An archived program is in no active version: CiviForm finds no program with its slug, whatever a key grants.
  const open = (await readPrograms(sql)).filter(program => program.active_version_id !== null)
  const known = new Set(open.map(program => program.slug))
  const wanted = theirs.map(key => ({ ...key, slugs: key.slugs.filter(slug => known.has(slug)).sort() }))
  const changed = wanted.filter(key => !isSame(key, ours.get(key.api_key_id)))
  const there = new Set(wanted.map(key => key.api_key_id))
  const gone = [...ours.values()].filter(key => !there.has(key.api_key_id) && key.retired_at === null)
  const reported = await readFindings(sql, kind)
  if (changed.length === 0 && gone.length === 0 && Bun.deepEquals(bySubject(reported), bySubject(findings))) return 0
  const now = await readNow(sql)
  await inTransaction(sql, async tx => {
    for (const key of changed) {
      await upsertFollowedKey(tx, key)
      const before = ours.get(key.api_key_id)
      const action =
        before === undefined
          ? 'api_key_followed'
          : key.retired_at !== null && before.retired_at === null
            ? 'api_key_retired'
            : 'api_key_changed'
      await appendAuditEvent(tx, {
        actor: 'civiform',
        action,
        subject: key.api_key_id,
        detail: { programs: [...key.slugs] },
      })
    }
    await retireFollowedKeys(
      tx,
      gone.map(key => key.api_key_id),
      now,
    )
    for (const key of gone)
      await appendAuditEvent(tx, { actor: 'civiform', action: 'api_key_retired', subject: key.api_key_id })
    await noteFindings(tx, findings)
    await dropFindingsBefore(tx, [kind], now)
  })
  return changed.length + gone.length
}

/** As stored: one for each subject, the last. */
const bySubject = (findings: readonly Finding[]): Map<string, string> =>
  new Map(findings.map(({ subject, detail }) => [subject, detail]))

const isSame = (key: FollowedKey, before: FollowedKey | undefined): boolean =>
  before !== undefined &&
  key.name === before.name &&
  key.secret_hash.equals(before.secret_hash) &&
  key.expires_at === before.expires_at &&
  key.retired_at === before.retired_at &&
  Bun.deepEquals([...key.allowed_subnets], [...before.allowed_subnets]) &&
  Bun.deepEquals([...key.slugs], [...before.slugs])

function readKey(key: SourceKey, findings: Finding[]): FollowedKey[] {
  const report = (detail: string): void => void findings.push({ kind, subject: key.key_id, detail })
  if (!isOriginKeyId(key.key_id)) {
    report('has an ID that is not 16 bytes in Base64; it has no access here')
    return []
  }
  const secret_hash = Buffer.from(key.salted_key_secret, 'base64')
  if (secret_hash.length !== 32) {
    report('has a secret of an unexpected length; it has no access here')
    return []
  }
  const allowed_subnets = key.subnet.split(',').flatMap(text => {
    const network = networkOf(text.trim())
    if (network === undefined) report(`allows the invalid subnet "${text}", which is left out`)
    return network === undefined ? [] : [network]
  })
  if (allowed_subnets.length === 0) {
    report('allows no valid subnet; it has no access here')
    return []
  }
  return [
    {
      api_key_id: key.key_id,
      name: key.name === '' ? key.key_id : key.name,
      secret_hash,
      expires_at: key.expiration,
      allowed_subnets,
      created_at: key.create_time ?? key.expiration,
      retired_at: key.retired_time,
      slugs: grantedSlugs(key.grants, report),
    },
  ]
}

/** In IPv4, as in CiviForm; bits beyond the mask are dropped. */
function networkOf(text: string): string | undefined {
  const match = /^([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})(?:\/([0-9]{1,2}))?$/.exec(text)
  if (match === null) return undefined
  const [a = 0, b = 0, c = 0, d = 0, bits = 32] = match.slice(1).map(part => (part === undefined ? 32 : Number(part)))
  if ([a, b, c, d].some(part => part > 255) || bits > 32) return undefined
  const mask = bits === 0 ? 0 : (0xffffffff << (32 - bits)) >>> 0
  const network = ((((a << 24) | (b << 16) | (c << 8) | d) >>> 0) & mask) >>> 0
  const shown = `${network >>> 24}.${(network >>> 16) & 255}.${(network >>> 8) & 255}.${network & 255}/${bits}`
  return 'error' in parseSubnet(shown) ? undefined : shown
}

/** Slugs with the permission to read. A grant belongs to the slug, whichever program has it. */
function grantedSlugs(grants: unknown, report: (detail: string) => void): string[] {
  const programs = (grants as { programGrants?: unknown } | null)?.programGrants
  if (typeof programs !== 'object' || programs === null) {
    report('has grants in an unknown format; it has no access here')
    return []
  }
  return Object.entries(programs).flatMap(([slug, permissions]) => {
    const given: unknown[] = Array.isArray(permissions) ? permissions : [permissions]
    const other = given.find(permission => permission !== 'READ')
    if (other !== undefined)
      report(`grants ${JSON.stringify(other)} on "${slug}", which is unknown; only READ gives access here`)
    return Array.isArray(permissions) && given.includes('READ') ? [slug] : []
  })
}
