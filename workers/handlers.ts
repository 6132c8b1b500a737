// Maps jobs to handlers.

import { docsCodeVersion } from '../src/core/derived/program-docs.ts'
import { keyMapCodeVersion } from '../src/core/derived/program-key-map.ts'
import type { CodeVersions, Handlers } from '../src/core/queue/work.ts'
import { deliverWebhook, type WebhookDeps } from './deliver-webhook.ts'
import { refreshDocsExample } from './refresh-docs-example.ts'
import { refreshKeyMap } from './refresh-key-map.ts'
import type { WorkerDeps } from './worker-deps.ts'

export const handlers = (deps: WorkerDeps & WebhookDeps): Handlers => ({
  'refresh-key-map': refreshKeyMap(deps),
  'refresh-docs-example': refreshDocsExample(deps),
  'deliver-webhook': deliverWebhook(deps),
})

export const codeVersions: CodeVersions = {
  'refresh-key-map': keyMapCodeVersion,
  'refresh-docs-example': docsCodeVersion,
}
