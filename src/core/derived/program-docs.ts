// The generated docs of a program, cached or generated on demand. The worker stores the docs for readers who see everything in the database, in
// the default language; each process caches the docs that it generates in memory, per set of hidden questions and language.
// All of them can be dropped at any time and are regenerated from the versions.

import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../db/client.ts'
import { upsertDerived } from '../../db/derived/derived-content.ts'
import {
  type DocumentedState,
  type DocumentedVersionRow,
  type ListedVersionRow,
  readDocumentedVersions,
  readListedVersions,
} from '../../db/derived/docs-examples.ts'
import { findDraftVersion, loadProgram, loadProgramVersion, readPublishedVersions } from '../../db/programs/programs.ts'
import { enumeratorDepthUsual } from '../../domain/definitions/program-definition.ts'
import { visibleVersions } from '../../domain/definitions/visible-version.ts'
import { languagesOf, lookupTags, offeredLanguage } from '../../domain/languages/localized.ts'
import { followedShape } from '../../domain/questions/followed-shape.ts'
import type { ExportProfile } from '../../domain/questions/key-map.ts'
import { viewName } from '../../domain/questions/question-view.ts'
import type { ShortExample } from '../../domain/samples/docs-example.ts'
import {
  type DocsMaking,
  type DocumentableVersion,
  type VersionDocs,
  versionDocs,
} from '../../domain/samples/version-docs.ts'
import type { Micros } from '../../domain/values/offset-time.ts'

/**
 * Increase it when a release generates different docs for the same program: stored docs with another number are not shown, and those with a
 * lower one are regenerated. A test fails if the docs of a fixed program change and this number does not.
 */
export const docsCodeVersion = 15

/** The docs of a program's ACTIVE or DRAFT version. */
export interface GeneratedDocs {
  docs: VersionDocs
  state: 'ACTIVE' | 'DRAFT'
  /** Language of the texts, which is one of these; the default one comes first. */
  language: string
  languages: readonly string[]
  /** Time of publication; for a draft, time of the last save. */
  since: Micros
  generated_at: Micros
  /** Time of the latest failed regeneration, which left the previous docs; null if one has succeeded since. */
  failed_at: Micros | null
}

/** Stored docs of a version, with the settings they depend on. */
interface KeptDocs extends VersionDocs {
  time_zone: string
  enumerator_depth_max: number
  export_profile: ExportProfile
}

/** Docs generated with other settings are not shown. */
const keptSettings = (making: DocsMaking): Omit<KeptDocs, keyof VersionDocs> => ({
  time_zone: making.timeZone,
  enumerator_depth_max: making.enumeratorDepthMax ?? enumeratorDepthUsual,
  export_profile: making.exportProfile ?? 'contract',
})

/** The short example of an ACTIVE or DRAFT version. */
export interface ListedVersion {
  program_version_id: number
  state: 'ACTIVE' | 'DRAFT'
  example: ShortExample
  freshness: DocsFreshness
}

/** Whether the docs of a version are up to date, for administrators. */
export interface DocsFreshness {
  /** When the stored docs were generated; null if there are no valid ones, so that docs are generated on each request. */
  made_at: Micros | null
  regeneration: ListedVersionRow['regeneration']
  last_error: string | null
}

/** Docs that a process generated, as text, which has a known size and cannot be modified by readers. */
interface MadeDocs {
  text: string
  short_example: ShortExample
  made_at: Micros
}

/**
 * The docs of programs as readers see them. Docs generated here are cached by version, newest publication, hidden questions and language, so
 * nothing has to be invalidated. Concurrent readers share one generation, and readers with the same hidden questions wait for one another, because
 * generating many large versions takes about a second of this process, which other requests need too.
 */
export class ProgramDocs {
  readonly #kept = new Map<string, MadeDocs>()
  #keptChars = 0
  readonly #underWay = new Map<string, Promise<MadeDocs | undefined>>()
  /** End of the running generation for each set of hidden questions. */
  readonly #ends = new Map<string, Promise<void>>()

  constructor(
    private readonly making: DocsMaking,
    private readonly now: () => Micros,
    /** Maximum characters cached, of one or two bytes each; the least recently read docs are dropped first. */
    private readonly keptCharsMax = 20_000_000,
  ) {}

  /**
   * Docs of the ACTIVE version, then of the DRAFT; empty if the program has neither. `hidden` are question IDs. Each version is described in
   * the language that best fits `wanted`.
   */
  async load(db: Db, programId: number, hidden: ReadonlySet<number>, wanted?: string): Promise<GeneratedDocs[]> {
    const all: GeneratedDocs[] = []
    for (const row of await readDocumentedVersions(db, programId)) {
      const { state, since, failed_at } = row
      const languages = languagesOf(row.details)
      const language = offeredLanguage(row.details, wanted === undefined ? [] : [wanted])
      const common = { state, since, failed_at, language, languages }
      const tags = language === languages[0] ? [] : lookupTags(language)
      const kept = hidden.size > 0 || tags.length > 0 ? undefined : keptDocs(row, this.making)
      if (kept !== undefined) {
        all.push({ ...common, docs: kept.docs, generated_at: kept.produced_at })
        continue
      }
      const made = await this.#made(db, programId, row, hidden, tags)
      // The draft may have been replaced since.
      if (made === undefined) continue
      all.push({ ...common, docs: JSON.parse(made.text) as VersionDocs, generated_at: made.made_at })
    }
    return all
  }

