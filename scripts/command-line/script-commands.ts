// Parses a script's commands with their arguments and options, before any database is opened.

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { readCommandLine, refuseMore, runScript, type ScriptContext, usage } from './environment.ts'

export type Run = (context: ScriptContext) => Promise<void>

type Values<O extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: O }>>['values']

type Prepare = (args: string[]) => Run | Promise<Run | undefined>

/**
 * A command: the names of its words, with `?` at the end of an optional one, and `…` for any number; its options; and what it does. Missing and
 * surplus words and options of other commands are errors. `prepare` runs before a database is opened, and throws what `usage` creates; it returns
 * nothing if it has done everything.
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

/** Runs the command named by the first argument, and exits. */
export async function runCommands(help: string, commands: Readonly<Record<string, Prepare>>): Promise<never> {
  const run = await readCommandLine(help, async ([name, ...args]) => {
    if (name === undefined) throw usage('Enter a command.')
    if (!Object.hasOwn(commands, name)) throw usage(`Unknown command "${name}".`)
    return commands[name]!(args)
  })
  return run === undefined ? process.exit(0) : runScript(run)
}

/** Runs a script with a single task, and exits. */
export const runOnly = async (help: string, only: Prepare): Promise<never> =>
  runScript((await readCommandLine(help, only))!)

/** An integer from 1. Throws UsageError; `name` names the value. */
export function wholeNumber(name: string, text: string, max = Number.MAX_SAFE_INTEGER): number {
  const value = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : Number.NaN
  if (value <= max) return value
  const range = max === Number.MAX_SAFE_INTEGER ? 'from 1' : `from 1 to ${max}`
  throw usage(`${name} must be a whole number ${range}, not "${text}".`)
}
