// Identifies an output, and reads what the last pull recorded, from which the next pull continues.

import { type LastingFilters, lastingFilters } from '../requests/filter-options.ts'
import type { IdReceipt } from '../requests/id-digest.ts'
import { CommandError } from '../requests/pull-outcome.ts'
import type { PulledTables, PullRequest } from '../requests/pull-request.ts'
import { type PlacedFile, sizeOf } from './place-files.ts'

/** The origin of an output's applications. It only changes when everything is pulled again. */
export interface PullOrigin extends LastingFilters {
  /** Its address. */
  service: string
  /** The service's installation ID, which doesn't depend on its address; undefined if it wasn't requested. */
  installation?: string | undefined
  program: string
  /** The questions that the pull selected; undefined for all. */
  fields?: string
  /** The layout of the tables; null without tables. */
  layout: (PulledTables & { csvExact: boolean }) | null
  /** For outputs that are not files: their location. */
  destination: string | null
}

/** The record of the last complete pull. */
export interface PulledBefore {
  origin: PullOrigin
  /** One for each pull that the output consists of, oldest first. */
  receipts: IdReceipt[]
  /** Where the next pull starts; undefined if this one left out the latest applications, or has some that may come again. */
  watermark?: string
  /** Some fetched applications are newer than any safe starting point, so the next run must be a full pull. */
  hasLater?: true
  /** The output's files with their sizes after the pull. */
  files: PlacedFile[]
  /** For a folder: count and digest of its applications. Undefined while it is being filled. */
  held?: { count: number; digest: string } | undefined
  /** For an output that follows changes: the last change it contains. */
  changeCursor?: string
  /** The change after which it can be followed: it has everything submitted before. */
  followsFrom?: string | undefined
  /** The publication up to which its applications have the questions; undefined before the first, and if only a part was pulled again. */
  questionsAsOf?: string | undefined
}

/** The `fromDate` of a pull that adds to the output; undefined if everything is pulled again. */
export function sinceLast(before: PulledBefore, origin: PullOrigin, { filters }: PullRequest): string | undefined {
  const refuse = (why: string): CommandError =>
    new CommandError('usage', `--since-last cannot extend the output: ${why} Without it, everything is pulled again.`)
  const differing = differencesOf(before.origin, origin)
  if (differing.length > 0) throw refuse(`it was pulled ${differing.join(', and ')}.`)
  if (filters.toDate !== undefined || (before.watermark === undefined && !before.hasLater))
    throw refuse('it was pulled with --before, so later applications are missing.')
  for (const { path, bytes } of before.files) {
    const found = sizeOf(path)
    if (found === undefined)
      throw refuse(`${path} is missing. If it was moved or renamed together with ${path}.pull, move both back.`)
    if (found !== bytes) throw refuse(`${path} was changed after the last pull.`)
  }
  return before.watermark
}

/** The differences between two origins, in the words of the command line; the output's location does not count. */
export function differencesOf(before: PullOrigin, after: PullOrigin): string[] {
  const sameService = before.service === after.service || (before.installation ?? before.service) === after.installation
  const words = ({ service, program, layout, ...origin }: PullOrigin): string[] => [
    sameService ? '' : `from ${service}`,
    `with --program ${program}`,
    ...lastingFilters.map(({ name, option }) =>
      origin[name] == null ? `without --${option}` : `with --${option} ${origin[name]}`,
    ),
    withFields(origin),
    `with --multi ${layout?.multi ?? 'one'}`,
    `${layout?.labels ? 'with' : 'without'} --option-labels`,
    layout?.language === undefined ? 'without --language' : `with --language ${layout.language}`,
    `${layout?.csvExact ? 'with' : 'without'} --exact-csv`,
  ]
  const now = words(after)
  return words(before).flatMap((word, i) => (word === now[i] ? [] : [`${word}, not ${now[i]}`]))
}

/** As written on the command line. */
export const withFields = ({ fields }: Pick<PullOrigin, 'fields'>): string =>
  fields === undefined ? 'without --fields' : `with --fields ${fields}`
