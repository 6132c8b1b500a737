// The generated docs of a program: kept ones where they are good, made on the spot where not. The worker keeps those of readers who
// see everything, in the database; a process keeps in memory what it made itself, for each set of hidden questions.
// Everything kept can be dropped at any time and is made again from the versions.

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
 * Count it up when a release makes other docs of the same program: what is kept under another number is not shown, and under a lower one
 * is made again. A test holds the docs of one fixed program against it, and fails when they change and it does not.
 */
export const docsCodeVersion = 10

/** The docs of a program's ACTIVE or DRAFT version. */
export interface GeneratedDocs {
  docs: VersionDocs
  state: 'ACTIVE' | 'DRAFT'
  /** When the version was published; for a draft, when it was saved. */
  since: Micros
  generated_at: Micros
  /** When the newest regeneration failed; null when none did since it last succeeded. What is shown is from before. */
  failed_at: Micros | null
}

/** What is kept of one version, with the settings that it depends on. */
interface KeptDocs extends VersionDocs {
  time_zone: string
  enumerator_depth_max: number
  export_profile: ExportProfile
}

/** What is made with others is not shown. */
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
  /** When what is kept was made; null when nothing good is kept, so that docs are made whenever they are read. */
  made_at: Micros | null
  regeneration: ListedVersionRow['regeneration']
  last_error: string | null
}

/** Docs that a process made. As text, whose size is known, and which a reader cannot change. */
interface MadeDocs {
  text: string
  short_example: ShortExample
  made_at: Micros
}

/**
 * The docs of programs, as readers see them. What is made here is kept under the version, the program's newest publication and what
 * is hidden, so nothing has to be invalidated. It is made once for all who ask at the same time, and for readers from whom the same is
 * hidden one after another: making docs of many large versions takes a second of this process, which others need in between.
 */
export class ProgramDocs {
  readonly #kept = new Map<string, MadeDocs>()
  #keptChars = 0
  readonly #underWay = new Map<string, Promise<MadeDocs | undefined>>()
  /** For each set of hidden questions, the end of what is under way. */
  readonly #ends = new Map<string, Promise<void>>()

  constructor(
    private readonly making: DocsMaking,
    private readonly now: () => Micros,
    /** Of more, those that were read least recently are dropped. A character takes one or two bytes. */
    private readonly keptCharsMax = 20_000_000,
  ) {}

  /** The docs of a program's ACTIVE version, then of its DRAFT; empty for a program with neither. `hidden` are ids of questions. */
  async load(db: Db, programId: number, hidden: ReadonlySet<number>): Promise<GeneratedDocs[]> {
    const all: GeneratedDocs[] = []
    for (const row of await readDocumentedVersions(db, programId)) {
      const { state, since, failed_at } = row
      const kept = hidden.size > 0 ? undefined : keptDocs(row, this.making)
      if (kept !== undefined) {
        all.push({ docs: kept.docs, state, since, failed_at, generated_at: kept.produced_at })
        continue
      }
      const made = await this.#made(db, programId, row, hidden)
      // A draft may have been replaced since.
      if (made === undefined) continue
      all.push({ docs: JSON.parse(made.text) as VersionDocs, state, since, failed_at, generated_at: made.made_at })
    }
    return all
  }

