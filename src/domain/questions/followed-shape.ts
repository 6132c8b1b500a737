// How a program that is followed in a CiviForm is exported, where that differs from one of this installation's own.

import type { FollowedShape } from '../fields/field-schema.ts'

/** `program_name`: the slug by the manual, the name that administrators gave it by CiviForm's code. */
export const exportedProgramName = (
  profile: FollowedShape['profile'],
  program: { slug: string; civiform_name: string },
): string => (profile === 'contract' ? program.slug : program.civiform_name)

/** Undefined for a program of this installation's own. */
export function followedShape(
  program: { slug: string; civiform_name: string | null },
  profile: FollowedShape['profile'],
): FollowedShape | undefined {
  const { slug, civiform_name } = program
  if (civiform_name === null) return undefined
  return { programName: exportedProgramName(profile, { slug, civiform_name }), profile }
}
