// The docs of a program as returned in JSON. The HTML page shows nothing that is not in this value.

import type { GeneratedDocs, ListedVersion } from '../../core/derived/program-docs.ts'
import type { Program, ProgramListing } from '../../db/programs/programs.ts'
import type { VersionChange } from '../../domain/comparison/version-diff.ts'
import type { QuestionDocs } from '../../domain/samples/question-docs.ts'
import type { VersionDocs } from '../../domain/samples/version-docs.ts'
import { formatOffsetTime } from '../../domain/values/offset-time.ts'
import type { Place } from '../http/server/place.ts'
import { type CodeSample, codeSamples } from './code-samples/code-samples.ts'
import { type InLanguage, languageQuery } from './components/text-language.tsx'

/** Times are ISO 8601 with the offset of the service's time zone. */
export interface VersionView extends InLanguage {
  program_version_id: number
  /** Version number within the program: 1, 2, 3. Null for a draft. */
  version_number: number | null
  state: 'ACTIVE' | 'DRAFT'
  display_name: string
  statuses: readonly string[]
  /** Time of publication; for a draft, time of the last save. */
  since: string
  generated_at: string
  /** Time of the latest failed regeneration; null if one has succeeded since. */
  regeneration_failed_at: string | null
  /** ID and number of the version that `changes` compares with. */
  changed_since: number | null
  changed_since_number: number | null
  changes: readonly VersionChange[]
  /** Number of the oldest version whose changes are in `questions[].history`. */
  history_since: number
  questions: readonly QuestionDocs[]
  /** Counts left out of the docs; zero except for programs with many thousands of questions or options. */
  left_out: VersionDocs['left_out']
  /** An export page with fictitious values. */
  example: unknown
  response_schema_url: string
  openapi_url: string
}

export interface ProgramView {
  slug: string
  display_name: string
  /** Whether the program accepts applications. */
  intake_state: Program['intake_state']
  docs_url: string
  check_auth_url: string
  export_url: string
  /** Address of the OData feed. */
  feed_url: string
  versions: VersionView[]
  code_samples: (CodeSample & { url: string })[]
}

/** The content of a page about one version. */
export interface ShownVersion {
  program: ProgramView
  shown: VersionView
}

/** An entry in the list of programs. */
export interface ListedProgram {
  slug: string
  display_name: string
  docs_url: string
  active_version_id: number | null
  active_version_number: number | null
  draft_version_id: number | null
  versions: ListedVersionView[]
}

export interface ListedVersionView {
  program_version_id: number
  version_number: number | null
  state: 'ACTIVE' | 'DRAFT'
  /** Address of the full docs. */
  docs_url: string
  /** A shortened export page with one application and fictitious values. */
  example: unknown
  /** Number of questions left out of the shortened application. */
  questions_left_out: number
}

/** A page of the list of programs. */
export interface ProgramList {
  programs: ListedProgram[]
  /** Address of the next page; null on the last page. */
  next_url: string | null
}

/** Programs per page of the list. */
export const listedProgramsMax = 20

/** `programs` has one more than the page shows if more exist. */
export function viewPrograms(
  programs: readonly ProgramListing[],
  examples: ReadonlyMap<number, readonly ListedVersion[]>,
  place: Place,
  search: string,
): ProgramList {
  const shown = programs.slice(0, listedProgramsMax)
  const more = programs.length > listedProgramsMax
  return {
    programs: shown.map(program => {
      const { program_id, slug, display_name, active_version_id, active_version_number, draft_version_id } = program
      const docs_url = docsUrl(place, slug)
      const versions = (examples.get(program_id) ?? []).map(
        ({ program_version_id, state, example }): ListedVersionView => ({
          program_version_id,
          version_number: state === 'ACTIVE' ? active_version_number : null,
          state,
          docs_url: `${docs_url}/versions/${program_version_id}`,
          example: JSON.parse(example.page),
          questions_left_out: example.left_out,
        }),
      )
      return { slug, display_name, docs_url, active_version_id, active_version_number, draft_version_id, versions }
    }),
    next_url: more
      ? `${place.baseUrl}/docs/api/programs?${new URLSearchParams({ ...(search !== '' && { q: search }), after: shown.at(-1)!.slug })}`
      : null,
  }
}

/** Path of a program's docs. */
export const docsPath = (slug: string): string => `/docs/api/programs/${slug}`

/** The program's main page shows the active version, or the draft if there is none. */
export const versionPath = ({ slug, versions }: ProgramView, version: VersionView): string =>
  version === versions[0] ? docsPath(slug) : `${docsPath(slug)}/versions/${version.program_version_id}`

/** Path of the table of a version's questions. */
export const questionsPath = ({ slug }: ProgramView, version: VersionView): string =>
  `${docsPath(slug)}/versions/${version.program_version_id}/questions${languageQuery(version)}`

export const docsUrl = (place: Place, slug: string): string => place.baseUrl + docsPath(slug)

/** Number of a version within its program; for a draft, the number it will get. */
export const numberOf = ({ changed_since_number }: VersionView): number => (changed_since_number ?? 0) + 1

export const titleOf = ({ version_number: number }: VersionView): string =>
  number === null ? 'Draft' : `Active version ${number}`

export const versionName = ({ version_number: number }: VersionView): string =>
  number === null ? 'the draft' : `version ${number}`

export function viewProgram(program: Program, docs: readonly GeneratedDocs[], place: Place): ProgramView {
  const { slug, intake_state } = program
  const docs_url = docsUrl(place, slug)
  return {
    slug,
    // In the language of the page.
    display_name: docs[0]?.docs.display_name ?? program.display_name,
    intake_state,
    docs_url,
    check_auth_url: `${place.baseUrl}/api/v1/checkAuth`,
    export_url: `${place.baseUrl}/api/v1/admin/programs/${slug}/applications`,
    feed_url: `${place.baseUrl}/odata/v1/${slug}`,
    versions: docs.map(doc => viewVersion(doc, docs_url, place.timeZone)),
    code_samples: codeSamples(place.baseUrl, slug).map(sample => ({
      ...sample,
      url: `${docs_url}/samples/${sample.file_name}`,
    })),
  }
}

function viewVersion(generated: GeneratedDocs, docs_url: string, timeZone: string): VersionView {
  const { docs, state, language, languages, since, generated_at, failed_at } = generated
  const { program_version_id, display_name, statuses, changed_since, changes, questions, left_out, example } = docs
  const { versions_before, history_since } = docs
  const files = `${docs_url}/versions/${program_version_id}`
  return {
    program_version_id,
    version_number: state === 'ACTIVE' ? versions_before + 1 : null,
    state,
    display_name,
    language,
    languages,
    statuses,
    since: formatOffsetTime(since, timeZone),
    generated_at: formatOffsetTime(generated_at, timeZone),
    regeneration_failed_at: failed_at === null ? null : formatOffsetTime(failed_at, timeZone),
    changed_since,
    changed_since_number: versions_before || null,
    changes,
    history_since,
    questions,
    left_out,
    example: JSON.parse(example),
    response_schema_url: `${files}/response.schema.json`,
    openapi_url: `${files}/openapi.json`,
  }
}
