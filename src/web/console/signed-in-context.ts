// The page context of a person who is signed in, for the console and the docs.

import { maskedToken } from '../../core/people/masked-token.ts'
import type { Session } from '../../core/people/sessions.ts'
import { timeZoneOf } from '../../core/people/time-zones.ts'
import { readPersonNames } from '../../db/people/person-rows.ts'
import type { PageContext } from '../html/page-context.ts'
import { type AttentionDeps, loadAttention, marksOf } from './home/attention-list.tsx'

/** This context with the person. The attention items are only read when a page is rendered. */
export const signedInContext = (
  deps: AttentionDeps,
  context: PageContext,
  { person, csrf, hasSecondFactor, timeZone }: Session,
): PageContext => ({
  ...context,
  person,
  secondFactor: hasSecondFactor,
  csrf: maskedToken(csrf),
  timeZone: timeZoneOf(person, timeZone, context.config.timeZone),
  loadNames: emails => readPersonNames(deps.consoleDb, emails),
  loadMarks: async () => marksOf(await loadAttention(deps, person, context.now)),
})
