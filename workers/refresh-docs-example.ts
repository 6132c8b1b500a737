// The job `refresh-docs-example`: writes the generated docs of a program version.

import { refreshDocsExample as refresh } from '../src/core/derived/program-docs.ts'
import type { WorkerDeps } from './worker-deps.ts'

export const refreshDocsExample =
  ({ db, config }: WorkerDeps) =>
  ({ program_version_id }: { program_version_id: number }): Promise<void> =>
    refresh(db, program_version_id, config)
