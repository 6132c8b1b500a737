// What @tributary/cli runs on Node.js, once node-launcher.cjs has found that it is new enough.

import { pullCommands, runCommand } from './pull-commands.ts'

void runCommand(
  pullCommands,
  'tributary --version prints the release. The service has its own binary with more commands.',
)
