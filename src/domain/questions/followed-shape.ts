// Differences in exporting a followed program, compared with this installation's own.

import type { FollowedShape } from '../fields/field-schema.ts'

/** `program_name`: the slug according to the manual, the administrators' name according to the origin's code. */
export const exportedProgramName = (
  profile: FollowedShape['profile'],
  program: { slug: string; origin_name: string },
): string => (profile === 'contract' ? program.slug : program.origin_name)

/** Undefined for this installation's own programs. */
export function followedShape(
  program: { slug: string; origin_name: string | null },
  profile: FollowedShape['profile'],
): FollowedShape | undefined {
  const { slug, origin_name } = program
  if (origin_name === null) return undefined
  return { programName: exportedProgramName(profile, { slug, origin_name }), profile }
}
