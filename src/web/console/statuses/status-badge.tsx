// A program's statuses as the console shows them: in the program's order and colors.

/** @jsxImportSource preact */

import type { Program } from '../../../db/programs/programs.ts'
import type { StatusColors } from '../../../db/programs/status-colors.ts'
import { type StatusColor, statusColors } from '../../../domain/questions/program-version.ts'
import { Badge, type Tone } from '../../html/components.tsx'

/** A program whose `statuses`, in its order, are shown in color. */
export type ProgramInColor = Program & { status_colors: StatusColors }

/** Gray has no tone. */
const tones: Readonly<Record<StatusColor, Tone | undefined>> = {
  gray: undefined,
  blue: 'info',
  amber: 'attention',
  green: 'good',
  red: 'bad',
}

/** The tone of a status's badge and bar. */
export const toneOfStatus = (status: string | null, { status_colors }: Pick<ProgramInColor, 'status_colors'>) =>
  tones[status_colors.get(status ?? '') ?? statusColors[0]]

/** Null is no status. */
export function StatusBadge({
  status,
  program,
}: {
  status: string | null
  program: Pick<ProgramInColor, 'status_colors'>
}) {
  if (status === null) return <span class="soft">No status</span>
  const tone = toneOfStatus(status, program)
  return <Badge {...(tone !== undefined && { tone })}>{status}</Badge>
}

/** No status comes first, then the program's statuses in order, then statuses it no longer has. */
export function rankOfStatus(status: string | null, { statuses }: Pick<ProgramInColor, 'statuses'>): number {
  const rank = statuses.indexOf(status ?? '')
  return status === null ? -1 : rank < 0 ? statuses.length : rank
}
