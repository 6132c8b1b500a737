// The key map of a program and the parts that each version lacks, computed from the published versions, stored in the database by a job and
// cached in memory by each process. All of it can be dropped at any time.

import { Problem } from '../../base/problem.ts'
import type { Db } from '../../db/client.ts'
import { upsertDerived } from '../../db/derived/derived-content.ts'
import { findKeptKeyMap } from '../../db/derived/key-maps.ts'
import { findOrigin } from '../../db/origin.ts'
import { findDraftVersion, loadProgramVersion, readPublishedVersions } from '../../db/programs/programs.ts'
import { buildKeyMap, type ExportProfile, type KeyMap, type PublishedVersion } from '../../domain/questions/key-map.ts'
import {
  isWhole,
  type QuestionView,
  viewName,
  visiblePart,
  visibleShape,
} from '../../domain/questions/question-view.ts'
import { planFill, type VersionFill } from '../../domain/questions/version-fill.ts'
import { earliest, type Micros } from '../../domain/values/offset-time.ts'

/** Increase it when you change the stored data or its computation; data with another number is not used. */
export const keyMapCodeVersion = 2

export interface ProgramKeyMap {
  keyMap: KeyMap
  /** Shape of each published version, by program version ID. */
  shapes: ReadonlyMap<number, KeyMap>
  /** Parts of the key map that applications of each version lack, by program version ID. */
  fills: ReadonlyMap<number, VersionFill>
  profile: ExportProfile
  /** Whether the program is copied from another system: its versions can be replaced, which ends the walks over them. */
  isFollowed: boolean
  /** Shapes of stored applications, if a view hides part of them. */
  stored?: ReadonlyMap<number, KeyMap>
}

type FilledKeyMap = Omit<ProgramKeyMap, 'isFollowed'>

/**
 * Stored data: the key map and the full shape of each version. A shape cannot be derived from the key map, because stored texts are in the
 * order of their version and the key map is in order of first publication.
 */
interface KeptKeyMap {
  key_map: KeyMap
  versions: { program_version_id: number; shape: KeyMap }[]
}

/**
 * Key maps by program and publication. The key map up to a publication never changes, because versions are only added, each published later
 * than the ones before. So walks that began before and after a publication each find theirs, and correctness needs no notifications. In a
 * copied program a version can be replaced: its publications then no longer exist, and each page requires that its own does
 * (`require_questions`).
 */
export class KeyMaps {
  readonly #kept = new Map<string, Promise<ProgramKeyMap>>()
  /** Key maps of views, which clients can choose freely. */
  readonly #views = new Map<string, ProgramKeyMap>()

  /** Drops the least recently used key map beyond `keptMax`. */
  constructor(
    private readonly keptMax = 1000,
    /** How copied programs are exported. */
    private readonly profile: ExportProfile = 'contract',
    private readonly viewsMax = 100,
  ) {}

