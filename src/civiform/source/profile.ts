// Chooses between CiviForm's manual and its code where they disagree, by what the installation's clients expect.

import type { ExportProfile } from '../../domain/questions/key-map.ts'

/** The rules by which applications are rendered. */
export interface Rendering {
  /** `contract`: according to the manual. `origin`: according to CiviForm's code. CIVIFORM.md lists every difference. */
  profile: ExportProfile
  /** The instance's time zone. */
  timeZone: string
  /** CiviForm's address, to which links of uploaded files lead. Without a trailing slash. */
  civiformBaseUrl: string
}

/** Increment it when stored texts would change: the follower then renders all of them again. */
const renderingVersion = 1

/** Identifies a rendering; stored with the texts. */
export const renderingName = ({ profile, timeZone, civiformBaseUrl }: Rendering): string =>
  JSON.stringify([renderingVersion, profile, timeZone, civiformBaseUrl])

/** The profile of a rendering, by name. */
export const profileOf = (name: string): ExportProfile => (JSON.parse(name) as [number, ExportProfile])[1]
