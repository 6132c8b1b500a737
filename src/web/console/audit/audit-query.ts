// The address of a page of the audit log, and its query.

import type { ProblemItem } from '../../../base/problem.ts'
import type { AuditFilter } from '../../../db/audit/audit.ts'
import { parseInstantParameter } from '../../../domain/values/instant-parameter.ts'
import type { FormState } from '../../html/page-context.ts'
import { idOf } from '../requests/route-parameters.ts'

/** Where the log is in the console. */
export const path = '/admin/audit'
export const crumb = { text: 'Audit', path }

/** The filters as they are named in the address. */
export const filterNames = ['actor', 'action', 'subject', 'from', 'to'] as const

interface AuditQuery {
  filter: AuditFilter
  /** Events before this one: an earlier page. */
  beforeId: number | undefined
  form: FormState
}

/** Reads the filters; what cannot be read is an error at its field, and does not filter. Spaces around a value are not meant. */
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

/** The address of a page with these filters; `changes` replaces some, undefined takes one away. */
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
