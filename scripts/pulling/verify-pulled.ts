// `tributary verify`: see PULL.md.

import { runVerify } from '../../src/pull/run-pull.ts'
import { asProcess } from './pull-process.ts'

await asProcess(runVerify)
