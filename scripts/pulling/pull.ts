// `tributary pull`: see PULL.md.

import { runPull } from '../../src/pull/run-pull.ts'
import { asProcess } from './pull-process.ts'

await asProcess(runPull)
