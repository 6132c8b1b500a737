// Explains why an edit of a program was rejected: errors with their places, or a concurrent change.

/** @jsxImportSource preact */

import { Problem, type ProblemItem } from '../../../base/problem.ts'
import type { Config } from '../../../config/all-settings.ts'
import type { EditOptions } from '../../../core/programs/edit.ts'
import { NotDone, Words } from '../../html/components.tsx'
import type { ConsoleRequest } from '../requests/console-request.ts'
import { idOf } from '../requests/route-parameters.ts'

export interface EditRefusal {
  status: 400 | 409
  /** The errors; for a conflict, the other person's changes. */
  errors: readonly ProblemItem[]
}

/** The error, if it concerns the person who edits; rethrows any other. */
export function refusalOf(error: unknown): EditRefusal {
  if (!(error instanceof Problem)) throw error
  if (error.kind === 'conflict') return { status: 409, errors: error.errors }
  if (error.kind === 'invalid_request' && error.errors.length > 0) return { status: 400, errors: error.errors }
  throw error
}

export function RefusalNotice({ status, errors }: EditRefusal) {
  return (
    <NotDone name="refused">
      <h2>
        {status === 409
          ? 'The program has since been saved or published, so nothing was changed'
          : 'This change isn’t possible, so nothing was changed'}
      </h2>
      {status === 409 && (
        <p>This page shows the current state. Review it, and repeat your change if it’s still needed.</p>
      )}
      <PlacedErrors errors={errors} />
    </NotDone>
  )
}

/** Errors of a document with their paths; the first few if there are many. */
export function PlacedErrors({ errors }: { errors: readonly Pick<ProblemItem, 'code' | 'detail' | 'path'>[] }) {
  if (errors.length === 0) return null
  return (
    <ul>
      {errors.slice(0, 50).map(({ path, code, detail }) => (
        <li data-code={code}>
          {path !== undefined && path !== '' && <code>{path}</code>} <Words>{detail}</Words>
        </li>
      ))}
    </ul>
  )
}

/** The version that the page of a form was rendered from; null without one. */
export const basisOf = (form: URLSearchParams): number | null => idOf(form.get('based_on')) ?? null

export const editOptions = (
  { address }: Pick<ConsoleRequest, 'address'>,
  { enumeratorDepthMax }: Pick<Config, 'enumeratorDepthMax'>,
): EditOptions => ({ enumeratorDepthMax, address })