  /** Short examples of the ACTIVE version, then the DRAFT, of each of these programs, without reading the full docs. */
  async loadShortExamples(
    db: Db,
    programIds: readonly number[],
    hidden: ReadonlySet<number>,
  ): Promise<Map<number, ListedVersion[]>> {
    const members = [
      ...(['short_example', 'changed_since'] satisfies (keyof VersionDocs)[]),
      ...Object.keys(keptSettings(this.making)),
    ]
    const listed = new Map<number, ListedVersion[]>(programIds.map(id => [id, []]))
    for (const row of await readListedVersions(db, programIds, members)) {
      const { program_id, program_version_id, state, regeneration, last_error } = row
      const kept = hidden.size > 0 ? undefined : keptDocs(row, this.making)
      const shown = kept?.docs ?? (await this.#made(db, program_id, row, hidden, []))
      if (shown === undefined) continue
      const freshness = { made_at: kept?.produced_at ?? null, regeneration, last_error }
      listed.get(program_id)!.push({ program_version_id, state, example: shown.short_example, freshness })
    }
    return listed
  }

  /** `tags` as in `versionDocs`. Undefined if the program no longer has this version. */
  async #made(
    db: Db,
    programId: number,
    { program_version_id, since, newest_publication }: DocumentedState,
    hidden: ReadonlySet<number>,
    tags: readonly string[],
  ): Promise<MadeDocs | undefined> {
    const view = viewName({ hidden, chosen: undefined })
    const name = `${program_version_id} ${since} ${newest_publication} ${tags[0] ?? ''} ${view}`
    const kept = this.#kept.get(name)
    if (kept !== undefined) {
      this.#keep(name, kept)
      return kept
    }
    const underWay = this.#underWay.get(name)
    if (underWay !== undefined) return underWay
    const making = this.#oneAtATime(view, async () => {
      const docs = await makeDocs(db, programId, program_version_id, this.making, hidden, tags)
      if (docs === undefined) return undefined
      const made = { text: JSON.stringify(docs), short_example: docs.short_example, made_at: this.now() }
      this.#keep(name, made)
      return made
    }).finally(() => this.#underWay.delete(name))
    this.#underWay.set(name, making)
    return making
  }

  /** Runs `work` after earlier work for the same view, whether or not that succeeds. */
  #oneAtATime<Value>(view: string, work: () => Promise<Value>): Promise<Value> {
    const turn = (this.#ends.get(view) ?? Promise.resolve()).then(work)
    const ended = () => {
      if (this.#ends.get(view) === end) this.#ends.delete(view)
    }
    const end: Promise<void> = turn.then(ended, ended)
    this.#ends.set(view, end)
    return turn
  }

  /** Marks docs as the most recently read. */
  #keep(name: string, made: MadeDocs): void {
    this.#drop(name)
    this.#kept.set(name, made)
    this.#keptChars += name.length + made.text.length
    for (const oldest of this.#kept.keys()) {
      if (this.#keptChars <= this.keptCharsMax) return
      this.#drop(oldest)
    }
  }

  #drop(name: string): void {
    const made = this.#kept.get(name)
    if (made === undefined) return
    this.#kept.delete(name)
    this.#keptChars -= name.length + made.text.length
  }
}

/**
 * Generates the docs of a program version in any state and replaces the stored ones: the job `refresh-docs-example`. Idempotent. Throws
 * Problem `not_found` if the version no longer exists.
 */
export async function refreshDocsExample(db: Db, programVersionId: number, making: DocsMaking): Promise<void> {
  const startedMs = performance.now()
  const { program_id } = await loadProgramVersion(db, programVersionId)
  const docs = await makeDocs(db, program_id, programVersionId, making, new Set(), [])
  if (docs === undefined) return
  const content: KeptDocs = { ...docs, ...keptSettings(making) }
  await upsertDerived(db, 'docs_example', {
    program_version_id: programVersionId,
    code_version: docsCodeVersion,
    content,
    duration_ms: performance.now() - startedMs,
  })
}

/** Undefined if the program has no published version or draft with this ID. */
async function makeDocs(
  db: Db,
  programId: number,
  programVersionId: number,
  making: DocsMaking,
  hidden: ReadonlySet<number>,
  tags: readonly string[],
): Promise<VersionDocs | undefined> {
  const docsOf = async (version: DocumentableVersion, earlier: readonly DocumentableVersion[]) => {
    const seen = hidden.size === 0 ? [...earlier, version] : visibleVersions([...earlier, version], hidden)
    const followed = followedShape(await loadProgram(db, version.slug), making.exportProfile ?? 'contract')
    return versionDocs({ ...seen.at(-1)!, program_name: followed?.programName }, seen.slice(0, -1), making, tags)
  }
  const published = await readPublishedVersions(db, programId)
  const at = published.findIndex(version => version.program_version_id === programVersionId)
  if (at !== -1) return docsOf(published[at]!, published.slice(0, at))
  const draft = await findDraftVersion(db, programId)
  return draft?.program_version_id === programVersionId ? docsOf(draft, published) : undefined
}

type KeptRow = Pick<DocumentedVersionRow, 'content' | 'code_version' | 'produced_at' | 'published_before'>

/** The stored docs, if this release generated them with these settings and nothing has been published since. */
function keptDocs(row: KeptRow, making: DocsMaking): { docs: VersionDocs; produced_at: Micros } | undefined {
  if (row.produced_at === null || row.code_version !== docsCodeVersion) return undefined
  const { time_zone, enumerator_depth_max, export_profile, ...docs } = row.content as KeptDocs
  if (!isDeepStrictEqual({ time_zone, enumerator_depth_max, export_profile }, keptSettings(making))) return undefined
  if (docs.changed_since !== row.published_before) return undefined
  return { docs, produced_at: row.produced_at }
}
