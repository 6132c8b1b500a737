// Links from a preview to the editor, at the screen or question that is shown.

/** @jsxImportSource preact */

import type { ProgramOverview } from '../../../db/programs/program-overviews.ts'
import type { StoredProgramVersion } from '../../../db/programs/programs.ts'
import type { PlaceInProgram } from '../../../domain/comparison/unusual-parts.ts'
import { mayEditPrograms, usePage } from '../../html/page-context.ts'
import { editPath } from '../programs/program-shell.tsx'

/** The editor's address for each place in the program, for people who may edit it; otherwise undefined. */
export function useEditor({ slug, draft_version_id }: ProgramOverview, { state }: StoredProgramVersion) {
  const mayEdit = mayEditPrograms(usePage())
  // The editor opens the draft, or the active version if there is none.
  if (!mayEdit || !(state === 'DRAFT' || (state === 'ACTIVE' && draft_version_id === null))) return undefined
  return (place: PlaceInProgram): string => editPath(slug, place)
}

export const EditLink = ({ href, what }: { href: string | undefined; what: string }) =>
  href === undefined ? null : (
    <a class="edit-here" href={href}>
      Edit<span class="unseen"> {what}</span>
    </a>
  )
