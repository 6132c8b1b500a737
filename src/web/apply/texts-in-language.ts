// A program's texts for applicants, in the language of the page or the nearest one that the program has, and its dates.

import type { KnownVersion } from '../../core/intake/known-versions.ts'
import { readActiveDetails, type StoredProgramVersion } from '../../db/programs/programs.ts'
import {
  localizedDetails,
  localizedScreens,
  localizedSettings,
  lookupTags,
  offeredLanguage,
} from '../../domain/languages/localized.ts'
import type { ApplyRequest } from './apply-request.ts'

export interface ProgramTexts {
  name: string
  description: string | undefined
  /** The text shown after a submission. */
  confirmation: string | undefined
  /** Public names of statuses, by status. */
  statuses: ReadonlyMap<string, string>
}

export function textsOf(
  { display_name, details }: Pick<StoredProgramVersion, 'display_name' | 'details'>,
  language: string,
): ProgramTexts {
  const tags = lookupTags(offeredLanguage(details, [language]))
  const {
    display_name: name,
    description,
    confirmation,
    status_details = [],
  } = localizedDetails({ display_name, ...details }, tags)
  const statuses = new Map(status_details.map(({ status, public_name = status }) => [status, public_name]))
  return { name, description, confirmation, statuses }
}

/** The texts of every published program, by its ID. */
export async function readProgramTexts({ deps, language }: ApplyRequest): Promise<Map<number, ProgramTexts>> {
  const rows = await readActiveDetails(deps.db)
  return new Map(rows.map(row => [row.program_id, textsOf(row, language)]))
}

/** Writes dates in a language, always with the digits 0 to 9, which applicants can also type. */
export const datesIn = (language: string, timeZone: string, timeStyle?: 'short'): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle, numberingSystem: 'latn', timeZone })

const kept = new WeakMap<StoredProgramVersion, Map<string, KnownVersion>>()

/** A version in a language. Created once for each, because versions are planned once. */
export function knownInLanguage({ version, shape }: KnownVersion, wanted: string): KnownVersion {
  const language = offeredLanguage(version.details, [wanted])
  const byLanguage = kept.get(version) ?? new Map<string, KnownVersion>()
  kept.set(version, byLanguage)
  const known = byLanguage.get(language) ?? { version: versionIn(version, language), shape }
  byLanguage.set(language, known)
  return known
}

function versionIn(version: StoredProgramVersion, language: string): StoredProgramVersion {
  const tags = lookupTags(language)
  const questions = version.questions.map(question => ({
    ...question,
    settings: localizedSettings(question.settings, tags),
  }))
  return { ...version, screens: localizedScreens(version.screens, tags), questions }
}
