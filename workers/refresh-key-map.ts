// The job `refresh-key-map`: writes the key map of a program as of one of its versions.

import { refreshKeyMap as refresh } from '../src/core/derived/program-key-map.ts'
import type { WorkerDeps } from './worker-deps.ts'

export const refreshKeyMap =
  ({ db }: WorkerDeps) =>
  ({ program_version_id }: { program_version_id: number }): Promise<void> =>
    refresh(db, program_version_id)
