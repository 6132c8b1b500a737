// `tributary types`: see PULL.md.

import { runTypes } from '../../src/pull/run-pull.ts'
import { asProcess } from './pull-process.ts'

await asProcess(runTypes)
