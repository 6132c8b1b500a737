// The definition of a setting. `setting-kinds` has the parsers that several groups of settings need.

export interface Setting<T = unknown> {
  name: string
  /** What is used when the variable is absent or empty; undefined when it must be given. */
  default: string | undefined
  /** From the text of the variable to its value; throws Unusable. */
  parse: (text: string) => T
  /** For SETTINGS.md and the console: what it is, with unit and bounds. */
  meaning: string
  /** Never shown. */
  secret: boolean
}

/** Thrown by a parser with a sentence that says what would be right. It never repeats the value, which may be a secret. */
export class Unusable extends Error {}

export const setting = <T>(
  name: string,
  usual: string | undefined,
  parse: (text: string) => T,
  meaning: string,
): Setting<T> => ({ name, default: usual, parse, meaning, secret: false })

export const secretSetting: typeof setting = (name, usual, parse, meaning) => ({
  ...setting(name, usual, parse, `${meaning} Secret.`),
  secret: true,
})
