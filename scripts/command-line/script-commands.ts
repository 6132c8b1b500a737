// Parses a script's commands with their arguments and options, before any database is opened.

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { readCommandLine, refuseMore, runScript, type ScriptContext, usage } from './environment.ts'

export type Run = (context: ScriptContext) => Promise<void>

type Values<O extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: O }>>['values']

type Prepare = (args: string[]) => Run | Promise<Run | undefined>

/**
 * A command: what its words are called, with `?` at the end where one may be left out, and `…` where there may be any number; its options;
 * and what they ask for. A word too many, one too few and an option of another command are refused. `prepare` runs before a database is opened, and throws what `usage`
 * makes; it returns nothing where it has done everything.
 */
export const command =
  <const O extends ParseArgsOptionsConfig>(
    words: readonly string[],
    options: O,
    prepare: (values: Values<O>, ...words: string[]) => ReturnType<Prepare>,
  ): Prepare =>
  args => {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    if (!words.at(-1)?.endsWith('…')) refuseMore(positionals.slice(words.length))
    const missing = words.slice(positionals.length).filter(word => !/[?…]$/.test(word))
    if (missing.length > 0) throw usage(`Missing: ${missing.map(word => `<${word}>`).join(' ')}.`)
    return prepare(values as Values<O>, ...positionals)
  }

/** Runs the command that the first argument names, and ends the process. */
export async function runCommands(help: string, commands: Readonly<Record<string, Prepare>>): Promise<never> {
  const run = await readCommandLine(help, async ([name, ...args]) => {
    if (name === undefined) throw usage('Enter a command.')
    if (!Object.hasOwn(commands, name)) throw usage(`Unknown command "${name}".`)
    return commands[name]!(args)
  })
  return run === undefined ? process.exit(0) : runScript(run)
}

/** Runs a script with a single task, and ends the process. */
export const runOnly = async (help: string, only: Prepare): Promise<never> =>
  runScript((await readCommandLine(help, only))!)

/** A whole number from 1. Throws UsageError; `name` says what it is of. */
export function wholeNumber(name: string, text: string, max = Number.MAX_SAFE_INTEGER): number {
  const value = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : Number.NaN
  if (value <= max) return value
  const range = max === Number.MAX_SAFE_INTEGER ? 'from 1' : `from 1 to ${max}`
  throw usage(`${name} must be a whole number ${range}, not "${text}".`)
}
