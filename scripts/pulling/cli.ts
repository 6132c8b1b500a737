// What @tributary/cli runs on Node.js, once node-launcher.cjs has found it new enough.

import { pullCommands, runCommand } from './pull-commands.ts'

void runCommand(
  pullCommands,
  'tributary --version prints the release. The service itself has a binary with more commands.',
)
