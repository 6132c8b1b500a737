// Commands for pulling applications. The binary includes them; @tributary/cli contains nothing else.

import { releaseName } from '../../src/base/release.ts'
import { asProcess } from './pull-process.ts'

export type Commands = Readonly<Record<string, { does: string; start: () => Promise<unknown> }>>

const tool = () => import('@tributary/cli')

export const pullCommands: Commands = {
  pull: {
    does: 'pull every application to a program into files or a database',
    start: async () => asProcess((await tool()).runPull),
  },
  verify: {
    does: 'check a file against what was pulled into it',
    start: async () => asProcess((await tool()).runVerify),
  },
  types: {
    does: "generate TypeScript for a program's applications",
    start: async () => asProcess((await tool()).runTypes),
  },
}

/** Runs the command named by the first argument. `ending` is the last line of the help. */
export async function runCommand(commands: Commands, ending: string): Promise<void> {
  const name = process.argv[2] ?? '--help'
  if (name === '--version') {
    console.log(releaseName)
  } else if (name === '--help' || name === '-h') {
    console.log(usage(commands, ending))
  } else if (Object.hasOwn(commands, name)) {
    // The started command finds its arguments in the same position as when it runs as a script.
    process.argv.splice(2, 1)
    await commands[name]!.start()
  } else {
    console.error(`Unknown command ${name}. See tributary --help.`)
    process.exit(2)
  }
}

function usage(commands: Commands, ending: string): string {
  const width = Math.max(...Object.keys(commands).map(command => command.length))
  const lines = Object.entries(commands).map(([command, { does }]) => `  ${command.padEnd(width)}  ${does}`)
  return ['Usage: tributary <command> [arguments]', '', ...lines, '', ending].join('\n')
}
