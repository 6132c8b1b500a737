// The key map of a program and what each of its versions lacks of it: computed from the published versions, kept in the
// database by a job and in memory by each process. Everything here can be dropped at any time.

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

/** Count it up when you change what is kept, or how it is computed: what is kept under another number is not used. */
export const keyMapCodeVersion = 2

export interface ProgramKeyMap {
  keyMap: KeyMap
  /** The shape of each version ever published, by program version id. */
  shapes: ReadonlyMap<number, KeyMap>
  /** What the applications of each version lack of the key map, by program version id. */
  fills: ReadonlyMap<number, VersionFill>
  profile: ExportProfile
  /** Whether it is of a program that is followed: its versions may be replaced, and walks over them are then over. */
  isFollowed: boolean
  /** Where a view shows less than all: the shapes that applications are stored in. */
  stored?: ReadonlyMap<number, KeyMap>
}

type FilledKeyMap = Omit<ProgramKeyMap, 'isFollowed'>

/**
 * What is kept: the key map, and the shape of each version, whole. A shape cannot be cut out of the key map: stored texts have the order
 * in which their version asks, the key map has that of first publication.
 */
interface KeptKeyMap {
  key_map: KeyMap
  versions: { program_version_id: number; shape: KeyMap }[]
}

/**
 * Key maps by program and publication. What a program's versions up to one publication make never changes, since versions are only
 * ever added, and each is published later than all before it. So walks that began before a publication and after it each find
 * theirs, and no notice that could get lost is needed for correctness. Of a program that is followed a version may be replaced: the
 * publications that had it are then gone, and each page is read on the condition that its own is there (`require_questions`).
 */
export class KeyMaps {
  readonly #kept = new Map<string, Promise<ProgramKeyMap>>()
  /** What views show of those, which clients may ask for at will. */
  readonly #views = new Map<string, ProgramKeyMap>()

  /** Beyond `keptMax`, it drops the one used least recently. */
  constructor(
    private readonly keptMax = 1000,
    /** How followed programs are exported. */
    private readonly profile: ExportProfile = 'contract',
    private readonly viewsMax = 100,
  ) {}

  /** The key map of the versions published up to `asOf`, which is when the last of them was; `earliest` for none. */
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

  /** As `load`, of what a view shows. */
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

/** Puts a value last, and drops the first one when they exceed `max`. */
function keepNewest<Value>(kept: Map<string, Value>, name: string, value: Value, max: number): void {
  kept.delete(name)
  kept.set(name, value)
  const [oldest] = kept.keys()
  if (kept.size > max && oldest !== undefined) kept.delete(oldest)
}

/** As if the program had asked nothing but what the view shows. */
function inView({ keyMap, shapes, profile, isFollowed }: ProgramKeyMap, view: QuestionView): ProgramKeyMap {
  const seen = visiblePart(keyMap, view)
  const seenShapes = new Map([...shapes].map(([id, shape]) => [id, visibleShape(shape, seen)]))
  return { ...withFills(seen, seenShapes, profile), isFollowed, stored: shapes }
}

/**
 * As the origin has it, where the contract says otherwise: questions of the draft count too, as they are at this moment, and entities
 * have only what their own version asked. Computed for each page, since a draft is edited in place.
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

/** What is kept for the publication, else computed from the versions (D21). */
async function loadQuestions(db: Db, programId: number, asOf: Micros): Promise<FilledKeyMap> {
  const row = await findKeptKeyMap(db, programId, asOf)
  if (row?.code_version === keyMapCodeVersion) {
    const { key_map, versions } = row.content as KeptKeyMap
    return withFills(key_map, new Map(versions.map(({ program_version_id, shape }) => [program_version_id, shape])))
  }
  return keyMapOf(await readVersionsAsOf(db, programId, asOf))
}

/** Throws a Problem where the publication of then is not there: the database was set back, or is not the one in which it was read. */
async function readVersionsAsOf(db: Db, programId: number, asOf: Micros): Promise<PublishedVersion[]> {
  const all = await readPublishedVersions(db, programId)
  const published = all.filter(version => version.published_at! <= asOf)
  if ((published.at(-1)?.published_at ?? earliest) === asOf) return published
  throw new Problem('unavailable', {
    detail:
      'The database that would answer does not have the questions of this walk. Try again in a few seconds. ' +
      'If it was restored from a backup, that will not help: begin the walk again, without a token.',
    retryAfterSeconds: 5,
    internal: published.length < all.length ? publicationLost : 'publication_missing',
  })
}

/** A later one is there, and publications come in their order: that one never will. */
const publicationLost = 'publication_lost'

/** Whether waiting is in vain for a publication that `load` did not find. */
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
 * Computes and keeps the key map of a program as of one of its published versions: the job `refresh-key-map`. Running twice is
 * running once. Does nothing for a draft, which is in no key map. Throws a `not_found` Problem when the version is gone.
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
