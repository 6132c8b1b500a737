// The export endpoint: the steps of a request from authorization to the last byte of the page.
// It contains no rules; each step belongs to another module.

import { Elysia } from 'elysia'
import type { KeyQuota } from '../../../base/problem.ts'
import { sentQuestions } from '../../../core/audit/sent-questions.ts'
import { framingOf } from '../../../core/export/framings/all-framings.ts'
import { pageVersionKey } from '../../../core/export/requests/page-version.ts'
import { anyExportOperation } from '../openapi/export-operations.ts'
import { routeDetail } from '../openapi/route-detail.ts'
import { authenticate } from '../server/authenticate.ts'
import type { Deps } from '../server/deps.ts'
import { methodNotAllowed } from '../server/errors.ts'
import { type AskedExport, loadQuestions, openExport } from './opened-export.ts'
import { ignored, PageHeaders } from './page-headers.ts'
import { sendPage } from './send-page.ts'

const path = '/api/v1/admin/programs/:programSlug/applications'

/** `GET /api/v1/admin/programs/{programSlug}/applications`. Source: spec, "List program applications". */
export const exportApplications = (deps: Deps) => {
  const { config, limits, auditLog } = deps
  const versionKey = pageVersionKey(config.apiKeyPepper)
  const headerConfig = { timeZone: config.timeZone, versionKey, tokenKeys: config.pageTokenKeys }
  const answer = async (request: AskedExport): Promise<Response> => {
    const quota = limits.takeRequest(request.caller.api_key_id)
    quota.catch(ignored)
    try {
      return await answerCounted(request, quota)
    } catch (error) {
      // A request over its quota gets 429, even if it has other errors.
      await quota
      throw error
    }
  }
  /** Prepares the response while Redis is still counting the request. Nothing is sent until the count is known. */
  const answerCounted = async (request: AskedExport, quota: Promise<KeyQuota>): Promise<Response> => {
    const opened = await openExport(deps, request)
    const head = new PageHeaders(opened, headerConfig, quota)
    const empty = await head.withoutBody()
    if (empty !== undefined) return empty
    const questions = await loadQuestions(deps, request.caller, opened)
    const place = await auditLog.beginPage(request.caller.api_key_id, () =>
      limits.beginExport(request.caller.api_key_id),
    )
    const { format } = opened.offered
    const framing = framingOf(format, questions)
    const choice = { chosen: opened.walk.fields, questions: opened.walk.questions }
    const sent = sentQuestions(questions.keyMap, choice, request.caller.hidden)
    const granted = Promise.all([head.quotaSet, place.granted])
    granted.catch(ignored)
    return sendPage(deps, { ...opened, format, framing, sent }, questions, head, granted, place)
  }
  return new Elysia({ name: 'export-applications', detail: routeDetail(anyExportOperation()) })
    .use(authenticate(deps))
    .get(path, ({ caller, params, request }) => answer({ caller, request, ...params }))
    .head(path, ({ caller, params, request }) => answer({ caller, request, ...params }))
    .all(path, methodNotAllowed(['GET', 'HEAD']), { parse: 'none' })
}
