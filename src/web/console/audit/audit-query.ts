// Reads the filters of the audit log from a URL, and writes them into URLs.

import type { ProblemItem } from '../../../base/problem.ts'
import type { AuditFilter } from '../../../db/audit/audit.ts'
import { parseInstantParameter } from '../../../domain/values/instant-parameter.ts'
import type { FormState } from '../../html/page-context.ts'
import { idOf } from '../requests/route-parameters.ts'

/** Where the log is in the console. */
export const path = '/admin/audit'
export const crumb = { text: 'Audit', path }

/** The names of the filters in URLs. */
export const filterNames = ['actor', 'action', 'subject', 'from', 'to'] as const

interface AuditQuery {
  filter: AuditFilter
  /** Only events before this one, for later pages of the list. */
  beforeId: number | undefined
  form: FormState
}

/** Parses the filters. An invalid value becomes an error next to its field and doesn't filter. Surrounding spaces are ignored. */
export function readAuditQuery(parameters: URLSearchParams, timeZone: string): AuditQuery {
  const errors: ProblemItem[] = []
  const text = (name: string): string | undefined => parameters.get(name)?.trim() || undefined
  const instant = (name: 'from' | 'to') => {
    const given = text(name)
    const parsed = given === undefined ? undefined : parseInstantParameter(given, timeZone)
    if (typeof parsed !== 'object') return parsed
    errors.push({
      parameter: name,
      code: 'not_a_time',
      detail: `${name === 'from' ? 'From' : 'Before'} ${parsed.error}`,
    })
    return undefined
  }
  const filter = {
    actor: text('actor'),
    action: text('action'),
    subject: text('subject'),
    from: instant('from'),
    to: instant('to'),
  }
  return { filter, beforeId: idOf(parameters.get('before')), form: { values: parameters, errors } }
}

/** The query string of these filters; `changes` replaces some of them, and undefined removes one. */
export function queryOf(
  parameters: URLSearchParams,
  changes: Readonly<Record<string, string | undefined>> = {},
  names: readonly string[] = filterNames,
): string {
  const query = new URLSearchParams()
  for (const name of new Set([...names, ...Object.keys(changes)])) {
    const value = name in changes ? changes[name] : (parameters.get(name)?.trim() ?? '')
    if (value !== undefined && value !== '') query.set(name, value)
  }
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
