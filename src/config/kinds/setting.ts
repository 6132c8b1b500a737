// The definition of a setting. `setting-kinds` has the parsers shared by several groups.

/** Parses the text of a variable. Throws Unusable. */
export interface Parser<T> {
  (text: string): T
  /** Accepted texts: every choice, both bounds, each form of an address. Tests start every process with each of them. */
  examples: readonly string[]
}

export const parser = <T>(examples: readonly string[], parse: (text: string) => T): Parser<T> =>
  Object.assign((text: string) => parse(text), { examples })

export interface Setting<T = unknown> {
  name: string
  /** The value if the variable is absent or empty; undefined if the variable is required. */
  default: string | undefined
  parse: Parser<T>
  /** The description for SETTINGS.md and the console, with unit and bounds. */
  meaning: string
  /** Never shown. */
  secret: boolean
}

/** Thrown by a parser, with a sentence about what is expected. It never repeats the value, which may be a secret. */
export class Unusable extends Error {}

export const setting = <T>(name: string, usual: string | undefined, parse: Parser<T>, meaning: string): Setting<T> => ({
  name,
  default: usual,
  parse,
  meaning,
  secret: false,
})

export const secretSetting: typeof setting = (name, usual, parse, meaning) => ({
  ...setting(name, usual, parse, `${meaning} Secret.`),
  secret: true,
})