  /** Key map of the versions published up to `asOf`, the publication time of the last of them; `earliest` for none. */
  async load(db: Db, programId: number, asOf: Micros): Promise<ProgramKeyMap> {
    if (this.profile === 'origin' && (await findOrigin(db)) !== undefined) return asOriginHasIt(db, programId, asOf)
    const name = `${programId} ${asOf}`
    const keyMap = this.#kept.get(name) ?? loadKeyMap(db, programId, asOf)
    keepNewest(this.#kept, name, keyMap, this.keptMax)
    try {
      return await keyMap
    } catch (error) {
      if (this.#kept.get(name) === keyMap) this.#kept.delete(name)
      throw error
    }
  }

  /** Like `load`, limited to what a view shows. */
  async loadVisible(db: Db, programId: number, asOf: Micros, view: QuestionView): Promise<ProgramKeyMap> {
    const whole = await this.load(db, programId, asOf)
    if (isWhole(view)) return whole
    if (this.profile === 'origin') return inView(whole, view)
    const name = `${programId} ${asOf} ${viewName(view)}`
    const seen = this.#views.get(name) ?? inView(whole, view)
    keepNewest(this.#views, name, seen, this.viewsMax)
    return seen
  }
}

/** Adds a value at the end and drops the first one beyond `max`. */
function keepNewest<Value>(kept: Map<string, Value>, name: string, value: Value, max: number): void {
  kept.delete(name)
  kept.set(name, value)
  const [oldest] = kept.keys()
  if (kept.size > max && oldest !== undefined) kept.delete(oldest)
}

/** The key map as if the program had asked only the questions of the view. */
function inView({ keyMap, shapes, profile, isFollowed }: ProgramKeyMap, view: QuestionView): ProgramKeyMap {
  // Versions are in order of publication.
  const newest = view.questions === 'current' ? [...shapes.values()].at(-1) : undefined
  const seen = visiblePart(newest === undefined ? keyMap : visibleShape(keyMap, newest), view)
  const seenShapes = new Map([...shapes].map(([id, shape]) => [id, visibleShape(shape, seen)]))
  return { ...withFills(seen, seenShapes, profile), isFollowed, stored: shapes }
}

/**
 * Key map as the followed system has it, which differs from the contract: it includes the draft's current questions, and entities have only
 * the questions of their own version. Computed for each page, because drafts are edited in place.
 */
async function asOriginHasIt(db: Db, programId: number, asOf: Micros): Promise<ProgramKeyMap> {
  const published = await readVersionsAsOf(db, programId, asOf)
  const draft = await findDraftVersion(db, programId)
  const shapes = new Map(published.map(version => [version.program_version_id, buildKeyMap([version])]))
  const keyMap = buildKeyMap(draft === undefined ? published : [...published, draft])
  return { ...withFills(keyMap, shapes, 'origin'), isFollowed: true }
}

async function loadKeyMap(db: Db, programId: number, asOf: Micros): Promise<ProgramKeyMap> {
  const [questions, origin] = await Promise.all([loadQuestions(db, programId, asOf), findOrigin(db)])
  return { ...questions, isFollowed: origin !== undefined }
}

/** The stored key map of the publication, or one computed from the versions (D21). */
async function loadQuestions(db: Db, programId: number, asOf: Micros): Promise<FilledKeyMap> {
  const row = await findKeptKeyMap(db, programId, asOf)
  if (row?.code_version === keyMapCodeVersion) {
    const { key_map, versions } = row.content as KeptKeyMap
    return withFills(key_map, new Map(versions.map(({ program_version_id, shape }) => [program_version_id, shape])))
  }
  return keyMapOf(await readVersionsAsOf(db, programId, asOf))
}

/** Throws a Problem if the publication does not exist: the database was reset, or lags behind the one that it was read from. */
async function readVersionsAsOf(db: Db, programId: number, asOf: Micros): Promise<PublishedVersion[]> {
  const all = await readPublishedVersions(db, programId)
  const published = all.filter(version => version.published_at! <= asOf)
  if ((published.at(-1)?.published_at ?? earliest) === asOf) return published
  throw new Problem('unavailable', {
    detail:
      'The database does not have the questions of this export. Try again in a few seconds. ' +
      'If it was restored from a backup, start the export again without a token.',
    retryAfterSeconds: 5,
    internal: published.length < all.length ? publicationLost : 'publication_missing',
  })
}

/** A later publication exists, and publications arrive in order, so this one never will. */
const publicationLost = 'publication_lost'

/** Whether a publication that `load` did not find will never arrive. */
export const isLostPublication = (error: unknown): boolean =>
  error instanceof Problem && error.internal === publicationLost

function keyMapOf(versions: readonly PublishedVersion[]): FilledKeyMap {
  return withFills(
    buildKeyMap(versions),
    new Map(versions.map(version => [version.program_version_id, buildKeyMap([version])])),
  )
}

function withFills(
  keyMap: KeyMap,
  shapes: ReadonlyMap<number, KeyMap>,
  profile: ExportProfile = 'contract',
): FilledKeyMap {
  const fills = new Map([...shapes].map(([id, shape]) => [id, planFill(keyMap, shape, profile)]))
  return { keyMap, shapes, fills, profile }
}

/**
 * Computes and stores the key map of a program as of a published version: the job `refresh-key-map`. Idempotent. Does nothing for a draft,
 * which is in no key map. Throws Problem `not_found` if the version no longer exists.
 */
export async function refreshKeyMap(db: Db, programVersionId: number): Promise<void> {
  const startedMs = performance.now()
  const { program_id } = await loadProgramVersion(db, programVersionId)
  const published = await readPublishedVersions(db, program_id)
  const upTo = published.findIndex(version => version.program_version_id === programVersionId)
  if (upTo === -1) return
  const { keyMap, shapes } = keyMapOf(published.slice(0, upTo + 1))
  const content: KeptKeyMap = {
    key_map: keyMap,
    versions: [...shapes].map(([program_version_id, shape]) => ({ program_version_id, shape })),
  }
  await upsertDerived(db, 'program_key_map', {
    program_version_id: programVersionId,
    code_version: keyMapCodeVersion,
    content,
    duration_ms: performance.now() - startedMs,
  })
}