  /** Of each of these programs the ACTIVE version, then the DRAFT. What is kept of them is not read whole. */
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
      const shown = kept?.docs ?? (await this.#made(db, program_id, row, hidden))
      if (shown === undefined) continue
      const freshness = { made_at: kept?.produced_at ?? null, regeneration, last_error }
      listed.get(program_id)!.push({ program_version_id, state, example: shown.short_example, freshness })
    }
    return listed
  }

  /** Undefined when the program has no such version any more. */
  async #made(
    db: Db,
    programId: number,
    { program_version_id, since, newest_publication }: DocumentedState,
    hidden: ReadonlySet<number>,
  ): Promise<MadeDocs | undefined> {
    const view = viewName({ hidden, chosen: undefined })
    const name = `${program_version_id} ${since} ${newest_publication} ${view}`
    const kept = this.#kept.get(name)
    if (kept !== undefined) {
      this.#keep(name, kept)
      return kept
    }
    const underWay = this.#underWay.get(name)
    if (underWay !== undefined) return underWay
    const making = this.#oneAtATime(view, async () => {
      const docs = await makeDocs(db, programId, program_version_id, this.making, hidden)
      if (docs === undefined) return undefined
      const made = { text: JSON.stringify(docs), short_example: docs.short_example, made_at: this.now() }
      this.#keep(name, made)
      return made
    }).finally(() => this.#underWay.delete(name))
    this.#underWay.set(name, making)
    return making
  }

  /** Runs this after what was begun before for the same view, however that ends. */
  #oneAtATime<Value>(view: string, work: () => Promise<Value>): Promise<Value> {
    const turn = (this.#ends.get(view) ?? Promise.resolve()).then(work)
    const ended = () => {
      if (this.#ends.get(view) === end) this.#ends.delete(view)
    }
    const end: Promise<void> = turn.then(ended, ended)
    this.#ends.set(view, end)
    return turn
  }

  /** As the one that was read last. */
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
 * Makes the docs of a program version, in any state, and keeps them in place of whatever was kept: the job
 * `refresh-docs-example`. Running twice is running once. Throws a `not_found` Problem when the version is gone.
 */
export async function refreshDocsExample(db: Db, programVersionId: number, making: DocsMaking): Promise<void> {
  const startedMs = performance.now()
  const { program_id } = await loadProgramVersion(db, programVersionId)
  const docs = await makeDocs(db, program_id, programVersionId, making, new Set())
  if (docs === undefined) return
  const content: KeptDocs = { ...docs, ...keptSettings(making) }
  await upsertDerived(db, 'docs_example', {
    program_version_id: programVersionId,
    code_version: docsCodeVersion,
    content,
    duration_ms: performance.now() - startedMs,
  })
}

/** Undefined when the program has no such version, published or draft. */
async function makeDocs(
  db: Db,
  programId: number,
  programVersionId: number,
  making: DocsMaking,
  hidden: ReadonlySet<number>,
): Promise<VersionDocs | undefined> {
  const docsOf = async (version: DocumentableVersion, earlier: readonly DocumentableVersion[]) => {
    const seen = hidden.size === 0 ? [...earlier, version] : visibleVersions([...earlier, version], hidden)
    const followed = followedShape(await loadProgram(db, version.slug), making.exportProfile ?? 'contract')
    return versionDocs({ ...seen.at(-1)!, program_name: followed?.programName }, seen.slice(0, -1), making)
  }
  const published = await readPublishedVersions(db, programId)
  const at = published.findIndex(version => version.program_version_id === programVersionId)
  if (at !== -1) return docsOf(published[at]!, published.slice(0, at))
  const draft = await findDraftVersion(db, programId)
  return draft?.program_version_id === programVersionId ? docsOf(draft, published) : undefined
}

type KeptRow = Pick<DocumentedVersionRow, 'content' | 'code_version' | 'produced_at' | 'published_before'>

/** What is kept, if this release made it, with these settings, and nothing was published in between. */
function keptDocs(row: KeptRow, making: DocsMaking): { docs: VersionDocs; produced_at: Micros } | undefined {
  if (row.produced_at === null || row.code_version !== docsCodeVersion) return undefined
  const { time_zone, enumerator_depth_max, export_profile, ...docs } = row.content as KeptDocs
  if (!isDeepStrictEqual({ time_zone, enumerator_depth_max, export_profile }, keptSettings(making))) return undefined
  if (docs.changed_since !== row.published_before) return undefined
  return { docs, produced_at: row.produced_at }
}
