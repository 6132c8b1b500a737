// A program's texts for applicants, in the language of the page or the nearest one that the program has, and its dates.

import type { KnownVersion } from '../../core/intake/known-versions.ts'
import { readActiveDetails, type StoredProgramVersion } from '../../db/programs/programs.ts'
import {
  defaultLanguageOf,
  localizedDetails,
  localizedScreens,
  localizedSettings,
  lookupTags,
  offeredLanguage,
} from '../../domain/languages/localized.ts'
import { elementsOf, type LanguageOf, languageOfTexts } from '../../domain/languages/text-languages.ts'
import type { ApplyRequest } from './apply-request.ts'

export interface ProgramTexts {
  name: string
  description: string | undefined
  /** The text shown after a submission. */
  confirmation: string | undefined
  /** Public names of statuses, by status. */
  statuses: ReadonlyMap<string, string>
  languageOf: LanguageOf
}

export function textsOf(
  program: Pick<StoredProgramVersion, 'display_name' | 'details'>,
  language: string,
): ProgramTexts {
  const { display_name, details } = program
  const tags = lookupTags(offeredLanguage(details, [language]))
  const usual = defaultLanguageOf(details)
  const {
    display_name: name,
    description,
    confirmation,
    status_details = [],
  } = localizedDetails({ display_name, ...details }, tags)
  const statuses = new Map(status_details.map(({ status, public_name = status }) => [status, public_name]))
  const languageOf = languageOfTexts(elementsOf(program), { page: language, tags, usual })
  return { name, description, confirmation, statuses, languageOf }
}

/** The texts of every published program, by its ID. */
export async function readProgramTexts({ deps, language }: ApplyRequest): Promise<Map<number, ProgramTexts>> {
  const rows = await readActiveDetails(deps.db)
  return new Map(rows.map(row => [row.program_id, textsOf(row, language)]))
}

/** Writes dates in a language, always with the digits 0 to 9, which applicants can also type. */
export const datesIn = (language: string, timeZone: string, timeStyle?: 'short'): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle, numberingSystem: 'latn', timeZone })

interface ProgramInLanguage {
  known: KnownVersion
  texts: ProgramTexts
}

const kept = new WeakMap<StoredProgramVersion, Map<string, ProgramInLanguage>>()

/** A version in a language. Created once for each, because versions are planned once. */
export function programInLanguage(known: KnownVersion, wanted: string): ProgramInLanguage {
  const { version, shape } = known
  const byLanguage = kept.get(version) ?? new Map<string, ProgramInLanguage>()
  kept.set(version, byLanguage)
  const language = offeredLanguage(version.details, [wanted])
  const isUsual = language === defaultLanguageOf(version.details)
  const made = byLanguage.get(wanted) ?? {
    known: isUsual ? known : { version: versionIn(version, language), shape },
    texts: textsOf(version, wanted),
  }
  byLanguage.set(wanted, made)
  return made
}

function versionIn(version: StoredProgramVersion, language: string): StoredProgramVersion {
  const tags = lookupTags(language)
  const questions = version.questions.map(question => ({
    ...question,
    settings: localizedSettings(question.settings, tags),
  }))
  return { ...version, screens: localizedScreens(version.screens, tags), questions }
}
